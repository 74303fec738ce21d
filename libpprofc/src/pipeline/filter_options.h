/* The table of the options that filter samples, frames and labels. Reading, reports, verdicts, the
 * shell and the web page use it. */
#ifndef PPROFC_PIPELINE_FILTER_OPTIONS_H
#define PPROFC_PIPELINE_FILTER_OPTIONS_H

#include "pprofc/report.h"
#include "pprofc/transform.h"

/* Filters in the order in which the header of a report lists them. */
enum filter_index {
  FILTER_FOCUS,
  FILTER_IGNORE,
  FILTER_HIDE,
  FILTER_SHOW,
  FILTER_SHOW_FROM,
  FILTER_TAGFOCUS,
  FILTER_TAGIGNORE,
  FILTER_TAGSHOW,
  FILTER_TAGHIDE,
  FILTER_PRUNE_FROM,
  FILTER_TAGROOT,
  FILTER_TAGLEAF,
  FILTER_COUNT
};

/* Flag: the filter reads or changes frames. */
#define FILTER_STACKS 1u
/* Flag: the filter reads or changes labels, so the reader must keep the labels of samples, and the
 * samples without a value of the shown type. */
#define FILTER_LABELS 2u
/* Flag: the filter changes the total. The header of a report with percentages lists the filter. */
#define FILTER_TOTAL 4u
#define FILTER_CUTS                                                                                \
  32u /* flag: the filter shortens or extends stacks, which a stack tree cannot do */
#define FILTER_REGEX  8u  /* flag: the option is one regular expression */
#define FILTER_LISTED 16u /* flag: the header of reports lists the filter */
#define FILTER_ANY    (FILTER_STACKS | FILTER_LABELS)

struct filter_option {
  const char *name;
  /* Offsets of the option in pprofc_report_options and in pprofc_filter_options. */
  size_t report, filter;
  unsigned flags; /* set of FILTER_* flags */
};

extern const struct filter_option filter_options[FILTER_COUNT];

/* Returns the text of a filter, or "". */
const char *filter_text(const pprofc_report_options *options, enum filter_index filter);

/* True if a filter with one of these flags is set. */
bool filters_any(const pprofc_report_options *options, unsigned flags);

/* Returns the flags of the option `name`; 0 for an option that is not a filter. */
unsigned filter_flags(const char *name);

/* filters_of_report converts the options of a report to filter options, filters_to_report converts
 * filter options to options of a report. Both functions copy the filters, the unit and the warning
 * function. */
pprofc_filter_options filters_of_report(const pprofc_report_options *options);
pprofc_report_options filters_to_report(const pprofc_filter_options *options);

#endif
