/* Which samples of a source may be added up while it is read. */
#include "folding.h"

#include <sys/stat.h>

#include "report/report.h"

static bool folding_any_is_set(const char *const *options, size_t count) {
  bool any = false;
  for (size_t i = 0; i < count; i++) any = any || (options[i] && *options[i]);
  return any;
}

/* Whether the command selects by labels. */
static bool folding_needs_labels(const pprofc_report_options *o) {
  const char *const options[] = {o->tagroot, o->tagleaf, o->tagfocus,      o->tagignore,
                                 o->tagshow, o->taghide, o->group_by_label};
  return folding_any_is_set(options, sizeof options / sizeof *options);
}

/* Whether it selects by frames. */
static bool folding_changes_stacks(const pprofc_report_options *o) {
  const char *const options[] = {o->focus, o->ignore, o->prune_from,
                                 o->hide,  o->show,   o->show_from};
  return folding_any_is_set(options, sizeof options / sizeof *options);
}

/* Whether a sample may be a sum of others: not where each is rounded, and not where the samples of
 * several profiles are added up anyway. */
static bool folding_may_be(const struct command *command, const struct report_format *format) {
  const pprofc_report_options *o = &command->report;
  if (!format || !(format->flags & REPORT_SUMS) || command->reader == READER_WHOLE) return false;
  if (o->normalize || o->mean) return false;
  return !command->frames && command->source_count == 1 && command->bases.count <= 1;
}

/* Whether samples of two profiles meet before the report. */
static bool folding_meets(const struct command *command, const struct report_format *format) {
  return *command->base || (command->bases.count && !format->info.adds_up);
}

/* Whether all sources can be read a second time, as a difference asks for that cannot be made of
 * sums: standard input and pipes have nothing more to say, and a server would measure anew. */
static bool folding_may_read_again(const struct command *command) {
  struct stat file;
  bool may = true;
  for (size_t i = 0; i < command->source_count; i++)
    may = may && stat(command->sources[i], &file) == 0 && S_ISREG(file.st_mode);
  for (size_t i = 0; i < command->bases.count; i++)
    may = may && stat(command->bases.items[i], &file) == 0 && S_ISREG(file.st_mode);
  return may;
}

pprofc_folding folding_of(const struct command *command) {
  const struct report_format *format =
      command->format ? report_format_find(command->format->name) : NULL;
  if (*command->sums || !folding_may_be(command, format)) return PPROFC_FOLD_NOTHING;
  if (command->bases.count && !folding_may_read_again(command)) return PPROFC_FOLD_NOTHING;
  if (folding_meets(command, format) || (format->flags & REPORT_LABELS) ||
      folding_needs_labels(&command->report))
    return PPROFC_FOLD_EQUAL;
  if (!(format->flags & REPORT_PASSES)) return PPROFC_FOLD_STACKS;
  return folding_changes_stacks(&command->report) ? PPROFC_FOLD_ORDER : PPROFC_FOLD_SUMS;
}
