/* Compares a profile with a base: labels the base samples, normalizes values, and computes head
 * minus base as a merge (docs/spec/pprof.md, 6.4). */
#include "transform/combine/diff.h"
#include "codec/codec.h"
#include "profile/stack_tree.h"
#include "profile/sum.h"
#include "transform/merge/merge.h"
#include "transform/transform.h"

/* ---- stack trees ------------------------------------ */

/* The functions below make the difference of two profiles if at least one has a stack tree. */

/* Replaces a profile without a stack tree by a copy with a stack tree. The tree contains the same
 * sample types as the tree `like`. */
static bool diff_make_tree(pprofc_profile **profile, const struct stack_tree *like) {
  size_t only = like->type == STACK_TREE_ALL ? SIZE_MAX : like->type;
  pprofc_profile *made = fold_profile(*profile, only, false);
  if (!made) return false;
  profile_replace(profile, made);
  return true;
}

/* ---- requirements ------------------------------------ */

static bool diff_has_one_type(const pprofc_profile *p) {
  return p->samples.tree && p->samples.tree->type != STACK_TREE_ALL;
}

/* True if the difference needs values that a stack tree lacks. A tree may have only one sample
 * type. */
static bool diff_lacks_values(const pprofc_profile *head, const pprofc_profile *base) {
  pprofc_error error;
  const struct stack_tree *h = head->samples.tree, *b = base->samples.tree;
  if (!diff_has_one_type(head) && !diff_has_one_type(base)) return false;
  if (h && b && h->type != b->type) return true;
  return compatible_check(head, base, &error) != PPROFC_OK ||
         pprofc_profile_default_type(head) != pprofc_profile_default_type(base);
}

/* True if the profile has no stack tree, but its stacks can be converted to a stack tree. */
static bool diff_has_columns(const pprofc_profile *p) {
  return !p->samples.tree && p->samples.segment_count == 1;
}

/* True if no two sample types have the same name. If two have, the result cannot have stack trees,
 * because compatible_profiles would drop the types with equal names. */
static bool diff_names_are_single(const pprofc_profile *p) {
  bool single = true;
  for (size_t i = 0; i < p->type_count; i++)
    for (size_t k = 0; k < i; k++)
      single = single && !str_equal(profile_type(p, i), profile_type(p, k));
  return single;
}

/* True if all numeric labels with the same key have the same unit. If they have several units, the
 * first sample of the difference decides. A stack tree does not know this sample: equal samples of
 * head and base may cancel out, and a tree of one sample type lacks the samples that are 0 in it.
 */
static bool diff_units_are_single(const pprofc_profile *head, const pprofc_profile *base) {
  struct label_units h, b = {0};
  pprofc_error error;
  bool single = label_units_find(head, NULL, NULL, &h, &error) == PPROFC_OK &&
                label_units_find(base, NULL, NULL, &b, &error) == PPROFC_OK && !h.differ &&
                !b.differ;
  for (size_t i = 0; single && i < h.count; i++) {
    pprofc_str unit = label_units_get(&b, h.items[i].key);
    single = !unit.size || str_equal(unit, h.items[i].unit);
  }
  label_units_free(&h);
  if (b.mem) label_units_free(&b);
  return single;
}

/* True if a value of a sample is not 0. Without any such value in the base, the difference has no
 * samples of the base, and reports show only the head. */
static bool diff_has_values(const pprofc_profile *p) {
  return !values_are_zero(p->samples.values, p->samples.count * profile_values_each(p));
}

/* True if the result can have stack trees. */
static bool diff_keeps_trees(const pprofc_profile *head, const pprofc_profile *base,
                             pprofc_diff_kind kind) {
  pprofc_error error;
  return (head->samples.tree || diff_has_columns(head)) &&
         (base->samples.tree || diff_has_columns(base)) && !head->drop_frames &&
         diff_names_are_single(head) && compatible_check(head, base, &error) == PPROFC_OK &&
         (kind == PPROFC_SUBTRACT
              ? diff_units_are_single(head, base)
              : diff_has_values(base) && transform_diff_unmerged_is_exact(head, base, kind)) &&
         transform_diff_base_serves(head, base);
}

bool transform_diff_is_of_sums(const pprofc_profile *head, const pprofc_profile *base) {
  return head->samples.tree || base->samples.tree;
}

pprofc_status transform_diff_sums(pprofc_profile *head, pprofc_profile *base, pprofc_diff_kind kind,
                                  pprofc_profile **difference, pprofc_error *error) {
  const struct stack_tree *h = head->samples.tree, *b = base->samples.tree;
  pprofc_status status = PPROFC_OK;
  if (diff_lacks_values(head, base) || ((h || b) && !diff_keeps_trees(head, base, kind)))
    status = PPROFC_E_NO_MATCH;
  else if ((!h && b && !diff_make_tree(&head, b)) || (!b && h && !diff_make_tree(&base, h)))
    status = error_nomem(error);
  if (status == PPROFC_OK) return append_difference(head, base, kind, difference, error);
  pprofc_profile_release(head);
  pprofc_profile_release(base);
  return status;
}

/* ---- the label of the base --------------------------- */

static bool is_base_label(const pprofc_profile *p, const struct label *l) {
  return !l->is_number && str_equal(profile_string(p, l->key), BASE_LABEL);
}

static size_t count_labels(const struct samples *s) {
  size_t count = 0;
  for (size_t i = 0; i < s->label_set_count; i++) count += s->label_sets[i].count;
  return count;
}

/* Writes each label set without its base labels (BASE_LABEL), and adds the label `base`. */
static void write_sets(pprofc_profile *copy, struct label base, struct label_set *sets,
                       struct label *labels) {
  const struct samples *s = &copy->samples;
  size_t n = 0;
  for (size_t i = 0; i < s->label_set_count; i++) {
    /* `first` of an empty set may be past the end of the labels. */
    const struct label_set *set = &s->label_sets[i];
    size_t first = n;
    for (size_t l = set->first; l < (size_t)set->first + set->count; l++)
      if (!is_base_label(copy, &s->labels[l])) labels[n++] = s->labels[l];
    labels[n++] = base;
    sets[i] = (struct label_set){(uint32_t)first, (uint32_t)(n - first)};
  }
}

/* Adds label sets to a profile that has no labels: all samples get set 0, which is empty. */
static bool open_sets(pprofc_profile *copy) {
  struct samples *s = &copy->samples;
  if (s->label_set) return true;
  uint32_t *set = arena_zero_array(&copy->region->arena, s->count, sizeof *set);
  struct label_set *empty = arena_zero_array(&copy->region->arena, 1, sizeof *empty);
  if (!set || !empty) return false;
  s->label_set = set;
  s->label_sets = empty;
  s->label_set_count = 1;
  return true;
}

/* Stores the new label sets. Their indices are one higher than the old indices, because set 0 must
 * be empty and the old set 0 now contains the base label. */
static bool finish_sets(pprofc_profile *copy, const struct label_set *sets,
                        const struct label *labels) {
  struct samples *s = &copy->samples;
  struct arena *arena = &copy->region->arena;
  uint32_t *set = arena_array(arena, s->count, sizeof *set);
  if (!set) return false;
  for (size_t i = 0; i < s->count; i++) set[i] = s->label_set[i] + 1;
  s->label_set = set;
  s->label_sets = sets;
  s->label_set_count++;
  s->labels = labels;
  return true;
}

static pprofc_status label_base(const pprofc_profile *base, pprofc_profile **out,
                                pprofc_error *error) {
  const pprofc_str texts[2] = {BASE_LABEL, STR("true")};
  pprofc_profile *copy = profile_edit(base);
  if (!copy) return error_nomem(error);
  struct arena *arena = &copy->region->arena;
  bool ok = profile_add_strings(copy, texts, 2) && open_sets(copy);
  size_t count = copy->samples.label_set_count, total = count_labels(&copy->samples) + count;
  ok = ok && total < NONE;
  struct label_set *sets = ok ? arena_array(arena, count + 1, sizeof *sets) : NULL;
  struct label *labels = sets ? arena_array(arena, total, sizeof *labels) : NULL;
  if (!labels) return edit_finish(error_nomem(error), copy, out);
  uint32_t key = (uint32_t)copy->strings.count - 2;
  sets[0] = (struct label_set){0, 0};
  write_sets(copy, (struct label){.key = key, .string = key + 1}, sets + 1, labels);
  ok = finish_sets(copy, sets, labels);
  return edit_finish(ok ? PPROFC_OK : error_nomem(error), copy, out);
}

/* ---- normalizing ------------------------------------- */

static void diff_add_up(const pprofc_profile *p, int64_t *sums) {
  for (size_t t = 0; t < p->type_count; t++) sums[t] = 0;
  for (size_t i = 0; i < p->samples.count; i++)
    for (size_t t = 0; t < p->type_count; t++)
      sums[t] = sum_add(sums[t], p->samples.values[i * p->type_count + t]);
}

pprofc_status transform_normalize(const pprofc_profile *head, const pprofc_profile *base,
                                  pprofc_profile **out, pprofc_error *error) {
  pprofc_status status = compatible_check(head, base, error);
  if (status != PPROFC_OK) return status;
  size_t types = head->type_count;
  int64_t *sums = mem_array(&head->mem, types, 2 * sizeof *sums);
  double *ratios = mem_array(&head->mem, types, sizeof *ratios);
  if (sums && ratios) {
    int64_t *base_sums = sums + types;
    diff_add_up(head, sums);
    diff_add_up(base, base_sums);
    for (size_t t = 0; t < types; t++)
      ratios[t] = sums[t] ? (double)base_sums[t] / (double)sums[t] : 0;
    status = pprofc_scale(head, ratios, out, error);
  } else {
    status = error_nomem(error);
  }
  mem_free(&head->mem, ratios, types, sizeof *ratios);
  mem_free(&head->mem, sums, types, 2 * sizeof *sums);
  return status;
}

/* ---- the difference ---------------------------------- */

static pprofc_status negate(const pprofc_profile *base, pprofc_profile **out, pprofc_error *error) {
  double *ratios = mem_array(&base->mem, base->type_count, sizeof *ratios);
  if (!ratios) return error_nomem(error);
  for (size_t t = 0; t < base->type_count; t++) ratios[t] = -1;
  pprofc_status status = pprofc_scale(base, ratios, out, error);
  mem_free(&base->mem, ratios, base->type_count, sizeof *ratios);
  return status;
}

/* Makes the profile to add to head: a copy of base with negated values and, unless `kind` is
 * PPROFC_SUBTRACT, with the base label. */
static pprofc_status prepare_base(const pprofc_profile *base, pprofc_diff_kind kind,
                                  pprofc_profile **out, pprofc_error *error) {
  pprofc_profile *labelled = NULL;
  if (kind == PPROFC_SUBTRACT) return negate(base, out, error);
  pprofc_status status = label_base(base, &labelled, error);
  if (status != PPROFC_OK) return status;
  status = negate(labelled, out, error);
  pprofc_profile_release(labelled);
  return status;
}

static pprofc_status diff_combine(const pprofc_profile *head, const pprofc_profile *base,
                                  pprofc_profile **out, pprofc_error *error) {
  const pprofc_profile *both[2] = {head, base};
  pprofc_profile *compatible[2];
  pprofc_status status = compatible_profiles(both, 2, compatible, error);
  if (status != PPROFC_OK) return status;
  both[0] = compatible[0];
  both[1] = compatible[1];
  status = merge_profiles(both, 2, out, error);
  pprofc_profile_release(compatible[0]);
  pprofc_profile_release(compatible[1]);
  return status;
}

static pprofc_status prepare_head(const pprofc_profile *head, const pprofc_profile *base,
                                  bool normalize, pprofc_profile **out, pprofc_error *error) {
  if (normalize) return transform_normalize(head, base, out, error);
  *out = edit_same(head);
  return PPROFC_OK;
}

pprofc_status pprofc_diff(const pprofc_profile *head, const pprofc_profile *base,
                          pprofc_diff_kind kind, bool normalize, pprofc_profile **difference,
                          pprofc_error *error) {
  pprofc_profile *scaled = NULL, *prepared = NULL;
  pprofc_status status = profile_need_stacks(head, error);
  if (status == PPROFC_OK) status = profile_need_stacks(base, error);
  if (status == PPROFC_OK) status = prepare_head(head, base, normalize, &scaled, error);
  if (status == PPROFC_OK) status = prepare_base(base, kind, &prepared, error);
  if (status == PPROFC_OK) status = diff_combine(scaled, prepared, difference, error);
  pprofc_profile_release(prepared);
  pprofc_profile_release(scaled);
  return budget_status(&head->mem, status, error);
}

/* ---- without searching for equal samples ------------- */

pprofc_status transform_diff_unmerged(pprofc_profile *head, pprofc_profile *base, bool normalize,
                                      pprofc_profile **difference, pprofc_error *error) {
  pprofc_profile *scaled = NULL, *compatible[2];
  pprofc_status status = prepare_head(head, base, normalize, &scaled, error);
  const pprofc_profile *both[2] = {scaled, base};
  if (status == PPROFC_OK) status = compatible_profiles(both, 2, compatible, error);
  pprofc_profile_release(scaled);
  pprofc_profile_release(head);
  pprofc_profile_release(base);
  if (status != PPROFC_OK) return status;
  return append_difference(compatible[0], compatible[1], PPROFC_COMPARE, difference, error);
}

/* True if no value is negative and no sum overflows. */
static bool sums_plainly(const pprofc_profile *p) {
  size_t count = p->samples.count * profile_values_each(p);
  int64_t sum = 0; /* sum over all types, which is at least the sum of any type */
  for (size_t i = 0; i < count; i++)
    if (p->samples.values[i] < 0 || __builtin_add_overflow(sum, p->samples.values[i], &sum))
      return false;
  return true;
}

static bool has_base_label(const pprofc_profile *p) {
  bool known = false;
  for (size_t i = 0; i < p->strings.count && !known; i++)
    known = str_equal(p->strings.items[i], BASE_LABEL);
  return known;
}

bool transform_diff_base_serves(const pprofc_profile *head, const pprofc_profile *base) {
  const int64_t exact = (int64_t)1 << 53; /* pprof uses float64, which rounds larger values */
  if (!base->folded) return true;
  for (size_t i = 0; i < base->samples.count * profile_values_each(base); i++)
    if (base->samples.values[i] < -exact || base->samples.values[i] > exact) return false;
  return !has_base_label(head); /* a labelled head sample may equal a sum of base samples */
}

bool transform_diff_unmerged_is_exact(const pprofc_profile *head, const pprofc_profile *base,
                                      pprofc_diff_kind kind) {
  /* If samples of head have base labels, pprofc_diff may join them with equal samples of base. */
  return kind == PPROFC_COMPARE && !has_base_label(head) && sums_plainly(head) &&
         sums_plainly(base);
}

/* ---- factors ---------------------------------------- */

/* The functions below multiply values by factors. Merges, differences and normalizing round the
 * products (docs/spec/pprof.md, 6.2); divide_by truncates them. */

static bool is_one(double ratio) {
  return !(ratio < 1) && !(ratio > 1) && !isnan(ratio);
}

static bool all_one(const double *ratios, size_t count) {
  for (size_t t = 0; t < count; t++)
    if (!is_one(ratios[t])) return false;
  return true;
}

static int64_t scaled(int64_t value, double ratio) {
  return ratio == -1 ? edit_negate(value) : number_from_double(round((double)value * ratio));
}

/* Fills `values` with the products of values and ratios. Sets keep[i] to 1 if a product of sample i
 * is not 0. As in pprof, types with the ratio 1 do not affect keep[i]. */
static void scale_values(const pprofc_profile *source, const double *ratios, int64_t *values,
                         uint8_t *keep) {
  size_t types = source->type_count;
  const int64_t *old = source->samples.values;
  for (size_t i = 0; i < source->samples.count; i++) {
    bool any = false;
    for (size_t t = 0; t < types; t++) {
      size_t at = i * types + t;
      values[at] = old[at];
      if (is_one(ratios[t])) continue;
      values[at] = scaled(old[at], ratios[t]);
      any = any || values[at] != 0;
    }
    keep[i] = any;
  }
}

pprofc_status pprofc_scale(const pprofc_profile *source, const double *ratios, pprofc_profile **out,
                           pprofc_error *error) {
  if (all_one(ratios, source->type_count)) {
    *out = edit_same(source);
    return PPROFC_OK;
  }
  pprofc_status status = profile_need_stacks(source, error);
  if (status != PPROFC_OK) return status;
  pprofc_profile *copy = profile_edit(source);
  if (!copy) return budget_status(&source->mem, error_nomem(error), error);
  size_t count = source->samples.count;
  int64_t *values = arena_array(&copy->region->arena, count, source->type_count * sizeof *values);
  uint8_t *keep = mem_array(&copy->mem, count, 1);
  if (values && keep) {
    scale_values(source, ratios, values, keep);
    copy->samples.values = values;
    status = edit_keep_samples(copy, keep, error);
  } else {
    status = error_nomem(error);
  }
  mem_free(&source->mem, keep, count, 1);
  return edit_finish(budget_status(&source->mem, status, error), copy, out);
}

pprofc_status transform_divide(const pprofc_profile *source, double ratio, pprofc_profile **out,
                               pprofc_error *error) {
  if (!(ratio > 0) || is_one(ratio)) {
    *out = edit_same(source);
    return PPROFC_OK;
  }
  pprofc_profile *copy = profile_edit(source);
  if (!copy) return error_nomem(error);
  size_t count = source->samples.count * source->type_count;
  int64_t *values = arena_array(&copy->region->arena, count, sizeof *values);
  if (!values) return edit_finish(error_nomem(error), copy, out);
  for (size_t i = 0; i < count; i++)
    values[i] = number_from_double((double)source->samples.values[i] * ratio);
  copy->samples.values = values;
  return edit_finish(PPROFC_OK, copy, out);
}
