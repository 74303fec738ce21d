/* Converts the stacks of a profile that was read whole to a tree. */
#include "codec/fold/fold.h"

static bool fold_take_profile(struct fold *f, const pprofc_profile *p) {
  const struct samples *s = &p->samples;
  for (size_t i = 0; i < s->count; i++) {
    const int64_t *row = s->values + i * p->type_count;
    struct fold_parts parts = {.stack = s->stack[i], .stack_size = s->stack_size[i]};
    if (s->label_set) parts.set = s->label_set[i];
    memcpy(parts.row, f->only == SIZE_MAX ? row : row + f->only, f->width * sizeof *row);
    for (size_t t = 0; t < f->width; t++) parts.negative |= parts.row[t] < 0;
    parts.hash = hash_bytes(parts.stack, parts.stack_size);
    if (!fold_add_entry(f, &parts)) return false;
  }
  return fold_settle(f);
}

pprofc_profile *fold_profile(const pprofc_profile *profile, size_t only) {
  const pprofc_limits limits = {.stack_depth = UINT32_MAX};
  size_t width = only == SIZE_MAX ? profile->type_count : 1;
  pprofc_profile *copy = width <= FOLD_TYPES_MAX ? profile_edit(profile) : NULL;
  if (!copy) return NULL;
  struct fold fold;
  fold_init(&fold, &profile->mem, &limits);
  fold.as_tree = true;
  fold.only = only;
  fold.types = profile->type_count;
  fold.width = width;
  bool done = fold_take_profile(&fold, profile) && fold_publish_tree(&fold, copy) &&
              (!profile->samples.label_set || fold_publish_sets(&fold, copy));
  fold_free(&fold);
  if (done) return copy;
  pprofc_profile_release(copy);
  return NULL;
}
