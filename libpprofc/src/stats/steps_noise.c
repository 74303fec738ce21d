/* Handles the noise of a series for the search for change points: limits outliers, and tests a
 * split of correlated values. */
#include "stats/robust.h"
#include "stats/steps_inside.h"

#include <math.h>

#define CUT_HALF 5 /* number of neighbours on each side in the rolling median */
/* For a normal distribution: standard deviation divided by the median absolute deviation. */
#define MAD_TO_SIGMA 1.4826
/* Maximum of the correlation that is corrected. */
#define RESEMBLING_MAX 0.9

/* ---- outliers ---------------------------------------- */

static double cut_median(double *values, size_t count) {
  sort_doubles(values, count);
  return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

void steps_cut(const double *values, size_t count, double cut, double *out) {
  double near[2 * CUT_HALF + 1];
  if (count) memcpy(out, values, count * sizeof *out);
  for (size_t i = 0; i < count && cut > 0; i++) {
    size_t first = i > CUT_HALF ? i - CUT_HALF : 0, n = 0;
    for (size_t k = first; k < count && k <= i + CUT_HALF; k++) near[n++] = values[k];
    double middle = cut_median(near, n);
    for (size_t k = 0; k < n; k++) near[k] = fabs(near[k] - middle);
    double most = cut * MAD_TO_SIGMA * cut_median(near, n);
    /* If more than half of the values are equal, their median deviation is 0 and does not show the
     * noise. */
    if (most > 0) out[i] = fmax(middle - most, fmin(middle + most, values[i]));
  }
}

/* ---- correlation ------------------------------------- */

/* Returns the correlation of each value with the previous value on the same side of a split.
 * Returns 0 if the correlation may be chance. */
static double resemblance(const double *values, size_t first, size_t middle, size_t end,
                          const struct steps_side *a, const struct steps_side *b) {
  double squares = a->squares + b->squares, products = 0, n = a->count + b->count;
  for (size_t i = first + 1; i < end; i++) {
    double mean = i < middle ? a->mean : b->mean;
    if (i != middle) products += (values[i] - mean) * (values[i - 1] - mean);
  }
  double r = squares > 0 ? products / squares : 0;
  if (!(r > 1 / sqrt(n))) return 0;
  return fmin(r + (1 + 3 * r) / n,
              RESEMBLING_MAX); /* a short series underestimates its correlation */
}

double steps_p(const double *values, size_t first, size_t middle, size_t end,
               const struct steps_options *options) {
  struct steps_side a = steps_side_of(values, first, middle);
  struct steps_side b = steps_side_of(values, middle, end);
  double r = 0;
  if (options->autocorrelated) r = resemblance(values, first, middle, end, &a, &b);
  /* The mean of n correlated values has the variance of the mean of n * share independent
   * values. */
  double share = (1 - r) / (1 + r);
  a.count *= share;
  a.squares *= share;
  b.count *= share;
  b.squares *= share;
  return steps_student_p(&a, &b);
}
