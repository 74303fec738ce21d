/* Converts estimates without the common factor (the factor that all functions of a run share) to
 * shown values. These are recorded differences with intervals, the common factor itself, and a
 * verdict that agrees with the shown values. */
#include "verdict/compare.h"

/* Largest difference of two logarithmic factors that counts as a rounding error. */
#define SAME_SCALE 1e-9

/* ---- the common factor ------------------------------- */

/* Returns the logarithm of the factor that converts a judged rate of a column to a recorded value.
 * A column is a run, or all runs of base or of head if only sums over runs are known. */
static double recorded_log_scale(const struct recorded_rows *r, size_t column) {
  double exposure = r->m->exposure[column] / model_size(r->m, column);
  return log(exposure * r->fit->common[column] / r->c->divisors[column]);
}

/* Returns the variance of recorded_log_scale between the runs of base or of head. For sums over
 * runs, returns the variance of the totals instead. */
static double recorded_log_variance(const struct recorded_rows *r, size_t side) {
  size_t from = comparison_from(r->c, side), end = comparison_from(r->c, side + 1);
  double sum = 0;
  if (r->m->grouped) return r->c->total_spread[side];
  for (size_t i = from; i < end; i++) {
    double d = recorded_log_scale(r, i) - r->log_scale[side];
    sum += d * d;
  }
  return end - from > 1 ? sum / (double)(end - from - 1) : 0;
}

/* Computes, for base and for head, the variance of the mean of recorded_log_scale, and the degrees
 * of freedom of both variances together (Welch). If one side has a single run, both sides use the
 * variance of the other side. */
static void recorded_errors(struct recorded_rows *r) {
  double nb = r->c->side_runs[0], nh = r->c->side_runs[1], degrees = nb + nh - 2;
  double vb = recorded_log_variance(r, 0), vh = recorded_log_variance(r, 1);
  bool lone = nb < 2 || nh < 2;
  if (lone) vb = vh = (vb * (nb - 1) + vh * (nh - 1)) / fmax(degrees, 1);
  double cv = r->c->options.noise_cv;
  if (degrees == 0) vb = vh = cv * cv + r->fit->common_error;
  double eb = fmax(vb, r->fit->common_error) / nb, eh = fmax(vh, r->fit->common_error) / nh;
  r->error[0] = eb;
  r->error[1] = eh;
  r->degrees = degrees > 0 ? degrees : (double)INFINITY;
  if (!lone && eb + eh > 0)
    r->degrees = (eb + eh) * (eb + eh) / (eb * eb / (nb - 1) + eh * eh / (nh - 1));
}

double recorded_quantile(double tail, double degrees) {
  return isinf(degrees) ? pprofc_normal_quantile(tail) : pprofc_t_quantile(tail, degrees);
}

pprofc_verdict recorded_word(double delta, double p) {
  if (!(p < 2 * (1 - MODEL_TAIL)) || delta == 0) return PPROFC_VERDICT_UNCHANGED;
  return delta > 0 ? PPROFC_VERDICT_GREW : PPROFC_VERDICT_SHRANK;
}

/* Computes how the factor that all functions of a run share changed from base to head. Also
 * computes the interval of this change and the verdict on it. */
static void recorded_factor(struct recorded_rows *r) {
  double error = sqrt(r->error[0] + r->error[1]);
  r->change = r->log_scale[1] - r->log_scale[0];
  r->half = error > 0 ? recorded_quantile(MODEL_TAIL, r->degrees) * error : 0;
  r->p = r->change == 0 ? 1 : 0;
  if (error > 0) r->p = pprofc_t_two_sided(r->change / error, r->degrees);
  r->common = PPROFC_VERDICT_UNKNOWN;
  if (r->fit->has_common) r->common = recorded_word(r->change, r->p);
}

void recorded_begin(struct recorded_rows *r, const struct comparison *c, const struct matrix *m,
                    const struct fit *fit) {
  double least = (double)INFINITY, most = -(double)INFINITY;
  *r = (struct recorded_rows){.c = c, .m = m, .fit = fit, .stretch = comparison_stretch(c)};
  for (size_t i = 0; i < m->runs; i++) {
    double scale = recorded_log_scale(r, i);
    size_t side = i >= m->bases;
    r->log_scale[side] +=
        scale / (double)(comparison_from(r->c, side + 1) - comparison_from(r->c, side));
    least = fmin(least, scale);
    most = fmax(most, scale);
  }
  r->plain = !fit->has_common && most - least < SAME_SCALE &&
             (fit != &c->cum || m->values == c->cum_judged.values);
  recorded_errors(r);
  recorded_factor(r);
}

void recorded_common(const struct recorded_rows *r, pprofc_verdict_summary *s) {
  s->has_common = r->fit->has_common;
  s->common = r->m->grouped ? NULL : r->fit->common;
  s->common_change = s->common_low = s->common_high = s->common_p = (double)NAN;
  s->common_verdict = r->common;
  if (!s->has_common) return;
  s->common_change = expm1(r->change);
  s->common_low = expm1(r->change - r->half);
  s->common_high = expm1(r->change + r->half);
  s->common_p = r->p;
}

/* ---- a row ------------------------------------------- */

static double recorded_mean(const struct recorded_rows *r, size_t row, size_t side) {
  return comparison_mean(r->c, r->m->values + row * r->m->runs, side);
}

/* Returns the mean of 1 / divisor over the runs of base or of head. With `judged`, uses the
 * divisors of judged values (exposure times common factor, model.h). */
static double recorded_inverse(const struct recorded_rows *r, size_t side, bool judged) {
  double sum = 0;
  for (size_t i = comparison_from(r->c, side); i < comparison_from(r->c, side + 1); i++) {
    double size = model_size(r->m, i), of = size / r->c->divisors[i];
    if (judged) {
      of = r->m->grouped ? r->m->grouped->inverse[i] : 1 / r->m->exposure[i];
      of /= r->fit->common[i];
    }
    sum += of;
  }
  return sum / r->c->side_runs[side];
}

/* Returns a row's variance between runs, within base and within head, divided by the variance from
 * sampling. */
static double recorded_excess(const struct recorded_rows *r, size_t row) {
  double sum = 0, degrees = 0;
  for (size_t side = 0; side < 2; side++) {
    struct row_spread s = model_spread(r->m, r->fit, row, comparison_from(r->c, side),
                                       comparison_from(r->c, side + 1));
    double floor = r->m->quantum[row] * s.mean * recorded_inverse(r, side, true);
    if (!(floor > 0)) continue;
    sum += s.squares / floor;
    degrees += r->c->side_runs[side] - 1;
  }
  return degrees > 0 ? sum / degrees : 0;
}

/* Returns the variance of a row's mean in base or in head. The variance has two parts: sampling,
 * and noise between runs. */
static double recorded_variance(const struct recorded_rows *r, size_t row, size_t side,
                                double excess) {
  const struct variance_prior prior = {r->fit->cv2, r->fit->prior};
  double runs = r->c->side_runs[side], mean = recorded_mean(r, row, side);
  double quantum = r->m->quantum[row], inverse = recorded_inverse(r, side, false);
  double samples = fmax(mean / (quantum * inverse), 1 / runs);
  struct variance v = {excess, 1, samples * model_density(r->m, row)};
  double degrees = r->c->side_runs[0] + r->c->side_runs[1] - 2;
  return stats_moderated_variance(&prior, &v, degrees) * samples * quantum * quantum * inverse *
         inverse / runs;
}

/* Returns the squared half width of the confidence interval of a row's difference. Ignores the
 * error of the factor that all functions share; recorded_half adds this error. Uses the width of
 * model_interval if the periods of the runs differ, or if the row has no sampling variance (quantum
 * 0). In these cases, recorded_variance cannot compute the variances of base and head. */
static double recorded_own(const struct recorded_rows *r, size_t row, double tail) {
  double low, high, quantile = recorded_quantile(tail, r->fit->degrees);
  if (r->c->mixed_periods || r->m->quantum[row] <= 0) {
    model_interval(r->m, 0, r->fit, row, tail, &low, &high);
    double half = (high - low) / 2 * exp((r->log_scale[0] + r->log_scale[1]) / 2);
    return half * half;
  }
  double excess = recorded_excess(r, row);
  double variance = recorded_variance(r, row, 0, excess) + recorded_variance(r, row, 1, excess);
  return quantile * quantile * variance;
}

static double recorded_half(const struct recorded_rows *r, size_t row, double tail) {
  double quantile = recorded_quantile(tail, r->degrees), sum = recorded_own(r, row, tail);
  for (size_t side = 0; side < 2; side++) {
    double mean = recorded_mean(r, row, side);
    sum += quantile * quantile * mean * mean * r->error[side];
  }
  return sqrt(sum);
}

/* Moves an interval by `shown` (the shown difference) minus `means` (the difference of the means).
 * Widens the interval by the factor r->stretch. Does nothing if the factor is 1. */
static void recorded_centre(const struct recorded_rows *r, double means, double shown, double *low,
                            double *high) {
  if (r->stretch <= 1) return;
  *low = shown - (means - *low) * r->stretch;
  *high = shown + (*high - means) * r->stretch;
}

/* Computes the confidence interval of a row's recorded difference. The upper end of the interval is
 * at the quantile `tail`, such as 0.975 for a 95 % interval. */
static void recorded_interval(const struct recorded_rows *r, size_t row, double tail, double *low,
                              double *high) {
  double cv = r->c->options.noise_cv, delta, scale = exp(r->log_scale[0]);
  delta = recorded_mean(r, row, 1) - recorded_mean(r, row, 0);
  *low = *high = delta;
  if (r->plain) {
    model_interval(r->m, cv, r->fit, row, tail, low, high);
    *low *= scale;
    *high *= scale;
    recorded_centre(r, r->fit->of[row].delta * scale, delta, low, high);
  } else if (r->m->quantum[row] > 0 && isinf(r->fit->degrees)) {
    model_pair_interval(r->m, cv, cv, r->fit, r->c->divisors, row, pprofc_normal_quantile(tail),
                        low, high);
  } else if (!isinf(r->fit->degrees)) {
    double half = recorded_half(r, row, tail) * r->stretch;
    *low = delta - half;
    *high = delta + half;
  }
}

/* ---- the verdict ------------------------------------- */

/* True if the interval of an estimate does not contain 0. */
static bool recorded_excludes_zero(const pprofc_verdict_estimate *e) {
  return e->low > 0 || e->high < 0;
}

/* Returns the verdict to show on a row whose own change is more than noise. The own change is the
 * change without the factor that all functions of a run share. The verdict depends on the recorded
 * difference `delta`:
 *  - ROSE or FELL (in comparison with all functions) if the interval of the difference contains 0
 *  - GREW_LESS or SHRANK_LESS if the difference and the own change have different signs
 *  - otherwise the verdict on the own change */
static pprofc_verdict recorded_direction(const pprofc_verdict_estimate *e, double delta) {
  bool grew = e->own == PPROFC_VERDICT_GREW, fell = e->own == PPROFC_VERDICT_SHRANK;
  if (e->own == PPROFC_VERDICT_DIFFERS) return e->own;
  if (!recorded_excludes_zero(e))
    return grew || e->own == PPROFC_VERDICT_NEW ? PPROFC_VERDICT_ROSE : PPROFC_VERDICT_FELL;
  if (grew) return delta > 0 ? PPROFC_VERDICT_GREW : PPROFC_VERDICT_SHRANK_LESS;
  if (fell) return delta > 0 ? PPROFC_VERDICT_GREW_LESS : PPROFC_VERDICT_SHRANK;
  return e->own;
}

static pprofc_verdict recorded_verdict(const pprofc_verdict_estimate *e, pprofc_verdict common,
                                       double delta) {
  if (pprofc_verdict_is_change(e->own)) return recorded_direction(e, delta);
  if (e->own != PPROFC_VERDICT_UNCHANGED || !recorded_excludes_zero(e)) return e->own;
  if (common == PPROFC_VERDICT_GREW && delta > 0) return PPROFC_VERDICT_GREW_AS_ALL;
  if (common == PPROFC_VERDICT_SHRANK && delta < 0) return PPROFC_VERDICT_SHRANK_AS_ALL;
  return e->own;
}

double recorded_judged(const struct recorded_rows *r, size_t row) {
  struct recorded_rows judged = *r;
  if (r->fit == &r->c->cum) judged.m = &r->c->cum_judged;
  return recorded_mean(&judged, row, 1) - recorded_mean(&judged, row, 0);
}

/* Returns the verdict on the common factor (the factor that all functions of a run share). Returns
 * the verdict from the flat values if it is certain, or if the interval of `e` contains 0.
 * Otherwise returns r->common, the verdict from the values in `r`. Callers grow together, so cum
 * values can show a common factor even if few functions have flat values. */
static pprofc_verdict recorded_shared(const struct recorded_rows *r,
                                      const pprofc_verdict_estimate *e) {
  pprofc_verdict common = r->c->summary.common_verdict;
  return recorded_excludes_zero(e) && !pprofc_verdict_is_certain(common) ? r->common : common;
}

void recorded_fill(const struct recorded_rows *r, size_t row, double tail,
                   pprofc_verdict_estimate *e) {
  double judged = recorded_judged(r, row);
  e->base = recorded_mean(r, row, 0);
  e->head = recorded_mean(r, row, 1);
  e->delta = e->head - e->base;
  recorded_interval(r, row, tail, &e->low, &e->high);
  e->verdict = recorded_verdict(e, recorded_shared(r, e), judged);
  /* The judged difference excludes time in code such as the kernel. If the recorded difference has
   * the other sign, the verdict would contradict the amounts in the report. */
  bool reversed = judged > 0 ? e->delta <= 0 : e->delta >= 0;
  if (reversed && pprofc_verdict_is_certain(e->verdict)) e->verdict = PPROFC_VERDICT_ENVIRONMENT;
}
