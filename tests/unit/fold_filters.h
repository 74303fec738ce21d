/* Compares reports with filters between a profile with each sample and a profile with sums. */
#ifndef FOLD_FILTERS_H
#define FOLD_FILTERS_H

#include "report_text.h"

#include "pipeline/pipeline.h"
#include "profile/profile.h"

static inline void filters_note(void *context, const char *message) {
  buffer_add_text(context, message);
  buffer_add_char(context, '\n');
}

/* Renders the warnings of a report, its text and its error. Warnings depend on samples without a
 * value of the shown type, which a profile with one sample type lacks. */
static inline void filters_render(struct buffer *text, const pprofc_profile *p,
                                  pprofc_report_options options, bool warnings) {
  struct buffer report;
  pprofc_error error = {.message = ""};
  buffer_init(&report, &mem_default, 1 << 28);
  if (warnings) {
    options.warn = filters_note;
    options.warn_context = text;
  }
  pprofc_report(p, &options, buffer_write, &report, &error);
  buffer_add_str(text, buffer_str(&report));
  buffer_add_text(text, error.message);
  buffer_add_char(text, '\0');
  buffer_free(&report);
}

static inline void filters_expect_same(const pprofc_profile *whole, const pprofc_profile *sums,
                                       const pprofc_report_options *options) {
  bool warnings = profile_values_each(sums) == sums->type_count;
  struct buffer one, two;
  buffer_init(&one, &mem_default, 1 << 28);
  buffer_init(&two, &mem_default, 1 << 28);
  filters_render(&one, whole, *options, warnings);
  filters_render(&two, sums, *options, warnings);
  bool same = one.size == two.size && memcmp(one.data, two.data, one.size) == 0;
  if (!same)
    printf("\n%s focus '%s' ignore '%s' hide '%s' show '%s' differs:\n%.2000s\n%.2000s\n",
           options->format, options->focus, options->ignore, options->hide, options->show, one.data,
           two.data);
  CU_ASSERT(same);
  buffer_free(&one);
  buffer_free(&two);
}

/* Compares a report with each filter that a stack tree can serve, alone and together. `tags` is
 * true to compare filters of labels also. */
static inline void same_filtered(const pprofc_profile *whole, const pprofc_profile *sums,
                                 pprofc_report_options options, bool tags) {
  static const struct {
    const char *focus, *ignore, *hide, *show, *tagfocus, *tagignore, *tagshow, *taghide;
  } filters[] = {
      {"read", "", "", "", "", "", "", ""},
      {"", "^read$", "", "", "", "", "", ""},
      {"", "", "work", "", "", "", "", ""},
      {"", "", "", "write|g\\.c", "", "", "", ""},
      {"f\\.c", "write", "main", "", "", "", "", ""},
      {"no such name", "", "", "", "", "", "", ""},
      {"", "no such name", "no such name", "", "", "", "", ""},
      {"", ".", "", "", "", "", "", ""},
      {"", "", "", "", "1000ms:", "", "", ""},
      {"read", "", "", "", "", "other", "", ""},
      {"", "", "work", "", "key=other", "size=:100", "", "size"},
      {"", "", "", "", "", "", "key", ""},
  };
  for (size_t i = 0; i < sizeof filters / sizeof *filters; i++) {
    if (!tags && (*filters[i].tagfocus || *filters[i].tagignore || *filters[i].tagshow)) continue;
    options.focus = filters[i].focus;
    options.ignore = filters[i].ignore;
    options.hide = filters[i].hide;
    options.show = filters[i].show;
    options.tagfocus = filters[i].tagfocus;
    options.tagignore = filters[i].tagignore;
    options.tagshow = filters[i].tagshow;
    options.taghide = filters[i].taghide;
    options.relative_percentages = i % 2;
    filters_expect_same(whole, sums, &options);
  }
}

/* Returns options with one filter set. The matched name is in some of the stacks. */
static inline pprofc_report_options filters_only(pprofc_report_options options, size_t filter) {
  *(const char **)(void *)((char *)&options + filter_options[filter].option.offset) = "read";
  return options;
}

/* Compares a report with each filter of the table that a stack tree without labels can serve. */
static inline void same_filtered_each(const pprofc_profile *whole, const pprofc_profile *sums,
                                      pprofc_report_options options) {
  for (size_t i = 0; i < FILTER_COUNT; i++) {
    if (filter_options[i].flags & (FILTER_CUTS | FILTER_LABELS)) continue;
    const pprofc_report_options one = filters_only(options, i);
    filters_expect_same(whole, sums, &one);
  }
}

/* Checks that a stack tree without labels refuses the filters that it cannot serve. Some shorten or
 * extend stacks, which needs each stack. The others need the labels. */
static inline void expect_filters_refused(const pprofc_profile *sums) {
  for (size_t i = 0; i < FILTER_COUNT; i++) {
    pprofc_error error = {.message = ""};
    const pprofc_report_options options = filters_only(report_options("top"), i);
    if (!(filter_options[i].flags & (FILTER_CUTS | FILTER_LABELS))) continue;
    CU_ASSERT_EQUAL(pprofc_report(sums, &options, buffer_write, NULL, &error), PPROFC_E_INVALID);
    CU_ASSERT_STRING_EQUAL(error.message, "the profile was read for another report");
  }
}

#endif
