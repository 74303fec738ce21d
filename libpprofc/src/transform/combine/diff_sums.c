/* Makes the difference of two profiles if at least one has a stack tree. */
#include "codec/codec.h"
#include "pprofc/transform.h"
#include "profile/stack_tree.h"
#include "transform/combine/diff.h"
#include "transform/compatible.h"

/* Replaces a profile without a stack tree by a copy with a stack tree. The tree contains the same
 * sample types as the tree `like`. */
static bool diff_make_tree(pprofc_profile **profile, const struct stack_tree *like) {
  size_t only = like->type == STACK_TREE_ALL ? SIZE_MAX : like->type;
  pprofc_profile *made = fold_profile(*profile, only);
  if (!made) return false;
  pprofc_profile_release(*profile);
  *profile = made;
  return true;
}

/* ---- requirements ------------------------------------ */

static bool diff_has_one_type(const pprofc_profile *p) {
  return p->samples.tree && p->samples.tree->type != STACK_TREE_ALL;
}

/* True if a tree lacks values that the difference needs, because it contains only one sample
 * type. */
static bool diff_lacks_values(const pprofc_profile *head, const pprofc_profile *base) {
  pprofc_error error;
  const struct stack_tree *h = head->samples.tree, *b = base->samples.tree;
  if (!diff_has_one_type(head) && !diff_has_one_type(base)) return false;
  if (h && b && h->type != b->type) return true;
  return compatible_check(head, base, &error) != PPROFC_OK ||
         pprofc_profile_default_type(head) != pprofc_profile_default_type(base);
}

/* True if the profile has no tree but its stacks can be converted to one. */
static bool diff_has_columns(const pprofc_profile *p) {
  return !p->samples.tree && p->samples.segment_count == 1;
}

/* True if no two sample types have the same name. compatible_profiles would drop types with equal
 * names. */
static bool diff_names_are_single(const pprofc_profile *p) {
  bool single = true;
  for (size_t i = 0; i < p->type_count; i++)
    for (size_t k = 0; k < i; k++)
      single = single &&
               !str_equal(profile_string(p, p->types[i].type), profile_string(p, p->types[k].type));
  return single;
}

/* True if the result can have stack trees. */
static bool diff_keeps_trees(const pprofc_profile *head, const pprofc_profile *base) {
  pprofc_error error;
  return (head->samples.tree || diff_has_columns(head)) &&
         (base->samples.tree || diff_has_columns(base)) && !head->drop_frames &&
         diff_names_are_single(head) && compatible_check(head, base, &error) == PPROFC_OK &&
         transform_diff_unmerged_is_exact(head, base, PPROFC_COMPARE) &&
         transform_diff_base_serves(head, base);
}

bool transform_diff_is_of_sums(const pprofc_profile *head, const pprofc_profile *base) {
  return head->samples.tree || base->samples.tree;
}

pprofc_status transform_diff_sums(pprofc_profile *head, pprofc_profile *base,
                                  pprofc_profile **difference, pprofc_error *error) {
  const struct stack_tree *h = head->samples.tree, *b = base->samples.tree;
  pprofc_status status = PPROFC_OK;
  if (diff_lacks_values(head, base) || ((h || b) && !diff_keeps_trees(head, base)))
    status = PPROFC_E_NO_MATCH;
  else if ((!h && b && !diff_make_tree(&head, b)) || (!b && h && !diff_make_tree(&base, h)))
    status = error_nomem(error);
  if (status == PPROFC_OK) return append_difference(head, base, difference, error);
  pprofc_profile_release(head);
  pprofc_profile_release(base);
  return status;
}
