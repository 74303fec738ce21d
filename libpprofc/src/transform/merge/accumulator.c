/* Adds up a sequence of profiles. Merges them in groups if groups do not change the result. */
#include "transform/merge/accumulator.h"

#include "transform/compatible.h"
#include "transform/merge/merge.h"

/* ---- groups ------------------------------------------ */

/* Merges the items from index `from` on into one item. */
static pprofc_status accumulator_merge(struct accumulator *accumulator, size_t from,
                                       pprofc_error *error) {
  size_t count = accumulator->count - from;
  pprofc_profile *merged;
  if (count < 2) return PPROFC_OK;
  for (size_t i = from; i < accumulator->count; i++)
    accumulator->items[i]->threads = accumulator->threads;
  pprofc_status status =
      merge_group((const pprofc_profile *const *)accumulator->items + from, count, &merged, error);
  if (status != PPROFC_OK) return status;
  while (accumulator->count > from)
    pprofc_profile_release(accumulator->items[--accumulator->count]);
  accumulator->items[accumulator->count++] = merged;
  return PPROFC_OK;
}

/* Returns how many partial sums at the end of the list are on the same level. */
static size_t accumulator_run(const struct accumulator *accumulator) {
  size_t run = 1;
  while (run < accumulator->count && accumulator->levels[accumulator->count - run - 1] ==
                                         accumulator->levels[accumulator->count - 1])
    run++;
  return run;
}

static pprofc_status accumulator_merge_full(struct accumulator *accumulator, pprofc_error *error) {
  pprofc_status status = PPROFC_OK;
  while (status == PPROFC_OK && accumulator_run(accumulator) == ACCUMULATOR_WIDTH) {
    status = accumulator_merge(accumulator, accumulator->count - ACCUMULATOR_WIDTH, error);
    if (status == PPROFC_OK) accumulator->levels[accumulator->count - 1]++;
  }
  return status;
}

/* ---- condition for groups ---------------------------- */

static bool accumulator_has_negative(const pprofc_profile *profile) {
  const struct samples *s = &profile->samples;
  int64_t all = 0;
  if (s->tree) return false; /* the reader does not make stack trees with negative values */
  for (size_t i = 0; i < s->count * profile->type_count; i++) all |= s->values[i];
  return all < 0;
}

/* True if this profile may be merged in groups. The order of merges matters in three cases. With
 * negative values, a sum of 0 drops a sample, and a later profile would append the sample again. If
 * only some profiles have a time, a time of 0 hides earlier times. If the sample types differ, each
 * step keeps only common types. */
static bool accumulator_may_group(const struct accumulator *accumulator,
                                  const pprofc_profile *profile) {
  pprofc_error error;
  if (accumulator_has_negative(profile)) return false;
  if (!accumulator->count) return true;
  const pprofc_profile *first = accumulator->items[0];
  return (first->time_nanos == 0) == (profile->time_nanos == 0) &&
         compatible_check(first, profile, &error) == PPROFC_OK;
}

/* ---- the accumulator ---------------------------------------- */

pprofc_status accumulator_add(struct accumulator *accumulator, pprofc_profile *profile,
                              pprofc_error *error) {
  pprofc_status status = PPROFC_OK;
  if (!accumulator->chain && !accumulator_may_group(accumulator, profile)) {
    status = accumulator_merge(accumulator, 0, error);
    accumulator->chain = true;
  }
  accumulator->levels[accumulator->count] = 0;
  accumulator->items[accumulator->count++] = profile;
  if (status != PPROFC_OK) return status;
  return accumulator->chain ? accumulator_merge(accumulator, 0, error)
                            : accumulator_merge_full(accumulator, error);
}

pprofc_status accumulator_end(struct accumulator *accumulator, pprofc_profile **sum,
                              pprofc_error *error) {
  pprofc_status status = accumulator_merge(accumulator, 0, error);
  *sum = NULL;
  if (status == PPROFC_OK && accumulator->count) *sum = accumulator->items[--accumulator->count];
  accumulator_free(accumulator);
  return status;
}

void accumulator_free(struct accumulator *accumulator) {
  while (accumulator->count) pprofc_profile_release(accumulator->items[--accumulator->count]);
}
