/* Finds how a profile was sampled (enum sampling_kind), from its sample types and its period. */
#include "unit/unit.h"
#include "verdict/walk.h"

/* Returns the family of a type, which is its first part: "alloc" for "alloc_space". */
static pprofc_str quantum_family(pprofc_str type) {
  return str_slice(type, 0, str_find_char(type, '_'));
}

/* Returns the column whose type has the given family and suffix ("alloc" and "_objects" for
 * "alloc_objects"), or SIZE_MAX. */
static size_t quantum_sibling(const pprofc_profile *p, pprofc_str family, pprofc_str suffix) {
  for (size_t i = 0; i < p->type_count; i++) {
    pprofc_str type = profile_type(p, i);
    if (str_equal(quantum_family(type), family) && type.size == family.size + suffix.size &&
        str_ends(type, suffix))
      return i;
  }
  return SIZE_MAX;
}

static bool quantum_is_heap(const pprofc_profile *p, size_t value) {
  pprofc_str family = quantum_family(profile_type(p, value));
  return str_equal(profile_string(p, p->period_type.type), STR("space")) &&
         (str_equal(family, STR("alloc")) || str_equal(family, STR("inuse")));
}

static bool quantum_is_own_period(const pprofc_profile *p, size_t value) {
  return str_equal(profile_string(p, p->period_type.type), profile_type(p, value)) &&
         str_equal(profile_string(p, p->period_type.unit), profile_unit(p, value));
}

static bool quantum_is_period(const pprofc_profile *p, size_t value) {
  return p->period > 0 && quantum_is_own_period(p, value);
}

static bool quantum_is_moment(const pprofc_profile *p, size_t value) {
  return quantum_is_period(p, value) && p->period == 1 &&
         str_equal(profile_unit(p, value), STR("count")) &&
         !str_equal(profile_type(p, value), STR("samples"));
}

static bool quantum_has_samples(const pprofc_profile *p, size_t value) {
  (void)value;
  return str_equal(profile_type(p, 0), STR("samples")) &&
         str_equal(profile_unit(p, 0), STR("count"));
}

/* True if a column holds numbers of events. False for measured times of a profile without a
 * sampling period, such as the times of cProfile. */
static bool quantum_is_counted(const pprofc_profile *p, size_t value) {
  return profile_string(p, p->period_type.type).size == 0 && !unit_is_time(profile_unit(p, value));
}

static bool quantum_has_contentions(const pprofc_profile *p, size_t value) {
  (void)value;
  return str_equal(profile_type(p, 0), STR("contentions"));
}

static bool quantum_has_count(const pprofc_profile *p, size_t value) {
  (void)value;
  return p->type_count > 1 && str_equal(profile_unit(p, 0), STR("count"));
}

static bool quantum_same_unit(const pprofc_profile *p, size_t value) {
  return p->period > 0 && str_equal(profile_string(p, p->period_type.unit), profile_unit(p, value));
}

/* Returns the greatest common divisor of the values of a column, or 0 if it is 1. */
static int64_t quantum_common_divisor(const pprofc_profile *p, size_t value) {
  struct value_column column = profile_values(p, value);
  uint64_t divisor = 0;
  for (size_t i = 0; i < p->samples.count && divisor != 1; i++) {
    int64_t v = column.values[i * column.step];
    uint64_t a = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
    while (a) {
      uint64_t rest = divisor % a;
      divisor = a;
      a = rest;
    }
  }
  return divisor > 1 && divisor <= INT64_MAX ? (int64_t)divisor : 0;
}

/* Returns the sampling period of the column, or 0. Formats such as speedscope cannot store a
 * period. For them, the greatest common divisor of the values is the period. */
static int64_t quantum_period(const pprofc_profile *p, size_t value) {
  bool unsaid = p->period == 0 && quantum_is_own_period(p, value) &&
                !str_equal(profile_unit(p, value), STR("count"));
  return unsaid ? quantum_common_divisor(p, value) : p->period;
}

static const struct quantum_rule {
  enum sampling_kind sampling;
  bool (*fits)(const pprofc_profile *p, size_t value);
} quantum_rules[] = {
    {SAMPLING_HEAP, quantum_is_heap},       {SAMPLING_EVENTS, quantum_has_contentions},
    {SAMPLING_MOMENT, quantum_is_moment},   {SAMPLING_PERIOD, quantum_is_period},
    {SAMPLING_COUNTS, quantum_has_samples}, {SAMPLING_EXACT, quantum_is_counted},
    {SAMPLING_COUNTS, quantum_has_count},   {SAMPLING_PERIOD, quantum_same_unit},
};

struct quantum quantum_of(const pprofc_profile *p, size_t value) {
  struct quantum q = {SAMPLING_UNKNOWN, value, SIZE_MAX, SIZE_MAX, (double)p->period};
  for (size_t i = 0; i < COUNT(quantum_rules); i++)
    if (quantum_rules[i].fits(p, value)) {
      q.sampling = quantum_rules[i].sampling;
      break;
    }
  if (q.sampling == SAMPLING_UNKNOWN) {
    q.period = (double)quantum_period(p, value);
    if (q.period > 0) q.sampling = SAMPLING_PERIOD;
  }
  if (q.sampling != SAMPLING_HEAP) return q;
  pprofc_str family = quantum_family(profile_type(p, value));
  q.objects = quantum_sibling(p, family, STR("_objects"));
  q.space = quantum_sibling(p, family, STR("_space"));
  if (q.objects == SIZE_MAX || q.space == SIZE_MAX)
    q.sampling = SAMPLING_UNKNOWN;
  else if (p->period <= 1)
    q.sampling = SAMPLING_EXACT;
  return q;
}

/* Returns the quantum of a heap sample (sampling variance per unit of value). The profiler samples
 * an object of `size` bytes with the probability p = 1 - exp(-size / period), and divides its value
 * by p. */
static double quantum_of_heap(const struct quantum *q, const int64_t *values) {
  double objects = (double)values[q->objects];
  if (objects == 0) return 0;
  double size = (double)values[q->space] / objects;
  if (!(size > 0)) return 0;
  double unseen = 1 / (1 - exp(-size / q->period)) - 1;
  return q->value == q->space ? size * unseen : unseen;
}

double quantum_of_sample(const struct quantum *q, const int64_t *values) {
  if (q->sampling == SAMPLING_HEAP) return quantum_of_heap(q, values);
  if (q->sampling == SAMPLING_PERIOD || q->sampling == SAMPLING_MOMENT) return q->period;
  bool counted = q->sampling == SAMPLING_COUNTS || q->sampling == SAMPLING_EVENTS;
  if (!counted || values[0] == 0) return 0;
  return (double)values[q->value] / (double)values[0];
}
