/* Renders reports as text, for tests of their output. */
#ifndef REPORT_TEXT_H
#define REPORT_TEXT_H

#include "pprofc/report.h"
#include "profile_text.h"

static inline pprofc_report_options report_options(const char *format) {
  pprofc_report_options options;
  pprofc_report_options_init(&options);
  options.format = format;
  options.threads = 1;
  return options;
}

/* Renders a report as text with a NUL at its end. Requires PPROFC_OK. */
static inline void report_into(struct buffer *text, const pprofc_profile *p,
                               const pprofc_report_options *options) {
  pprofc_error error = {.message = ""};
  buffer_clear(text);
  if (pprofc_report(p, options, buffer_write, text, &error) != PPROFC_OK)
    printf("\n%s: %s\n", options->format, error.message);
  CU_ASSERT_EQUAL(error.status, PPROFC_OK);
  buffer_add_char(text, '\0');
}

static inline void expect_report(const pprofc_profile *p, const pprofc_report_options *options,
                                 const char *expected) {
  struct buffer text;
  buffer_init(&text, &mem_default, 1 << 24);
  report_into(&text, p, options);
  bool same = strcmp(text.data, expected) == 0;
  if (!same) printf("\n%s, expected:\n%sgot:\n%s", options->format, expected, text.data);
  CU_ASSERT(same);
  buffer_free(&text);
}

/* Checks that the report contains, or does not contain, this text. */
static inline void expect_in_report(const pprofc_profile *p, const pprofc_report_options *options,
                                    const char *part, bool there) {
  struct buffer text;
  buffer_init(&text, &mem_default, 1 << 24);
  report_into(&text, p, options);
  bool found = strstr(text.data, part) != NULL;
  if (found != there)
    printf("\n%s, %s:\n%s\nin:\n%s", options->format, there ? "missing" : "unwanted", part,
           text.data);
  CU_ASSERT_EQUAL(found, there);
  buffer_free(&text);
}

/* Checks that a report has the same bytes for both profiles. */
static inline void expect_same_report(const pprofc_profile *a, const pprofc_profile *b,
                                      const pprofc_report_options *options) {
  struct buffer one, two;
  buffer_init(&one, &mem_default, 1 << 28);
  buffer_init(&two, &mem_default, 1 << 28);
  report_into(&one, a, options);
  report_into(&two, b, options);
  bool same = one.size == two.size && memcmp(one.data, two.data, one.size) == 0;
  if (!same) printf("\n%s differs:\n%.2000s\n%.2000s\n", options->format, one.data, two.data);
  CU_ASSERT(same);
  buffer_free(&one);
  buffer_free(&two);
}

#endif
