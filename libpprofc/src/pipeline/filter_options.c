/* The table of the options that filter, and functions that copy filters between the public structs.
 */
#include "pipeline/filter_options.h"

#include <string.h>

#define FILTER(name, flags)                                                                        \
  { #name, offsetof(pprofc_report_options, name), offsetof(pprofc_filter_options, name), flags }

const struct filter_option filter_options[FILTER_COUNT] = {
    [FILTER_FOCUS] = FILTER(focus, FILTER_STACKS | FILTER_TOTAL | FILTER_REGEX | FILTER_LISTED),
    [FILTER_IGNORE] = FILTER(ignore, FILTER_STACKS | FILTER_TOTAL | FILTER_REGEX | FILTER_LISTED),
    [FILTER_HIDE] = FILTER(hide, FILTER_STACKS | FILTER_REGEX | FILTER_LISTED),
    [FILTER_SHOW] = FILTER(show, FILTER_STACKS | FILTER_REGEX | FILTER_LISTED),
    [FILTER_SHOW_FROM] = FILTER(show_from, FILTER_STACKS | FILTER_CUTS | FILTER_TOTAL |
                                               FILTER_REGEX | FILTER_LISTED),
    [FILTER_TAGFOCUS] = FILTER(tagfocus, FILTER_LABELS | FILTER_TOTAL | FILTER_LISTED),
    [FILTER_TAGIGNORE] = FILTER(tagignore, FILTER_LABELS | FILTER_TOTAL | FILTER_LISTED),
    [FILTER_TAGSHOW] = FILTER(tagshow, FILTER_LABELS | FILTER_REGEX | FILTER_LISTED),
    [FILTER_TAGHIDE] = FILTER(taghide, FILTER_LABELS | FILTER_REGEX | FILTER_LISTED),
    [FILTER_PRUNE_FROM] = FILTER(prune_from, FILTER_STACKS | FILTER_CUTS | FILTER_REGEX),
    [FILTER_TAGROOT] = FILTER(tagroot, FILTER_LABELS | FILTER_CUTS),
    [FILTER_TAGLEAF] = FILTER(tagleaf, FILTER_LABELS | FILTER_CUTS),
};

const char *filter_text(const pprofc_report_options *options, enum filter_index filter) {
  const char *field = (const char *)options + filter_options[filter].report;
  const char *text = *(const char *const *)(const void *)field;
  return text ? text : "";
}

bool filters_any(const pprofc_report_options *options, unsigned flags) {
  for (unsigned i = 0; i < FILTER_COUNT; i++)
    if ((filter_options[i].flags & flags) && *filter_text(options, (enum filter_index)i))
      return true;
  return false;
}

unsigned filter_flags(const char *name) {
  for (size_t i = 0; i < FILTER_COUNT; i++)
    if (strcmp(filter_options[i].name, name) == 0) return filter_options[i].flags;
  return 0;
}

void pprofc_filter_options_init(pprofc_filter_options *options) {
  *options = (pprofc_filter_options){.struct_size = sizeof *options, .unit = "minimum"};
  for (size_t i = 0; i < FILTER_COUNT; i++)
    *(const char **)(void *)((char *)options + filter_options[i].filter) = "";
}

pprofc_filter_options filters_of_report(const pprofc_report_options *o) {
  pprofc_filter_options filter = {.struct_size = sizeof filter,
                                  .unit = o->unit,
                                  .warn = o->warn,
                                  .warn_context = o->warn_context};
  for (unsigned i = 0; i < FILTER_COUNT; i++)
    *(const char **)(void *)((char *)&filter + filter_options[i].filter) =
        filter_text(o, (enum filter_index)i);
  return filter;
}

pprofc_report_options filters_to_report(const pprofc_filter_options *o) {
  pprofc_report_options report;
  pprofc_report_options_init(&report);
  report.unit = o->unit;
  report.warn = o->warn;
  report.warn_context = o->warn_context;
  for (size_t i = 0; i < FILTER_COUNT; i++)
    *(const char **)(void *)((char *)&report + filter_options[i].report) =
        *(const char *const *)(const void *)((const char *)o + filter_options[i].filter);
  return report;
}
