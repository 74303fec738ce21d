/* Computes the divisors of shown values and of judged values. */
#include "verdict/compare.h"

#include <math.h>

static bool exposure_known(const struct comparison *c, bool per_operation) {
  for (size_t r = 0; r < c->count; r++) {
    const pprofc_verdict_run *given = comparison_given(c, r);
    if (!((per_operation ? given->per_operation : given->operations) > 0)) return false;
  }
  return true;
}

/* ---- types of divisors ------------------------------- */

static double exposure_of_total(const struct comparison *c, size_t run) {
  return c->totals[run] / 100;
}

static double exposure_of_time(const struct comparison *c, size_t run) {
  return (double)c->runs[run].profile->duration_nanos / 1e9;
}

/* Returns the number of operations of a run. This is the given number, or the total of the profile
 * divided by the given benchmark result per operation. In the second case, the values per operation
 * add up to the benchmark result. */
static double exposure_of_ops(const struct comparison *c, size_t run) {
  const pprofc_verdict_run *given = comparison_given(c, run);
  if (given->operations > 0) return given->operations;
  return given->per_operation > 0 ? c->totals[run] / given->per_operation : 0;
}

static double exposure_of_nothing(const struct comparison *c, size_t run) {
  (void)c;
  (void)run;
  return 1;
}

static const struct exposure_kind {
  double (*of)(const struct comparison *c, size_t run);
  const char *missing; /* word for the missing data, in the error of a run that lacks it */
} exposure_kinds[] = {
    [PPROFC_EXPOSURE_OPS] = {exposure_of_ops, "its number of operations is not known"},
    [PPROFC_EXPOSURE_TIME] = {exposure_of_time, "its duration is not known"},
    [PPROFC_EXPOSURE_TOTAL] = {exposure_of_total, "its total is 0"},
    [PPROFC_EXPOSURE_NONE] = {exposure_of_nothing, ""},
};

static bool exposure_all(const struct comparison *c, pprofc_verdict_exposure exposure) {
  for (size_t r = 0; r < c->count; r++)
    if (!(exposure_kinds[exposure].of(c, r) > 0)) return false;
  return true;
}

/* ---- the choice -------------------------------------- */

/* Chooses the divisor. Contention profiles use the duration, because waiting time grows with it. */
static pprofc_verdict_exposure exposure_choose(const struct comparison *c) {
  if (c->options.normalize_by != PPROFC_EXPOSURE_AUTO) return c->options.normalize_by;
  if (exposure_known(c, false) || exposure_known(c, true)) return PPROFC_EXPOSURE_OPS;
  bool events = c->quantum.sampling == SAMPLING_EVENTS;
  return events && exposure_all(c, PPROFC_EXPOSURE_TIME) ? PPROFC_EXPOSURE_TIME
                                                         : PPROFC_EXPOSURE_NONE;
}

/* True if the profiles do not record how much work a run did: functions are judged by shares of the
 * total. The model removes a common factor, so amounts give the same result. */
static bool exposure_by_shares(const struct comparison *c) {
  enum sampling_kind kind = c->quantum.sampling;
  bool sampled = kind == SAMPLING_PERIOD || kind == SAMPLING_COUNTS || kind == SAMPLING_UNKNOWN;
  if (c->exposure == PPROFC_EXPOSURE_TOTAL) return true;
  if (c->options.normalize_by != PPROFC_EXPOSURE_AUTO) return false;
  return c->exposure == PPROFC_EXPOSURE_NONE && comparison_settings(c).common && sampled &&
         exposure_all(c, PPROFC_EXPOSURE_TOTAL);
}

static bool exposure_fill_shares(struct comparison *c) {
  double sum = 0;
  c->shares = arena_array(&c->arena, c->count, sizeof *c->shares);
  for (size_t r = 0; r < c->count; r++) sum += c->totals[r];
  for (size_t r = 0; c->shares && r < c->count; r++)
    c->shares[r] = c->totals[r] / (sum / (double)c->count);
  return c->shares != NULL;
}

/* True if a run has a total above 0. */
static bool exposure_any_total(const struct comparison *c) {
  for (size_t r = 0; r < c->count; r++)
    if (c->totals[r] > 0) return true;
  return false;
}

static pprofc_status exposure_refuse(const struct comparison *c, size_t run, const char *why,
                                     pprofc_error *error) {
  const char *name = comparison_given(c, run)->name;
  return error_set(error, PPROFC_E_INVALID, "cannot judge '%s': %s", name ? name : "a run", why);
}

pprofc_status exposure_find(struct comparison *c, pprofc_error *error) {
  if (!exposure_any_total(c)) return exposure_refuse(c, 0, "all totals are 0", error);
  c->exposure = exposure_choose(c);
  c->pooled = c->exposure == PPROFC_EXPOSURE_TIME;
  const struct exposure_kind *kind = &exposure_kinds[c->exposure];
  c->divisors = arena_array(&c->arena, c->count, sizeof *c->divisors);
  if (!c->divisors) return error_nomem(error);
  for (size_t r = 0; r < c->count; r++) {
    c->divisors[r] = kind->of(c, r);
    if (!(c->divisors[r] > 0 && isfinite(c->divisors[r])))
      return exposure_refuse(c, r, kind->missing, error);
  }
  if (exposure_all(c, PPROFC_EXPOSURE_TOTAL) && !exposure_fill_shares(c)) return error_nomem(error);
  c->exposures = exposure_by_shares(c) ? c->shares : c->divisors;
  return PPROFC_OK;
}
