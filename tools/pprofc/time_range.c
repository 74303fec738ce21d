/* Parses ranges of time, and limits profiles to them. */
#include "time_range.h"

#include "core/array.h"
#include "core/chars.h"
#include "core/scaled.h"
#include "import/formats.h"
#include "report/report.h"
#include "transform/transform.h"
#include "unit/unit.h"

#include <stdio.h>
#include <string.h>

/* ---- the flags --------------------------------------- */

/* Units of durations as in Go: `factor` times 10^exponent nanoseconds. */
static const struct {
  const char *name;
  int exponent;
  int64_t factor;
} time_units[] = {{"ns", 0, 1}, {"us", 3, 1}, {"µs", 3, 1}, {"μs", 3, 1},
                  {"ms", 6, 1}, {"s", 9, 1},  {"m", 9, 60}, {"h", 9, 3600}};

static bool time_is_number(char c) {
  return char_is_digit(c) || c == '.';
}

/* Takes one number with its unit from the text and adds it to *sum. */
static bool time_take(pprofc_str *text, int64_t *sum) {
  size_t number = 0, end;
  while (number < text->size && time_is_number(text->data[number])) number++;
  for (end = number; end < text->size && !time_is_number(text->data[end]);) end++;
  pprofc_str unit = str_slice(*text, number, end), digits = str_slice(*text, 0, number);
  int64_t value;
  *text = str_slice(*text, end, text->size);
  for (size_t i = 0; i < sizeof time_units / sizeof *time_units; i++)
    if (str_equal(unit, str_of(time_units[i].name)))
      return scaled_parse(digits, time_units[i].exponent, &value) &&
             !__builtin_mul_overflow(value, time_units[i].factor, &value) &&
             !__builtin_add_overflow(*sum, value, sum);
  return false;
}

/* Parses a duration like "2.1s", "1m30s" or "0". */
static bool time_parse(pprofc_str text, int64_t *time) {
  *time = 0;
  if (str_equal(text, STR("0"))) return true;
  if (!text.size) return false;
  while (text.size)
    if (!time_take(&text, time)) return false;
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
  if (!base) return NULL;
  if (*command->base || *command->diff_base)
    return "-diff_time_range cannot be combined with -base or -diff_base: it is a base";
  return *command->noise.show ? "-diff_time_range cannot be combined with -noise" : NULL;
}

/* ---- reading ----------------------------------------- */

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

pprofc_status time_range_select(const struct command *command, bool is_base, const char *shown,
                                pprofc_profile **profile, pprofc_error *error) {
  bool own = is_base && time_range_is_set(&command->diff_time_range);
  struct time_range range = own ? command->diff_time_range : command->time_range;
  pprofc_profile *selected;
  if (!time_range_is_set(&range)) return PPROFC_OK;
  pprofc_status status =
      time_range_check(*profile, own ? "diff_time_range" : "time_range", range, error);
  if (status == PPROFC_OK) status = transform_time_range(*profile, range, &selected, error);
  if (status != PPROFC_OK) {
    error_prefix(error, "cannot use '%s': ", shown);
    return status;
  }
  pprofc_profile_release(*profile);
  *profile = selected;
  return PPROFC_OK;
}
