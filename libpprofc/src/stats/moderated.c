/* Estimates the prior distribution of variances (what all rows together say about the variance of a
 * row). The median ratio of observed variance to expected variance gives the noise between runs.
 * The spread of the logarithms of the variances gives the degrees of freedom. */
#include "stats/stats.h"

/* Maximum of cv2: a relative noise of 200 % between runs, squared. */
#define CV2_MAX 4.0
/* Minimum of a row's observed variance, as a share of its sampling variance. */
#define RATIO_MIN 1e-3
/* Result of variance_degrees if chance alone explains the spread of the variances. It is also the
 * maximum of variance_degrees. */
#define DEGREES_PERFECT 100.0

static double variance_trend(const struct variance *row, double cv2) {
  return 1 + cv2 * row->samples;
}

/* Returns the weighted median of observed variance / expected variance over all rows. */
static double variance_ratio(const struct variance *rows, size_t count, double median, double cv2,
                             struct weighted *scratch) {
  for (size_t i = 0; i < count; i++) {
    double ratio = rows[i].seen / rows[i].floor;
    scratch[i].value = ratio / (median * variance_trend(&rows[i], cv2));
    scratch[i].weight = sqrt(rows[i].samples);
    scratch[i].place = i;
  }
  return stats_weighted_median(scratch, count);
}

/* Returns the squared noise between runs (cv2) for which variance_ratio is 1. */
static double variance_noise(const struct variance *rows, size_t count, double degrees,
                             struct weighted *scratch) {
  double median = stats_chi2_median(degrees) / degrees;
  double low = 0, high = CV2_MAX;
  if (!(variance_ratio(rows, count, median, 0, scratch) > 1)) return 0;
  for (int i = 0; i < 60; i++) {
    double middle = (low + high) / 2;
    if (variance_ratio(rows, count, median, middle, scratch) > 1)
      low = middle;
    else
      high = middle;
  }
  return (low + high) / 2;
}

/* Returns the degrees of freedom of the prior distribution. They follow from the spread of
 * log(observed variance), minus the spread by chance. */
static double variance_degrees(const struct variance *rows, size_t count, double degrees,
                               double cv2) {
  double mean = 0, squares = 0;
  double shift = log(degrees / 2) - stats_digamma(degrees / 2);
  for (size_t i = 0; i < count; i++) {
    double ratio = fmax(rows[i].seen / rows[i].floor, RATIO_MIN);
    double e = log(ratio / variance_trend(&rows[i], cv2)) + shift, delta = e - mean;
    mean += delta / (double)(i + 1);
    squares += delta * (e - mean);
  }
  double spread = squares / (double)(count - 1) - stats_trigamma(degrees / 2);
  if (!(spread > 0)) return DEGREES_PERFECT;
  return fmin(fmax(2 * stats_trigamma_inverse(spread), 1), DEGREES_PERFECT);
}

struct variance_prior stats_variance_prior(const struct variance *rows, size_t count,
                                           double degrees, struct weighted *scratch) {
  struct variance_prior prior = {0, 0};
  if (count < PRIOR_ROWS_MIN) return prior;
  prior.cv2 = variance_noise(rows, count, degrees, scratch);
  prior.degrees = fmin(variance_degrees(rows, count, degrees, prior.cv2), PRIOR_DEGREES_MOST);
  return prior;
}

double stats_moderated_variance(const struct variance_prior *prior, const struct variance *row,
                                double degrees) {
  double expected = row->floor * variance_trend(row, prior->cv2);
  double pooled = (prior->degrees * expected + degrees * row->seen) / (prior->degrees + degrees);
  return fmax(fmax(pooled, row->floor), row->seen);
}
