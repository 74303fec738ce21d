/* Multiplies values by factors. Merges, differences and normalizing round the products
 * (docs/spec/pprof.md, 6.2); divide_by truncates them. */
#include "core/budget.h"
#include "pprofc/transform.h"
#include "transform/edit.h"
#include "transform/transform.h"

#include <math.h>

static bool is_one(double ratio) {
  return !(ratio < 1) && !(ratio > 1) && !isnan(ratio);
}

static bool all_one(const double *ratios, size_t count) {
  for (size_t t = 0; t < count; t++)
    if (!is_one(ratios[t])) return false;
  return true;
}

static int64_t scaled(int64_t value, double ratio) {
  return ratio == -1 ? edit_negate(value) : edit_truncate(round((double)value * ratio));
}

/* Fills `values` with the products. Sets keep[i] to 1 if sample i has a product that is not 0. Like
 * pprof, ignores the types with the factor 1 for `keep`. */
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
    values[i] = edit_truncate((double)source->samples.values[i] * ratio);
  copy->samples.values = values;
  return edit_finish(PPROFC_OK, copy, out);
}
