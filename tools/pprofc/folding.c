/* Decides if the reader may add up samples while it reads a source. This saves memory. */
#include "steps.h"

#include "noise/noise.h"
#include "report/report.h"

/* True if the reader may add up samples. Returns false if the report rounds each sample, or if the
 * report itself adds up samples of several profiles. */
static bool folding_may_be(const struct command *command, const struct report_format *format) {
  const pprofc_report_options *o = &command->report;
  if (!format || !(format->flags & REPORT_SUMS)) return false;
  if (*command->sums || *command->benchmark) return false;
  if (o->normalize || o->mean || (o->source_diff && *o->source_diff)) return false;
  return !command->frames && command->source_count == 1 && command->bases.count <= 1;
}

/* True if the program combines samples of two profiles before the report. */
static bool folding_meets(const struct command *command, const struct report_format *format) {
  return *command->base || (command->bases.count && !format->info.adds_up);
}

/* True if the program can read all sources twice, which a difference may need. Standard input and
 * pipes can be read only once, and a server would record a new profile. */
static bool folding_may_read_again(const struct command *command) {
  bool may = true;
  for (size_t i = 0; i < command->source_count; i++)
    may = may && file_is_regular(command->sources[i]);
  for (size_t i = 0; i < command->bases.count; i++)
    may = may && file_is_regular(command->bases.items[i]);
  return may;
}

static bool folding_groups(const pprofc_report_options *o) {
  return o->group_by_label && *o->group_by_label;
}

/* True if the report and its filters can read a stack tree, which merges equal stacks. -call_tree
 * needs the order of samples, which a stack tree does not keep. */
static bool folding_may_use_tree(const pprofc_report_options *o,
                                 const struct report_format *format) {
  return (format->flags & REPORT_PASSES) && !o->call_tree && !folding_groups(o) &&
         !filters_any(o, FILTER_CUTS);
}

/* True if the reader may drop samples whose displayed value is 0. It may not if the message about
 * an expression that matches nothing depends on them. */
static bool folding_may_drop(const struct command *command, const struct report_format *format,
                             bool compared) {
  const pprofc_report_options *o = &command->report;
  if (filters_any(o, FILTER_LABELS) || folding_groups(o)) return false;
  if (*command->base && format->info.argument) return false;
  return !compared || !filters_any(o, FILTER_ANY);
}

/* Sets *sums to the data that the report needs. Returns false if the reader must not add up
 * samples. */
static bool folding_needs(const struct command *command, const struct report_format *format,
                          struct open_sums *sums) {
  const pprofc_report_options *o = &command->report;
  bool apart = !folding_meets(command, format);
  bool tags = filters_any(o, FILTER_LABELS) || folding_groups(o);
  bool filters = filters_any(o, FILTER_ANY);
  sums->compared = command->bases.count || *command->base;
  sums->no_stacks = format->flags & REPORT_NO_STACKS;
  sums->tree = folding_may_use_tree(o, format);
  /* Equal samples are joined only by -base, and if the profiles have no stack trees. */
  bool joins = *command->base || !(apart || sums->tree);
  sums->labels = joins || tags || (format->flags & REPORT_LABELS);
  if (!folding_may_drop(command, format, sums->compared)) sums->sample_index = NULL;
  return !sums->no_stacks || (apart && !tags && !filters);
}

bool folding_of(const struct command *command, struct open_sums *sums) {
  const struct report_format *format =
      command->format ? report_format_find(command->format->name) : NULL;
  *sums = (struct open_sums){.sample_index = command->report.sample_index};
  if (!folding_may_be(command, format)) return false;
  if (format->flags & REPORT_ALL_TYPES) sums->sample_index = NULL;
  if (command->bases.count && !folding_may_read_again(command)) return false;
  return folding_needs(command, format, sums);
}

bool folding_of_runs(const struct command *command, struct open_sums *sums) {
  const pprofc_report_options *o = &command->report;
  *sums = (struct open_sums){.tree = true,
                             .in_order = true,
                             .labels = filters_any(o, FILTER_LABELS),
                             .sample_index = filters_any(o, FILTER_ANY) ? NULL : o->sample_index};
  return !*command->benchmark && !filters_any(o, FILTER_CUTS) && !noise_is_picture(command);
}
