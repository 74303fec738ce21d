/* Tests the rows. With one run each of base and head, uses a score test. With more runs, uses
 * moderated t-tests. */
#include "verdict/model.h"

/* Minimum number of functions for estimating the dispersion (observed divided by expected
 * variance). */
#define DISPERSION_ROWS 20

/* The 50 % and the 80 % quantile of the chi-squared distribution with one degree of freedom. */
#define CHI2_MEDIAN 0.45493642311957283
#define CHI2_UPPER  1.6423744151498176
#define UPPER       0.8

/* Returns the test statistic z of a row before its division by the square root of the dispersion
 * (pair_dispersion). Stores base, head and delta in the row's estimate. */
static double pair_score(const struct model *model, size_t row) {
  const double *values = model->m->values + row * 2, *scaled = model->scaled;
  struct estimate *e = &model->fit->of[row];
  double quantum = model->m->quantum[row], cv = model->settings->noise_cv;
  e->base = values[0] / scaled[0];
  e->head = values[1] / scaled[1];
  e->delta = e->head - e->base;
  double rate = (values[0] + values[1]) / (scaled[0] + scaled[1]);
  double variance = quantum * rate * (1 / scaled[0] + 1 / scaled[1]);
  if (quantum > 0) variance += 2 * (cv * rate) * (cv * rate) * model_density(model->m, row);
  if (variance > 0) return e->delta / sqrt(variance);
  return e->delta == 0 ? 0 : (double)INFINITY;
}

/* Returns the dispersion: the observed variance of the functions divided by the variance that
 * sampling and assumed noise explain, at least 1. Estimates it from the median of the squares of z,
 * because changed functions hardly affect the median. For cum values, also estimates the
 * dispersion from the 80 % quantile, and returns the larger estimate. */
static double pair_dispersion(const struct model *model, const double *z, double *squares) {
  size_t count = 0;
  for (size_t i = 0; i < model->m->rows; i++)
    if (model->fit->of[i].tested && model->m->quantum[i] > 0) squares[count++] = z[i] * z[i];
  if (count < DISPERSION_ROWS) return 1;
  double ratio = stats_median(squares, count) / CHI2_MEDIAN;
  if (model->m->nested) ratio = fmax(ratio, pprofc_quantile(squares, count, UPPER) / CHI2_UPPER);
  return fmax(1, ratio);
}

/* Returns the p-value of a row with the statistic z. Flat values use the normal distribution. Cum
 * values use a t distribution, which gives larger p-values, because overlapping rows give a less
 * certain estimate of the dispersion (pair_dispersion). */
static double pair_p(const struct model *model, double z) {
  if (model->m->nested) return pprofc_t_two_sided(z, PRIOR_DEGREES_MOST);
  return 2 * pprofc_normal_cdf(-fabs(z));
}

void model_pair_test(struct model *model) {
  struct fit *fit = model->fit;
  size_t rows = model->m->rows;
  double *z = model->scratch;
  for (size_t i = 0; i < rows; i++) z[i] = pair_score(model, i);
  fit->dispersion =
      model->known ? model->known->dispersion : pair_dispersion(model, z, model->squares);
  fit->degrees = (double)INFINITY;
  for (size_t i = 0; i < rows; i++) {
    fit->of[i].p = fit->of[i].tested ? pair_p(model, z[i] / sqrt(fit->dispersion)) : (double)NAN;
  }
}

/* Combines the score intervals of base and head by the square-and-add method. The assumed noise
 * widens both intervals. The interval has a width even for 0 samples, and may contain 0 although
 * the test is significant. */
void model_pair_interval(const struct matrix *m, double noise_cv, double run_cv,
                         const struct fit *fit, const double scaled[2], size_t row, double z,
                         double *low, double *high) {
  const double *values = m->values + row * 2;
  double phi = fit->dispersion, own = noise_cv * noise_cv * model_density(m, row);
  double noise = z * z * (phi * own + run_cv * run_cv);
  double delta = values[1] / scaled[1] - values[0] / scaled[0], down[2], up[2];
  for (size_t side = 0; side < 2; side++) {
    double samples = model_samples(m, row, values[side]);
    double unit = m->quantum[row] / scaled[side], least, most;
    stats_score_interval(samples, phi, z, &least, &most);
    double extra = noise * samples * samples;
    down[side] = unit * unit * ((samples - least) * (samples - least) + extra);
    up[side] = unit * unit * ((most - samples) * (most - samples) + extra);
  }
  *low = delta - sqrt(down[1] + up[0]);
  *high = delta + sqrt(up[1] + down[0]);
}

/* ---- several runs ----------------------------------- */

/* Numbers for comparing base and head by moderated t-tests, if they have several runs. The
 * variances of all functions (the prior) correct the variance of each function. No variance is
 * below the sampling variance. */

struct many_shape {
  /* number of base runs and of head runs, and degrees of freedom: bases + heads - 2 */
  double bases, heads, degrees;
  /* mean of 1 / divisor over the runs of base, and over the runs of head; the divisor of run r is
   * model.scaled[r] */
  double inverse_base, inverse_head;
  double scaled; /* sum of the divisors of all runs */
};

static struct many_shape many_shape_of(const struct model *model) {
  const struct matrix *m = model->m;
  struct many_shape s = {
      model_sizes(m, 0, m->bases), model_sizes(m, m->bases, m->runs), 0, 0, 0, 0};
  s.degrees = s.bases + s.heads - 2;
  for (size_t r = 0; r < m->runs; r++) {
    double *inverse = r < m->bases ? &s.inverse_base : &s.inverse_head;
    *inverse += (m->grouped ? m->grouped->inverse[r] : 1 / m->exposure[r]) / model->fit->common[r];
    s.scaled += model->scaled[r];
  }
  s.inverse_base /= s.bases;
  s.inverse_head /= s.heads;
  return s;
}

static double many_mean(const struct matrix *m, const struct fit *fit, size_t row, size_t from,
                        size_t end) {
  double sum = 0;
  for (size_t r = from; r < end; r++)
    sum += model_size(m, r) * model_rate(m, row, r) / fit->common[r];
  return sum / model_sizes(m, from, end);
}

struct row_spread model_spread(const struct matrix *m, const struct fit *fit, size_t row,
                               size_t from, size_t end) {
  struct row_spread s = {many_mean(m, fit, row, from, end), 0};
  for (size_t r = from; r < end; r++) {
    double common = fit->common[r], d = model_rate(m, row, r) / common - s.mean;
    s.squares += model_size(m, r) * d * d;
    if (m->grouped) s.squares += m->grouped->squares[row * m->runs + r] / (common * common);
  }
  return s;
}

/* Computes a row's means, its sampling variance, and its variance between runs. */
static struct variance many_row(const struct model *model, const struct many_shape *s, size_t row) {
  const struct matrix *m = model->m;
  struct estimate *e = &model->fit->of[row];
  struct row_spread base = model_spread(m, model->fit, row, 0, m->bases);
  struct row_spread head = model_spread(m, model->fit, row, m->bases, m->runs);
  double sum = 0, squares = base.squares + head.squares;
  e->base = base.mean;
  e->head = head.mean;
  e->delta = head.mean - base.mean;
  for (size_t r = 0; r < m->runs; r++) sum += m->values[row * m->runs + r];
  double pooled = m->quantum[row] * (sum / s->scaled);
  double floor =
      pooled * (s->inverse_base * (s->bases - 1) + s->inverse_head * (s->heads - 1)) / s->degrees;
  return (struct variance){squares / s->degrees, floor, e->samples * model_density(m, row)};
}

static double many_p(const struct estimate *e, double error, double degrees) {
  if (!e->tested) return (double)NAN;
  if (error > 0) return pprofc_t_two_sided(e->delta / error, degrees);
  return e->delta == 0 ? 1 : 0;
}

/* Returns the prior: the variance that the other functions suggest. Uses the prior of the earlier
 * fit model->known if it is set, else estimates a prior from tested rows with sampling noise. */
static struct variance_prior many_prior(const struct model *model, const struct variance *all,
                                        double degrees) {
  size_t count = 0;
  if (model->known) return (struct variance_prior){model->known->cv2, model->known->prior};
  for (size_t i = 0; i < model->m->rows; i++)
    if (model->fit->of[i].tested && all[i].floor > 0) model->variances[count++] = all[i];
  return stats_variance_prior(model->variances, count, degrees, model->medians);
}

void model_runs_test(struct model *model) {
  struct fit *fit = model->fit;
  struct many_shape s = many_shape_of(model);
  size_t rows = model->m->rows;
  struct variance *all = model->variances + rows;
  for (size_t i = 0; i < rows; i++) all[i] = many_row(model, &s, i);
  struct variance_prior prior = many_prior(model, all, s.degrees);
  fit->cv2 = prior.cv2;
  fit->prior = prior.degrees;
  fit->degrees = prior.degrees + s.degrees;
  double quantile = pprofc_t_quantile(MODEL_TAIL, fit->degrees);
  for (size_t i = 0; i < rows; i++) {
    struct estimate *e = &fit->of[i];
    double variance = stats_moderated_variance(&prior, &all[i], s.degrees);
    double error = sqrt(variance * (1 / s.bases + 1 / s.heads));
    e->low = e->delta - quantile * error;
    e->high = e->delta + quantile * error;
    e->p = many_p(e, error, fit->degrees);
  }
}
