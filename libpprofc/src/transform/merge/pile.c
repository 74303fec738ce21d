/* Adds up a sequence of profiles, in groups if the result is the same. */
#include "transform/merge/pile.h"

#include "transform/compatible.h"
#include "transform/merge/merge.h"

/* ---- groups ------------------------------------------ */

/* Merges the items from index `from` on into one item. */
static pprofc_status pile_merge(struct pile *pile, size_t from, pprofc_error *error) {
  size_t count = pile->count - from;
  pprofc_profile *merged;
  if (count < 2) return PPROFC_OK;
  for (size_t i = from; i < pile->count; i++) pile->items[i]->threads = pile->threads;
  pprofc_status status =
      merge_group((const pprofc_profile *const *)pile->items + from, count, &merged, error);
  if (status != PPROFC_OK) return status;
  while (pile->count > from) pprofc_profile_release(pile->items[--pile->count]);
  pile->items[pile->count++] = merged;
  return PPROFC_OK;
}

/* Returns the number of items at the end that have the same level. */
static size_t pile_run(const struct pile *pile) {
  size_t run = 1;
  while (run < pile->count && pile->levels[pile->count - run - 1] == pile->levels[pile->count - 1])
    run++;
  return run;
}

static pprofc_status pile_merge_full(struct pile *pile, pprofc_error *error) {
  pprofc_status status = PPROFC_OK;
  while (status == PPROFC_OK && pile_run(pile) == PILE_WIDTH) {
    status = pile_merge(pile, pile->count - PILE_WIDTH, error);
    if (status == PPROFC_OK) pile->levels[pile->count - 1]++;
  }
  return status;
}

/* ---- condition for groups ---------------------------- */

static bool pile_has_negative(const pprofc_profile *profile) {
  const struct samples *s = &profile->samples;
  int64_t all = 0;
  if (s->tree) return false; /* the reader of trees adds no negative values up */
  for (size_t i = 0; i < s->count * profile->type_count; i++) all |= s->values[i];
  return all < 0;
}

/* True if this profile may be added in any grouping. False with negative values: samples whose
 * sum is 0 are dropped on the way, and are appended later if they occur again. False if only
 * some profiles have a time of 0, which hides earlier times. Profiles of different kinds must
 * be added in order, because each step keeps only the common sample types. */
static bool pile_may_group(const struct pile *pile, const pprofc_profile *profile) {
  pprofc_error error;
  if (pile_has_negative(profile)) return false;
  if (!pile->count) return true;
  const pprofc_profile *first = pile->items[0];
  return (first->time_nanos == 0) == (profile->time_nanos == 0) &&
         compatible_check(first, profile, &error) == PPROFC_OK;
}

/* ---- the pile ---------------------------------------- */

pprofc_status pile_add(struct pile *pile, pprofc_profile *profile, pprofc_error *error) {
  pprofc_status status = PPROFC_OK;
  if (!pile->chain && !pile_may_group(pile, profile)) {
    status = pile_merge(pile, 0, error);
    pile->chain = true;
  }
  pile->levels[pile->count] = 0;
  pile->items[pile->count++] = profile;
  if (status != PPROFC_OK) return status;
  return pile->chain ? pile_merge(pile, 0, error) : pile_merge_full(pile, error);
}

pprofc_status pile_end(struct pile *pile, pprofc_profile **sum, pprofc_error *error) {
  pprofc_status status = pile_merge(pile, 0, error);
  *sum = NULL;
  if (status == PPROFC_OK && pile->count) *sum = pile->items[--pile->count];
  pile_free(pile);
  return status;
}

void pile_free(struct pile *pile) {
  while (pile->count) pprofc_profile_release(pile->items[--pile->count]);
}
