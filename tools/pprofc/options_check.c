/* Checks combinations of flags. */
#include "fetch/fetcher.h"
#include "noise/noise.h"

bool noise_has_format(const struct command *command) {
  return command->format && STR_ANY(str_equal, str_of(command->format->name), "top", "text", "json",
                                    "flame", "flamegraph");
}

const char *noise_conflict(const struct command *command) {
  const pprofc_report_options *o = &command->report;
  bool functions = !o->granularity || !*o->granularity || strcmp(o->granularity, "functions") == 0;
  if (!noise_has_format(command)) return "-noise is for -top, -text, -json, -flame and -flamegraph";
  if (!*command->diff_base && !command->diff_time_range.to)
    return "-noise needs -diff_base: the runs to compare with";
  if (!functions) return "-noise judges functions: it cannot be combined with another granularity";
  if (o->mean) return "-noise cannot be combined with -mean";
  if (o->divide_by == 0) return "zero divisor specified";
  if (command->noise.how.stacks && strcmp(command->format->name, "json") != 0)
    return "-noise_stacks is for -json";
  if (!o->normalize) return NULL;
  return "-noise cannot be combined with -normalize; -normalize_by=total compares shares";
}

/* Returns an error if two flags both set the number of operations of a run, else NULL. */
static const char *bench_conflict(const struct noise_options *n) {
  bool base = *n->bench_base, head = *n->bench_head;
  bool other = n->normalize_by != PPROFC_EXPOSURE_AUTO && n->normalize_by != PPROFC_EXPOSURE_OPS;
  if (base != head) return "-bench_base and -bench_head go together";
  if (*n->bench && !base) return "-bench needs -bench_base and -bench_head";
  if (base && *n->ops)
    return "-ops cannot be combined with -bench_base: both set the number of operations";
  if (base && other) return "-bench_base needs -normalize_by=ops, or auto";
  return NULL;
}

/* Returns an error if a flag for verdicts is given without -noise, else NULL. */
static const char *verdicts_missing(const struct noise_options *n) {
  if (*n->bench_base || *n->bench_head || *n->bench)
    return "-bench_base, -bench_head and -bench need -noise or -blame";
  if (n->fail_on.count || n->strict) return "-fail_on and -strict need -noise";
  return n->how.fcr || n->how.stacks ? "-fcr and -noise_stacks need -noise" : NULL;
}

/* Returns an error if an option does not work with -http and -noise together, else NULL. */
static const char *page_conflict(const struct command *command) {
  const struct noise_options *n = &command->noise;
  bool divided = n->normalize_by != PPROFC_EXPOSURE_AUTO && n->normalize_by != PPROFC_EXPOSURE_NONE;
  if (!*command->diff_base && !command->diff_time_range.to)
    return "-noise needs -diff_base: the runs to compare with";
  if (command->report.normalize) return "-noise cannot be combined with -normalize";
  if (n->fail_on.count || n->strict || n->how.stacks)
    return "-fail_on, -strict and -noise_stacks need a report, as -top";
  if (divided || *n->ops || *n->bench_base)
    return "-http shows recorded amounts: -normalize_by, -ops and -bench_base are for reports";
  return NULL;
}

/* Returns an error if a flag for a single report is given with the interactive shell, else NULL. */
static const char *shell_conflict(const struct command *command) {
  const struct noise_options *n = &command->noise;
  if (command->http_on) return page_conflict(command);
  if (n->fail_on.count || n->strict || n->how.stacks)
    return "-fail_on, -strict and -noise_stacks need a report, as -top";
  return NULL;
}

static const char *verdicts_conflict(const struct command *command) {
  const struct noise_options *n = &command->noise;
  const char *conflict = NULL;
  if (!*n->show)
    conflict = verdicts_missing(n);
  else
    conflict = command->format ? noise_conflict(command) : shell_conflict(command);
  return conflict ? conflict : bench_conflict(n);
}

bool command_fetches(const struct command *command) {
  bool remote = false;
  for (size_t i = 0; i < command->source_count; i++)
    remote |= fetcher_is_remote(command->sources[i]);
  for (size_t i = 0; i < command->bases.count; i++)
    remote |= fetcher_is_remote(command->bases.items[i]);
  return remote;
}

static const char *http_conflict(const struct command *command) {
  bool remote = !command->every_ms;
  for (size_t i = 0; i < command->source_count; i++)
    remote |= fetcher_is_remote(command->sources[i]);
  if (command->http_on && command->format)
    return "-http is not compatible with an output format on the command line";
  if (command->http_on) return remote ? NULL : "-every needs the URL of a profile to fetch";
  if (command->no_browser) return "-no_browser only makes sense with -http";
  if (command->http_reload != HTTP_RELOAD_ASK) return "-http_reload only makes sense with -http";
  return command->every_ms ? "-every only makes sense with -http" : NULL;
}

static const char *sums_conflict(const struct command *command) {
  if (*command->sums && *command->noise.show)
    return "-sums cannot be combined with -noise: it writes the input of -noise";
  if (*command->sums && !command->format) return "-sums needs a report, such as -proto or -top";
  return NULL;
}

/* Returns an error if -frames is combined with another source, with a base, or with an action that
 * cannot use a stream. A stream can be read only once. Otherwise returns NULL. */
static const char *frames_conflict(const struct command *command) {
  size_t count = command->source_count;
  bool other = count > 1 || (count == 1 && strcmp(command->sources[0], "-") != 0);
  if (!command->frames) return NULL;
  if (other || command->bases.count)
    return "-frames reads standard input: it cannot be combined with other sources or a base";
  if (command->http_on || !command->format) return "-frames needs a report, such as -proto or -top";
  return *command->noise.show ? "-frames cannot be combined with -noise; use -sums" : NULL;
}

static size_t command_readers(const struct command *command) {
  size_t readers = 0;
  for (size_t i = 0; i < command->bases.count; i++)
    readers += strcmp(command->bases.items[i], "-") == 0;
  /* -diff_time_range reads each source twice, but standard input can be read only once. */
  size_t times = command->diff_time_range.to ? 2 : 1;
  for (size_t i = 0; i < command->source_count; i++)
    readers += strcmp(command->sources[i], "-") == 0 ? times : 0;
  return readers;
}

static const char *sources_conflict(const struct command *command) {
  bool base = *command->base, diff_base = *command->diff_base;
  if (base && diff_base) return "-base and -diff_base flags cannot both be specified";
  if (command->report.normalize && !base && !diff_base)
    return "must have base profile to normalize by";
  return command_readers(command) > 1 ? "standard input can be a source only once" : NULL;
}

pprofc_status command_check(const struct command *command, pprofc_error *error) {
  const char *conflict = sources_conflict(command);
  if (!conflict && (command->threads < 0 || command->threads > 1024))
    conflict = "-threads must be between 0 and 1024";
  if (!conflict) conflict = sums_conflict(command);
  if (!conflict) conflict = frames_conflict(command);
  if (!conflict) conflict = time_range_conflict(command);
  if (!conflict) conflict = http_conflict(command);
  if (!conflict) conflict = verdicts_conflict(command);
  return conflict ? error_set(error, PPROFC_E_INVALID, "%s", conflict) : PPROFC_OK;
}
