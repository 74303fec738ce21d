/* Chooses the profiles of a speedscope file and computes the weights of stacks. */
#include "report/stacks/speedscope_profiles.h"

#include "core/budget.h"
#include "core/buffer.h"
#include "core/map.h"
#include "unit/unit.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* ---- parts ------------------------------------------ */

struct splitter {
  const pprofc_profile *profile;
  pprofc_str key;
  const pprofc_allocator *mem;
  struct label_split *split;
  struct interner values;
  /* for each sample, the id of its label value; after rename_parts, the index of its part in
   * split->parts */
  uint32_t *part_of;
  struct buffer text;
};

/* ---- values ------------------------------------------ */

static bool label_split_is_wanted(const struct splitter *s, const struct label *label) {
  return str_equal(profile_string(s->profile, label->key), s->key);
}

/* Appends the values that a sample has for the label: only the strings, or only the numbers if
 * `numbers` is true. */
static void label_split_add_values(struct splitter *s, size_t sample, bool numbers) {
  const struct label *labels = sample_labels(&s->profile->samples, sample);
  for (size_t i = 0, count = label_count(&s->profile->samples, sample); i < count; i++) {
    const struct label *label = &labels[i];
    if ((label->is_number != 0) != numbers || !label_split_is_wanted(s, label)) continue;
    if (s->text.size) buffer_add_char(&s->text, ',');
    pprofc_str unit = profile_string(s->profile, label->unit);
    char out[UNIT_LABEL_MAX];
    if (!numbers)
      buffer_add_str(&s->text, profile_string(s->profile, label->string));
    else if (unit.size)
      buffer_add_str(&s->text, unit_label(label->number, unit, STR("auto"), out));
    else
      buffer_printf(&s->text, "%" PRId64, label->number);
  }
}

/* Sets part_of for each sample to the id of its label value. */
static bool read_values(struct splitter *s) {
  for (size_t i = 0; i < s->profile->samples.count; i++) {
    if (budget_poll(s->text.mem, i)) return false;
    buffer_clear(&s->text);
    label_split_add_values(s, i, false);
    label_split_add_values(s, i, true);
    pprofc_str value = s->text.size ? buffer_str(&s->text) : STR("(none)");
    s->part_of[i] = interner_copy(&s->values, &s->split->arena, value);
    if (s->text.failed || s->part_of[i] == MAP_NONE) return false;
  }
  return true;
}

/* ---- parts ------------------------------------------- */

static int heaviest_first(const void *left, const void *right) {
  const struct label_part *a = left, *b = right;
  if (a->weight != b->weight) return a->weight > b->weight ? -1 : 1;
  return str_compare(a->value, b->value);
}

/* Adds up the weight of each part (the samples with one label value). Until place_samples
 * runs, the field `from` of a part has the id of its label value. */
static bool weigh_parts(struct splitter *s, size_t value_index) {
  struct label_split *split = s->split;
  split->count = s->values.count;
  split->parts = arena_zero_array(&split->arena, split->count, sizeof *split->parts);
  if (!split->parts) return false;
  for (size_t i = 0; i < split->count; i++) {
    split->parts[i].value = s->values.items[i];
    split->parts[i].from = i;
  }
  struct value_column values = profile_values(s->profile, value_index);
  for (size_t i = 0; i < s->profile->samples.count; i++) {
    int64_t v = values.values[i * values.step];
    split->parts[s->part_of[i]].weight += v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
  }
  if (split->count > 1) qsort(split->parts, split->count, sizeof *split->parts, heaviest_first);
  return true;
}

/* Replaces the ids of label values in part_of by indices in split->parts. If there are more than
 * `most` values, the values with the smallest weights share a part (a group of samples). */
static bool rename_parts(struct splitter *s, size_t most) {
  struct label_split *split = s->split;
  uint32_t *part = mem_array(s->mem, split->count, sizeof *part);
  if (!part) return false;
  for (size_t i = 0; i < split->count; i++)
    part[split->parts[i].from] = (uint32_t)(i < most ? i : most - 1);
  for (size_t i = 0; i < s->profile->samples.count; i++) s->part_of[i] = part[s->part_of[i]];
  mem_free(s->mem, part, split->count, sizeof *part);
  if (split->count > most) {
    split->count = most;
    split->parts[most - 1].value = STR("(other)");
  }
  return true;
}

static bool place_samples(struct splitter *s) {
  struct label_split *split = s->split;
  size_t count = s->profile->samples.count, next = 0;
  split->samples = arena_array(&split->arena, count, sizeof *split->samples);
  if (!split->samples) return false;
  for (size_t i = 0; i < count; i++) split->parts[s->part_of[i]].count++;
  for (size_t i = 0; i < split->count; i++) {
    split->parts[i].from = next;
    next += split->parts[i].count;
    split->parts[i].count = 0;
  }
  for (size_t i = 0; i < count; i++) {
    struct label_part *part = &split->parts[s->part_of[i]];
    split->samples[part->from + part->count++] = (uint32_t)i;
  }
  return true;
}

pprofc_status label_split_build(const pprofc_profile *profile, pprofc_str key, size_t value_index,
                                size_t most, const pprofc_allocator *mem, struct label_split *split,
                                pprofc_error *error) {
  size_t count = profile->samples.count;
  *split = (struct label_split){0};
  arena_init(&split->arena, mem);
  struct splitter s = {.profile = profile, .key = key, .mem = mem, .split = split};
  interner_init(&s.values, mem);
  buffer_init(&s.text, mem, SIZE_MAX);
  s.part_of = mem_array(mem, count, sizeof *s.part_of);
  bool ok = s.part_of && count < MAP_NONE && read_values(&s) && weigh_parts(&s, value_index) &&
            rename_parts(&s, most) && place_samples(&s);
  mem_free(mem, s.part_of, count, sizeof *s.part_of);
  buffer_free(&s.text);
  interner_free(&s.values);
  if (ok) return PPROFC_OK;
  arena_free(&split->arena);
  return error_nomem(error);
}

void label_split_free(struct label_split *split) {
  arena_free(&split->arena);
}

/* ---- units ------------------------------------------- */

/* A unit of speedscope, and the factor that converts the profile's unit to it. */
struct speedscope_unit {
  const char *name;
  int64_t factor;
};

/* Units that speedscope knows but pprof does not. */
static const struct spelled_unit {
  const char *spelling;
  struct speedscope_unit unit;
} more_units[] = {
    {"\xC2\xB5s", {"microseconds", 1}}, {"\xCE\xBCs", {"microseconds", 1}},
    {"minutes", {"seconds", 60}},       {"minute", {"seconds", 60}},
    {"min", {"seconds", 60}},
};

static struct speedscope_unit speedscope_find_unit(pprofc_str unit) {
  static const struct {
    double factor;
    struct speedscope_unit unit;
  } times[] = {{1, {"nanoseconds", 1}},
               {1e3, {"microseconds", 1}},
               {1e6, {"milliseconds", 1}},
               {1e9, {"seconds", 1}},
               {3600e9, {"seconds", 3600}}};
  double factor = unit_factor(unit);
  if (unit_is_time(unit))
    for (size_t i = 0; i < COUNT(times); i++)
      if (times[i].factor == factor) return times[i].unit;
  if (factor != 0 && unit_compatible(unit, STR("B")))
    return (struct speedscope_unit){"bytes", (int64_t)factor};
  const struct spelled_unit *more = STR_ROW(unit, more_units);
  return more ? more->unit : (struct speedscope_unit){"none", 1};
}

/* ---- weights ----------------------------------------- */

/* Returns the value of a stack for a profile of the speedscope file. The value is at least 0, and
 * in the unit of the pprof profile. */
static int64_t part_value(const struct speedscope_profile *profile, const struct stack_set *set,
                          size_t stack) {
  int64_t head = stack_head(set, stack, profile->type);
  int64_t base = stack_base(set, stack, profile->type);
  int64_t value = profile->part == PART_BASE ? base : head;
  if (profile->part == PART_SLOWER && __builtin_sub_overflow(head, base, &value))
    value = head > base ? INT64_MAX : 0;
  if (profile->part == PART_FASTER && __builtin_sub_overflow(base, head, &value))
    value = base > head ? INT64_MAX : 0;
  return value > 0 ? value : 0;
}

int64_t speedscope_weight(const struct speedscope_profile *profile, const struct stack_set *set,
                          size_t stack) {
  int64_t value = part_value(profile, set, stack);
  if (profile->ratio > 0 && profile->ratio != 1) {
    double divided = (double)value * profile->ratio;
    value = divided < (double)INT64_MAX ? (int64_t)divided : INT64_MAX;
  }
  return __builtin_mul_overflow(value, profile->factor, &value) ? INT64_MAX : value;
}

static void speedscope_add_up(struct speedscope_profile *profile, const struct stack_set *set) {
  profile->total = 0;
  for (size_t i = 0; i < set->count; i++) {
    uint64_t weight = (uint64_t)speedscope_weight(profile, set, i);
    if (__builtin_add_overflow(profile->total, weight, &profile->total))
      profile->total = UINT64_MAX;
  }
}

/* ---- profiles ---------------------------------------- */

const char *speedscope_part_suffix(enum speedscope_part part) {
  static const char *const suffixes[] = {"", " (base)", " (head)", " (slower)", " (faster)"};
  return suffixes[part];
}

static struct speedscope_profile make_profile(const struct report *report,
                                              const struct stack_set *set, size_t type,
                                              enum speedscope_part part) {
  const pprofc_profile *p = report->result.profile;
  struct speedscope_unit unit = speedscope_find_unit(profile_unit(p, type));
  struct speedscope_profile profile = {.type = type,
                                       .part = part,
                                       .unit = unit.name,
                                       .factor = unit.factor,
                                       .ratio = report->result.ratio};
  speedscope_add_up(&profile, set);
  double least = ceil((double)profile.total * report->options->min_weight);
  if (least > 0) profile.least = least < (double)INT64_MAX ? (int64_t)least : INT64_MAX;
  return profile;
}

static bool has_negative(const struct stack_set *set, size_t type) {
  for (size_t i = 0; i < set->count; i++)
    if (stack_head(set, i, type) < 0) return true;
  return false;
}

/* Fills in the profiles of the speedscope file for a sample type. A difference has up to four (enum
 * speedscope_part), any other input has one. Returns the number of profiles. */
static size_t choose_parts(const struct report *report, const struct stack_set *set, size_t type,
                           struct speedscope_profile *profiles) {
  static const enum speedscope_part split[] = {PART_SLOWER, PART_FASTER},
                                    compared[] = {PART_BASE, PART_HEAD, PART_SLOWER, PART_FASTER};
  const enum speedscope_part *parts = set->has_base ? compared : split;
  size_t wanted = 0, count = 0;
  if (set->has_base)
    wanted = COUNT(compared);
  else if (has_negative(set, type))
    wanted = COUNT(split);
  for (size_t i = 0; i < wanted; i++) {
    profiles[count] = make_profile(report, set, type, parts[i]);
    if (profiles[count].total) count++;
  }
  if (!count) profiles[count++] = make_profile(report, set, type, PART_ALL);
  return count;
}

size_t speedscope_choose(const struct report *report, const struct stack_set *set,
                         struct speedscope_profile *profiles) {
  size_t count = 0;
  for (size_t type = 0; type < set->types; type++)
    count += choose_parts(report, set, type, profiles + count);
  return count;
}

size_t speedscope_active(const struct report *report, const struct speedscope_profile *profiles,
                         size_t count) {
  size_t active = 0;
  bool found = false;
  for (size_t i = 0; i < count; i++) {
    if (profiles[i].type != report->result.value_index) continue;
    if (!found || profiles[i].part == PART_SLOWER) active = i;
    found = true;
  }
  return active;
}
