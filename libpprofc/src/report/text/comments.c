/* The -comments report: the comments of the profile, one per line. */
#include "report/report.h"

pprofc_status report_comments(struct report *report, struct output *out, pprofc_error *error) {
  (void)error;
  const pprofc_profile *p = report->result.profile;
  for (size_t i = 0; i < p->comment_count; i++) {
    report_text(out, report->mem, profile_string(p, p->comments[i]));
    output_add_char(out, '\n');
  }
  return PPROFC_OK;
}
