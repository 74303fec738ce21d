/* Compares one run a side by a score test, whose variance is sampling plus assumed noise between
 * runs, times the dispersion of the other functions. */
#include "pprofc/stats.h"
#include "stats/moderated.h"
#include "stats/ratio.h"
#include "stats/robust.h"
#include "verdict/model.h"

#include <math.h>

/* Minimum number of functions for estimating the dispersion. */
#define DISPERSION_ROWS 20

/* The 50 % and the 80 % quantile of the chi-squared distribution with one degree of freedom. */
#define CHI2_MEDIAN 0.45493642311957283
#define CHI2_UPPER  1.6423744151498176
#define UPPER       0.8

/* Returns a row's statistic z without the dispersion. Stores base, head and delta. */
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

/* Returns the observed variance of the functions divided by the variance that sampling and assumed
 * noise explain. Uses the median, which changed functions hardly affect. For overlapping rows
 * (cum), also uses the 80 % quantile, because a burst of samples changes many rows. */
static double pair_dispersion(const struct model *model, const double *z, double *squares) {
  size_t count = 0;
  for (size_t i = 0; i < model->m->rows; i++)
    if (model->fit->of[i].tested && model->m->quantum[i] > 0) squares[count++] = z[i] * z[i];
  if (count < DISPERSION_ROWS) return 1;
  double ratio = stats_median(squares, count) / CHI2_MEDIAN;
  if (model->m->nested) ratio = fmax(ratio, pprofc_quantile(squares, count, UPPER) / CHI2_UPPER);
  return fmax(1, ratio);
}

/* Returns the p-value of a row with the statistic z. Uses the normal distribution. Rows of cum
 * overlap, so there are fewer independent rows to estimate the dispersion. These rows use a t
 * distribution, which gives larger p-values. */
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
 * widens both. The result has a width even for 0 samples. It may contain 0 although the test is
 * significant. */
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
