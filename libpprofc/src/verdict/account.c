/* What holds for all rows: totals and what explains them, and the common factor with its interval.
 */
#include "pprofc/stats.h"
#include "stats/ratio.h"
#include "verdict/compare.h"

#include <math.h>

/* ---- the common factor ------------------------------- */

/* Welch's interval of the difference of the logarithms. */
static void account_common(struct comparison *c, double *logs) {
  pprofc_verdict_summary *s = &c->summary;
  size_t nb = c->bases, nh = c->count - nb;
  for (size_t r = 0; r < c->count; r++) logs[r] = log(c->flat.common[r]);
  pprofc_moments b = pprofc_moments_of(logs, nb), h = pprofc_moments_of(logs + nb, nh);
  double change = h.mean - b.mean;
  s->common_change = expm1(change);
  s->common_low = s->common_high = (double)NAN;
  if (nb < 2 || nh < 2) return;
  double eb = b.variance / (double)nb, eh = h.variance / (double)nh, error = eb + eh;
  double half = 0;
  if (error > 0) {
    double degrees = error * error / (eb * eb / (double)(nb - 1) + eh * eh / (double)(nh - 1));
    half = pprofc_t_quantile(0.975, degrees) * sqrt(error);
  }
  s->common_low = expm1(change - half);
  s->common_high = expm1(change + half);
}

/* ---- totals ------------------------------------------ */

struct account_change {
  double base, head;
  double p, half; /* of the difference, pooled t; NaN with one run a side */
};

static struct account_change account_change_of(const double *values, size_t bases, size_t count) {
  pprofc_moments b = pprofc_moments_of(values, bases);
  pprofc_moments h = pprofc_moments_of(values + bases, count - bases);
  struct account_change change = {b.mean, h.mean, (double)NAN, (double)NAN};
  if (count < 3) return change;
  double nb = (double)bases, nh = (double)(count - bases), degrees = nb + nh - 2;
  double pooled = ((nb - 1) * b.variance + (nh - 1) * h.variance) / degrees;
  double error = sqrt(pooled * (1 / nb + 1 / nh)), delta = h.mean - b.mean;
  change.half = error > 0 ? pprofc_t_quantile(0.975, degrees) * error : 0;
  if (error > 0)
    change.p = pprofc_t_two_sided(delta / error, degrees);
  else
    change.p = delta == 0 ? 1 : 0;
  return change;
}

/* The sum of the changed rows in each run. */
static void account_chosen(const struct comparison *c, double *chosen) {
  const struct matrix *m = &c->flat_matrix;
  for (size_t r = 0; r < c->count; r++) chosen[r] = 0;
  for (size_t i = 0; i < m->rows; i++) {
    const pprofc_verdict_row *row = &c->row[c->row_of[c->order[i]]];
    if (!pprofc_verdict_is_change(row->flat.verdict)) continue;
    for (size_t r = 0; r < c->count; r++)
      chosen[r] += m->values[i * m->runs + r] / (c->exposures[r] * c->flat.common[r]);
  }
}

static void account_totals(struct comparison *c, double *raw, double *all, double *chosen) {
  pprofc_verdict_summary *s = &c->summary;
  for (size_t r = 0; r < c->count; r++) {
    raw[r] = c->runs[r].total / c->exposures[r];
    all[r] = raw[r] / c->flat.common[r];
  }
  struct account_change total = account_change_of(raw, c->bases, c->count);
  struct account_change specific = account_change_of(all, c->bases, c->count);
  s->total_base = total.base;
  s->total_head = total.head;
  s->total_delta = total.head - total.base;
  s->total_low = s->total_delta - total.half;
  s->total_high = s->total_delta + total.half;
  s->total_p = total.p;
  s->total_specific = specific.head - specific.base;
  s->total_common = s->total_delta - s->total_specific;
  s->specific_p = specific.p;
  account_chosen(c, chosen);
  struct ratio_interval part = stats_fieller(chosen, all, c->bases, c->count);
  bool known = s->changed && c->count > 2;
  s->part = known ? part.ratio : (double)NAN;
  s->part_low = known ? part.low : (double)NAN;
  s->part_high = known ? part.high : (double)NAN;
}

/* ---- all --------------------------------------------- */

/* How long a run is. */
static double account_seconds(const struct comparison *c) {
  double sum = 0;
  for (size_t r = 0; r < c->count; r++) {
    double nanos = (double)c->runs[r].profile->duration_nanos;
    if (!(nanos > 0)) return (double)NAN;
    sum += nanos / 1e9;
  }
  return sum / (double)c->count;
}

static void account_describe(struct comparison *c) {
  pprofc_verdict_summary *s = &c->summary;
  bool pair = c->count == 2;
  s->base_runs = c->bases;
  s->head_runs = c->count - c->bases;
  s->type = c->type;
  s->unit = c->unit;
  s->exposure = c->exposure;
  s->exact = c->quantum.sampling == SAMPLING_EXACT;
  s->mixed_periods = c->mixed_periods;
  s->lower_bound = c->quantum.sampling == SAMPLING_EVENTS;
  s->tested = c->flat.tested;
  s->alpha = c->options.alpha;
  s->common = c->flat.common;
  s->has_common = c->flat.has_common;
  s->between_run_cv = pair ? (double)NAN : sqrt(c->flat.cv2);
  s->prior_degrees = pair ? (double)NAN : c->flat.prior;
  s->dispersion = pair ? c->flat.dispersion : (double)NAN;
  s->noise_cv = c->options.noise_cv;
  s->interval_level = (double)NAN;
  s->seconds = account_seconds(c);
}

pprofc_status account_fill(struct comparison *c, pprofc_error *error) {
  double *scratch = mem_array(c->mem, 3 * c->count, sizeof *scratch);
  if (!scratch) return error_nomem(error);
  account_describe(c);
  account_common(c, scratch);
  account_totals(c, scratch, scratch + c->count, scratch + 2 * c->count);
  advice_fill(c);
  mem_free(c->mem, scratch, 3 * c->count, sizeof *scratch);
  return PPROFC_OK;
}
