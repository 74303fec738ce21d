/* Parses ranges of time, and limits profiles to them. */
#include "options.h"

#include "import/import.h"
#include "pipeline/pipeline.h"
#include "report/report.h"
#include "transform/transform.h"
#include "unit/unit.h"

/* Parses a duration like "2.1s", "1m30s" or "0". */
static bool time_parse(pprofc_str text, int64_t *time) {
  double nanoseconds = 0;
  if (!str_equal(text, STR("0")) && !text_is_duration(text, &nanoseconds)) return false;
  if (!(nanoseconds < 0x1p63)) return false;
  *time = llround(nanoseconds);
  return true;
}

const char *time_range_store(void *options, const struct flag *flag, const char *text) {
  struct time_range *range = (void *)((char *)options + flag->offset);
  pprofc_str all = str_of(text);
  size_t comma = str_find_char(all, ',');
  pprofc_str from = str_slice(all, 0, comma), to = str_slice(all, comma + 1, all.size);
  *range = TIME_RANGE_ALL;
  if (comma == all.size || all.size == 1)
    return "must be FROM,TO, such as 2.1s,3.4s; one of the two may be missing";
  if ((from.size && !time_parse(from, &range->from)) || (to.size && !time_parse(to, &range->to)))
    return "must be two durations, such as 2.1s,3.4s or 0s,500ms";
  return range->from < range->to ? NULL : "the end is not after the start";
}

static bool time_range_is_set(const struct time_range *range) {
  return range->to != 0;
}

bool time_range_add_bases(struct command *command) {
  struct source_list *bases = &command->bases;
  size_t count = command->source_count;
  if (!time_range_is_set(&command->diff_time_range) || !count) return true;
  if (!ARRAY_RESERVE(&mem_default, bases->items, bases->capacity, count)) return false;
  for (size_t i = 0; i < count; i++) bases->items[i] = command->sources[i];
  bases->count = count;
  command->diff_base = command->sources[0];
  return true;
}

const char *time_range_conflict(const struct command *command) {
  bool base = time_range_is_set(&command->diff_time_range);
  if (!base && !time_range_is_set(&command->time_range)) return NULL;
  if (command->frames) return "-frames cannot be combined with -time_range";
  if (*command->collect)
    return "-collect cannot be combined with -time_range: pass it when reading the files";
  if (base && (*command->base || *command->diff_base))
    return "-diff_time_range cannot be combined with -base or -diff_base: it is a base";
  return NULL;
}

/* True if the report or the page shows times. */
static bool time_range_is_shown(const struct command *command) {
  const struct report_format *format =
      command->format ? report_format_find(command->format->name) : NULL;
  return command->http_on || (format && format->flags & REPORT_TIMES);
}

const struct open_sums *time_range_needs(const struct command *command,
                                         const struct open_sums *needs, struct open_sums *times) {
  bool wanted = time_range_is_set(&command->time_range) ||
                time_range_is_set(&command->diff_time_range) || time_range_is_shown(command);
  if (!wanted) return needs;
  *times = needs ? *needs : (struct open_sums){.each = true};
  times->times = true;
  return times;
}

/* Writes the names of the formats that have times, separated by commas. */
static void time_list_formats(char *text, size_t size) {
  size_t used = 0;
  for (const struct format_row *row = import_format_table; row->name && used < size; row++) {
    pprofc_str kept = str_of(row->kept), name = str_of(row->name);
    if (str_find(kept, STR("times of samples")) == kept.size) continue;
    if (name.data[0] == '`') name = str_slice(name, 1, name.size - 1);
    name = str_slice(name, 0, str_find(name, STR(" (")));
    used += (size_t)snprintf(text + used, size - used, "%s%.*s", used ? ", " : "", STR_ARG(name));
  }
}

static pprofc_status time_range_check(const pprofc_profile *profile, const char *flag,
                                      struct time_range range, pprofc_error *error) {
  char from[64], end[64], formats[300] = "";
  if (!profile->times) {
    time_list_formats(formats, sizeof formats);
    return error_set(error, PPROFC_E_INVALID,
                     "-%s: the samples have no times; formats with times: %s", flag, formats);
  }
  if (range.from <= profile->times->end) return PPROFC_OK;
  pprofc_str start = unit_go_duration(range.from, from);
  pprofc_str all = unit_go_duration(profile->times->end, end);
  return error_set(error, PPROFC_E_INVALID,
                   "-%s starts at %.*s, after the end of the recording, which is %.*s long", flag,
                   STR_ARG(start), STR_ARG(all));
}

/* Warns if more than 1 % of the values in the range are estimated. */
static pprofc_status time_range_warn(const struct command *command, const char *flag,
                                     struct time_range range, const pprofc_profile *profile,
                                     const pprofc_read_options *options, pprofc_error *error) {
  pprofc_error ignored; /* Ignore this error, because the report fails with the same error. */
  double share;
  size_t type;
  char text[200];
  if (!options || value_select(profile, str_of(command->report.sample_index), &type, &ignored))
    return PPROFC_OK;
  pprofc_status status = transform_time_estimated(profile, range, type, &share, error);
  if (status != PPROFC_OK || share <= 0.01) return status;
  pprofc_str name = profile_type(profile, type);
  snprintf(text, sizeof text,
           "-%s: %.0f%% of the values of '%.*s' are estimates: stacks partly in the range are "
           "divided by their times",
           flag, 100 * share, (int)(name.size < 60 ? name.size : 60), name.data);
  options->warn(options->warn_context, text);
  return PPROFC_OK;
}

pprofc_status time_range_select(const struct command *command, bool is_base, const char *shown,
                                const pprofc_read_options *options, pprofc_profile **profile,
                                pprofc_error *error) {
  bool own = is_base && time_range_is_set(&command->diff_time_range);
  struct time_range range = own ? command->diff_time_range : command->time_range;
  pprofc_profile *selected;
  if (!time_range_is_set(&range)) return PPROFC_OK;
  const char *flag = own ? "diff_time_range" : "time_range";
  pprofc_status status = time_range_check(*profile, flag, range, error);
  if (status == PPROFC_OK) status = time_range_warn(command, flag, range, *profile, options, error);
  if (status == PPROFC_OK) status = transform_time_range(*profile, range, &selected, error);
  if (status != PPROFC_OK) {
    error_prefix(error, "cannot use '%s': ", shown);
    return status;
  }
  profile_replace(profile, selected);
  return PPROFC_OK;
}
