/* The table of sampling rules, from the types and the period of a profile. */
#include "verdict/quantum.h"

#include "core/str.h"

#include <math.h>

static pprofc_str quantum_type(const pprofc_profile *p, size_t index) {
  return profile_string(p, p->types[index].type);
}

static pprofc_str quantum_unit(const pprofc_profile *p, size_t index) {
  return profile_string(p, p->types[index].unit);
}

/* "alloc" of "alloc_space". */
static pprofc_str quantum_family(pprofc_str type) {
  return str_slice(type, 0, str_find_char(type, '_'));
}

/* The column FAMILY_suffix, or SIZE_MAX. */
static size_t quantum_sibling(const pprofc_profile *p, pprofc_str family, pprofc_str suffix) {
  for (size_t i = 0; i < p->type_count; i++) {
    pprofc_str type = quantum_type(p, i);
    if (str_equal(quantum_family(type), family) && type.size == family.size + suffix.size &&
        str_ends(type, suffix))
      return i;
  }
  return SIZE_MAX;
}

static bool quantum_is_heap(const pprofc_profile *p, size_t value) {
  pprofc_str family = quantum_family(quantum_type(p, value));
  return str_equal(profile_string(p, p->period_type.type), STR("space")) &&
         (str_equal(family, STR("alloc")) || str_equal(family, STR("inuse")));
}

static bool quantum_is_period(const pprofc_profile *p, size_t value) {
  return p->period > 0 &&
         str_equal(profile_string(p, p->period_type.type), quantum_type(p, value)) &&
         str_equal(profile_string(p, p->period_type.unit), quantum_unit(p, value));
}

static bool quantum_has_samples(const pprofc_profile *p, size_t value) {
  (void)value;
  return str_equal(quantum_type(p, 0), STR("samples")) &&
         str_equal(quantum_unit(p, 0), STR("count"));
}

static bool quantum_no_period(const pprofc_profile *p, size_t value) {
  (void)value;
  return profile_string(p, p->period_type.type).size == 0;
}

static bool quantum_has_contentions(const pprofc_profile *p, size_t value) {
  (void)value;
  return str_equal(quantum_type(p, 0), STR("contentions"));
}

static bool quantum_has_count(const pprofc_profile *p, size_t value) {
  (void)value;
  return p->type_count > 1 && str_equal(quantum_unit(p, 0), STR("count"));
}

static bool quantum_same_unit(const pprofc_profile *p, size_t value) {
  return p->period > 0 && str_equal(profile_string(p, p->period_type.unit), quantum_unit(p, value));
}

static const struct quantum_rule {
  enum sampling_kind sampling;
  bool (*fits)(const pprofc_profile *p, size_t value);
} quantum_rules[] = {
    {SAMPLING_HEAP, quantum_is_heap},     {SAMPLING_EVENTS, quantum_has_contentions},
    {SAMPLING_PERIOD, quantum_is_period}, {SAMPLING_COUNTS, quantum_has_samples},
    {SAMPLING_EXACT, quantum_no_period},  {SAMPLING_COUNTS, quantum_has_count},
    {SAMPLING_PERIOD, quantum_same_unit},
};

struct quantum quantum_of(const pprofc_profile *p, size_t value) {
  struct quantum q = {SAMPLING_UNKNOWN, value, SIZE_MAX, SIZE_MAX, (double)p->period};
  for (size_t i = 0; i < sizeof quantum_rules / sizeof quantum_rules[0]; i++)
    if (quantum_rules[i].fits(p, value)) {
      q.sampling = quantum_rules[i].sampling;
      break;
    }
  if (q.sampling != SAMPLING_HEAP) return q;
  pprofc_str family = quantum_family(quantum_type(p, value));
  q.objects = quantum_sibling(p, family, STR("_objects"));
  q.space = quantum_sibling(p, family, STR("_space"));
  if (q.objects == SIZE_MAX || q.space == SIZE_MAX)
    q.sampling = SAMPLING_UNKNOWN;
  else if (p->period <= 1)
    q.sampling = SAMPLING_EXACT;
  return q;
}

/* An object of `size` bytes is seen with the probability 1 - exp(-size / period); the profile has
 * its value over that. */
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
  if (q->sampling == SAMPLING_PERIOD) return q->period;
  bool counted = q->sampling == SAMPLING_COUNTS || q->sampling == SAMPLING_EVENTS;
  if (!counted || values[0] == 0) return 0;
  return (double)values[q->value] / (double)values[0];
}
