/* A pile of profiles: when their sum may be made in groups, and the groups. */
#include "transform/merge/pile.h"

#include "transform/compatible.h"
#include "transform/merge/merge.h"

/* ---- groups ------------------------------------------ */

/* Merges the items from `from` on into one, which stays there. */
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

/* How many items at the end have the level of the last. */
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

/* ---- what may be grouped ----------------------------- */

static bool pile_has_negative(const pprofc_profile *profile) {
  const struct samples *s = &profile->samples;
  int64_t all = 0;
  if (s->tree) return false; /* values below 0 are added to nothing, and have none */
  for (size_t i = 0; i < s->count * profile->type_count; i++) all |= s->values[i];
  return all < 0;
}

/* Whether a sum is the same however it is made, as far as this profile goes. It is not with values
 * below 0: samples whose sum is 0 on the way are dropped, and come later when they come again. Nor
 * with a time of 0 among others, which hides the times before it. Profiles of several kinds have
 * the types in common that all so far have. */
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
