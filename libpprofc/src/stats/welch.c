/* Computes the mean and the variance of a sample, and Welch's t-test of two samples. */
#include "pprofc/stats.h"

#include <math.h>

pprofc_moments pprofc_moments_of(const double *values, size_t count) {
  double mean = 0, squares = 0;
  for (size_t i = 0; i < count; i++) {
    double delta = values[i] - mean;
    mean += delta / (double)(i + 1);
    squares += delta * (values[i] - mean);
  }
  return (pprofc_moments){mean, count > 1 ? squares / (double)(count - 1) : 0};
}

static bool all_finite(const double *values, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!isfinite(values[i])) return false;
  return true;
}

/* Computes Welch's test (1947) with the degrees of freedom of Satterthwaite (1946). If squares
 * overflow, t is 0 and p is 1. */
pprofc_t_result pprofc_welch_test(const double *x, size_t x_count, const double *y,
                                  size_t y_count) {
  pprofc_t_result result = {PPROFC_TEST_OK, 0, 0, 1};
  if (x_count <= 1 || y_count <= 1) {
    result.status = PPROFC_TEST_TOO_SMALL;
    return result;
  }
  if (!all_finite(x, x_count) || !all_finite(y, y_count)) {
    result.status = PPROFC_TEST_NAN;
    return result;
  }
  pprofc_moments mx = pprofc_moments_of(x, x_count), my = pprofc_moments_of(y, y_count);
  if (mx.variance == 0 && my.variance == 0) {
    result.status = PPROFC_TEST_ZERO_VARIANCE;
    return result;
  }
  double nx = (double)x_count, ny = (double)y_count;
  double ex = mx.variance / nx, ey = my.variance / ny, error = ex + ey;
  double degrees = error * error / (ex * ex / (nx - 1) + ey * ey / (ny - 1));
  double t = (mx.mean - my.mean) / sqrt(error);
  if (!isfinite(degrees) || !isfinite(t) || degrees <= 0) return result;
  result.t = t;
  result.degrees = degrees;
  result.p = pprofc_t_two_sided(t, degrees);
  return result;
}

const char *pprofc_test_message(pprofc_test_status status) {
  static const char *const messages[] = {
      [PPROFC_TEST_TOO_SMALL] = "sample is too small",
      [PPROFC_TEST_ZERO_VARIANCE] = "sample has zero variance",
      [PPROFC_TEST_ALL_EQUAL] = "all samples are equal",
      [PPROFC_TEST_NAN] = "a sample holds NaN",
      [PPROFC_TEST_NO_MEMORY] = "out of memory",
  };
  return messages[status];
}
