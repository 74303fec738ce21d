/* What the values of a run are divided by. */
#include "verdict/compare.h"

#include <math.h>

static bool exposure_known(const struct comparison *c, bool per_operation) {
  for (size_t r = 0; r < c->count; r++) {
    const pprofc_verdict_run *given = comparison_given(c, r);
    if (!((per_operation ? given->per_operation : given->operations) > 0)) return false;
  }
  return true;
}

static pprofc_verdict_exposure exposure_choose(const struct comparison *c) {
  if (c->options.normalize_by != PPROFC_EXPOSURE_AUTO) return c->options.normalize_by;
  if (exposure_known(c, false) || exposure_known(c, true)) return PPROFC_EXPOSURE_OPS;
  return c->quantum.sampling == SAMPLING_HEAP ? PPROFC_EXPOSURE_NONE : PPROFC_EXPOSURE_TOTAL;
}

/* Shares of the mean total. */
static double exposure_of_total(const struct comparison *c, size_t run) {
  return c->runs[run].total;
}

static double exposure_of_time(const struct comparison *c, size_t run) {
  return (double)c->runs[run].profile->duration_nanos / 1e9;
}

/* The timer says how much an operation costs, the profile only how that splits. */
static double exposure_of_ops(const struct comparison *c, size_t run) {
  const pprofc_verdict_run *given = comparison_given(c, run);
  if (given->operations > 0) return given->operations;
  return given->per_operation > 0 ? c->runs[run].total / given->per_operation : 0;
}

static double exposure_of_nothing(const struct comparison *c, size_t run) {
  (void)c;
  (void)run;
  return 1;
}

static const struct exposure_kind {
  double (*of)(const struct comparison *c, size_t run);
  const char *missing; /* why a run has none */
} exposure_kinds[] = {
    [PPROFC_EXPOSURE_OPS] = {exposure_of_ops, "its number of operations is not known"},
    [PPROFC_EXPOSURE_TIME] = {exposure_of_time, "its duration is not known"},
    [PPROFC_EXPOSURE_TOTAL] = {exposure_of_total, "its total is 0"},
    [PPROFC_EXPOSURE_NONE] = {exposure_of_nothing, ""},
};

pprofc_status exposure_find(struct comparison *c, pprofc_error *error) {
  c->exposure = exposure_choose(c);
  const struct exposure_kind *kind = &exposure_kinds[c->exposure];
  c->exposures = arena_array(&c->arena, c->count, sizeof *c->exposures);
  if (!c->exposures) return error_nomem(error);
  double sum = 0;
  for (size_t r = 0; r < c->count; r++) {
    c->exposures[r] = kind->of(c, r);
    sum += c->exposures[r];
    if (c->exposures[r] > 0 && isfinite(c->exposures[r])) continue;
    const char *name = comparison_given(c, r)->name;
    return error_set(error, PPROFC_E_INVALID, "cannot judge '%s': %s", name ? name : "a run",
                     kind->missing);
  }
  if (c->exposure != PPROFC_EXPOSURE_TOTAL) return PPROFC_OK;
  double mean = sum / (double)c->count;
  for (size_t r = 0; r < c->count; r++) c->exposures[r] /= mean;
  return PPROFC_OK;
}
