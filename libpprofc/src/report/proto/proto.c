/* Writes the report -proto: the filtered profile itself, with its values divided by divide_by. */
#include "codec/codec.h"
#include "report/report.h"

pprofc_status report_divide(const struct report *report, pprofc_profile **divided,
                            pprofc_error *error) {
  *divided = NULL;
  if (!(report->result.ratio > 0) || report->result.ratio == 1) return PPROFC_OK;
  return transform_divide(report->result.profile, report->result.ratio, divided, error);
}

pprofc_status report_proto(struct report *report, struct output *out, pprofc_error *error) {
  pprofc_profile *divided;
  pprofc_status status = report_divide(report, &divided, error);
  if (status != PPROFC_OK) return status;
  status = pprof_encode(divided ? divided : report->result.profile, output_take, out, error);
  pprofc_profile_release(divided);
  return status;
}
