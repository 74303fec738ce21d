/* Chooses the profiles of a speedscope file and computes the weights of stacks. */
#include "report/stacks/speedscope_profiles.h"

#include "unit/unit.h"

#include <math.h>

/* ---- units ------------------------------------------- */

/* A unit of speedscope, and the factor that converts the profile's unit to it. */
struct speedscope_unit {
  const char *name;
  int64_t factor;
};

/* Units that speedscope knows but pprof does not. */
static const struct {
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
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
      if (times[i].factor == factor) return times[i].unit;
  if (factor != 0 && unit_compatible(unit, STR("B")))
    return (struct speedscope_unit){"bytes", (int64_t)factor};
  for (size_t i = 0; i < sizeof more_units / sizeof *more_units; i++)
    if (str_equal(unit, str_of(more_units[i].spelling))) return more_units[i].unit;
  return (struct speedscope_unit){"none", 1};
}

/* ---- weights ----------------------------------------- */

/* Returns the value of a stack in a profile, in the unit of the profile. It is at least 0. */
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
  struct speedscope_unit unit = speedscope_find_unit(profile_string(p, p->types[type].unit));
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

/* Chooses the profiles of a sample type. */
static size_t choose_parts(const struct report *report, const struct stack_set *set, size_t type,
                           struct speedscope_profile *profiles) {
  static const enum speedscope_part split[] = {PART_SLOWER, PART_FASTER},
                                    compared[] = {PART_BASE, PART_HEAD, PART_SLOWER, PART_FASTER};
  const enum speedscope_part *parts = set->has_base ? compared : split;
  size_t wanted = 0, count = 0;
  if (set->has_base)
    wanted = sizeof compared / sizeof *compared;
  else if (has_negative(set, type))
    wanted = sizeof split / sizeof *split;
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
