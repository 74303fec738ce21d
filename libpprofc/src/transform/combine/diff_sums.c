/* The difference of two profiles that were read for sums of functions only (PPROFC_FOLD_SUMS).
 * Their stacks stay trees or rows, one behind the other. */
#include "pprofc/transform.h"
#include "profile/stack.h"
#include "profile/stack_tree.h"
#include "transform/combine/append.h"
#include "transform/combine/diff.h"
#include "transform/compatible.h"
#include "transform/edit.h"

/* ---- rows -------------------------------------------- */

/* Writes the stacks of a profile that was read as a whole one behind the other. */
static bool diff_write_rows(pprofc_profile *copy, struct stack_tree *tree) {
  const struct samples *s = &copy->samples;
  struct arena *arena = &copy->region->arena;
  size_t bytes = 0, at = 0;
  for (size_t i = 0; i < s->count; i++) bytes += VARINT32_BYTES_MAX + (size_t)s->stack_size[i];
  size_t *groups = arena_array(arena, s->count / STACK_ROW_GROUP + 1, sizeof *groups);
  uint8_t *rows = arena_alloc(arena, bytes);
  if (!groups || !rows) return false;
  for (size_t i = 0; i < s->count; i++) {
    if (i % STACK_ROW_GROUP == 0) groups[i / STACK_ROW_GROUP] = at;
    at += varint_put(rows + at, s->stack_size[i]);
    if (s->stack_size[i]) memcpy(rows + at, s->stack[i], s->stack_size[i]);
    at += s->stack_size[i];
  }
  *tree = (struct stack_tree){.rows = rows, .row_groups = groups};
  return true;
}

/* The values of the type that `like` has, or all. */
static bool diff_pick_values(pprofc_profile *copy, const struct stack_tree *like) {
  struct samples *s = &copy->samples;
  if (like->type == STACK_TREE_ALL) return true;
  int64_t *values = arena_array(&copy->region->arena, s->count, sizeof *values);
  if (!values) return false;
  for (size_t i = 0; i < s->count; i++) values[i] = s->values[i * copy->type_count + like->type];
  s->values = values;
  return true;
}

/* Replaces a profile with columns of stacks by one with rows, for the tree of the other profile. */
static bool diff_make_rows(pprofc_profile **profile, const struct stack_tree *like) {
  pprofc_profile *copy = profile_edit(*profile);
  struct stack_tree *tree = copy ? arena_array(&copy->region->arena, 1, sizeof *tree) : NULL;
  if (!tree || !diff_write_rows(copy, tree) || !diff_pick_values(copy, like)) {
    pprofc_profile_release(copy);
    return false;
  }
  tree->type = like->type;
  copy->one_type = like->type != STACK_TREE_ALL;
  copy->samples.tree = tree;
  copy->samples.stack = NULL;
  copy->samples.stack_size = NULL;
  pprofc_profile_release(*profile);
  *profile = copy;
  return true;
}

/* ---- whether they serve ------------------------------ */

/* Whether values that the difference is about may be missing. */
static bool diff_lacks_values(const pprofc_profile *head, const pprofc_profile *base) {
  pprofc_error error;
  if (!head->one_type && !base->one_type) return false;
  return compatible_check(head, base, &error) != PPROFC_OK ||
         pprofc_profile_default_type(head) != pprofc_profile_default_type(base);
}

/* Whether stacks can become rows. */
static bool diff_has_columns(const pprofc_profile *p) {
  return !p->samples.tree && p->samples.segment_count == 1;
}

/* Types with one name are not common to both (compatible_profiles). */
static bool diff_names_are_single(const pprofc_profile *p) {
  bool single = true;
  for (size_t i = 0; i < p->type_count; i++)
    for (size_t k = 0; k < i; k++)
      single = single &&
               !str_equal(profile_string(p, p->types[i].type), profile_string(p, p->types[k].type));
  return single;
}

/* Whether the difference can have trees. */
static bool diff_keeps_trees(const pprofc_profile *head, const pprofc_profile *base) {
  pprofc_error error;
  return (head->samples.tree || diff_has_columns(head)) &&
         (base->samples.tree || diff_has_columns(base)) && !head->drop_frames &&
         diff_names_are_single(head) && compatible_check(head, base, &error) == PPROFC_OK &&
         transform_diff_unmerged_is_exact(head, base, PPROFC_COMPARE) &&
         transform_diff_base_serves(head, base);
}

bool transform_diff_is_of_sums(const pprofc_profile *head, const pprofc_profile *base) {
  return head->samples.tree || base->samples.tree || head->one_type || base->one_type;
}

pprofc_status transform_diff_sums(pprofc_profile *head, pprofc_profile *base,
                                  pprofc_profile **difference, pprofc_error *error) {
  const struct stack_tree *h = head->samples.tree, *b = base->samples.tree;
  pprofc_status status = PPROFC_OK;
  if (diff_lacks_values(head, base) || ((h || b) && !diff_keeps_trees(head, base)))
    status = PPROFC_E_NO_MATCH;
  else if ((!h && b && !diff_make_rows(&head, b)) || (!b && h && !diff_make_rows(&base, h)))
    status = error_nomem(error);
  if (status == PPROFC_OK) return append_difference(head, base, difference, error);
  pprofc_profile_release(head);
  pprofc_profile_release(base);
  return status;
}
