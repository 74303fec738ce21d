/* Computes Fieller's interval of a ratio, and the score interval of a mean of counts. */
#include "stats/ratio.h"

#include "pprofc/stats.h"

#include <math.h>

struct two_sides {
  size_t bases, count;
  double base_mean, head_mean;
};

static struct two_sides two_sides_of(const double *values, size_t bases, size_t count) {
  struct two_sides s = {bases, count, 0, 0};
  for (size_t i = 0; i < bases; i++) s.base_mean += values[i];
  for (size_t i = bases; i < count; i++) s.head_mean += values[i];
  s.base_mean /= (double)bases;
  s.head_mean /= (double)(count - bases);
  return s;
}

/* Returns the covariance of two differences of means, from the deviations within base and within
 * head. */
static double two_sides_covariance(const double *u, const struct two_sides *su, const double *v,
                                   const struct two_sides *sv) {
  double sum = 0, nb = (double)su->bases, nh = (double)(su->count - su->bases);
  for (size_t i = 0; i < su->count; i++) {
    bool base = i < su->bases;
    double du = u[i] - (base ? su->base_mean : su->head_mean);
    double dv = v[i] - (base ? sv->base_mean : sv->head_mean);
    sum += du * dv;
  }
  return sum / (nb + nh - 2) * (1 / nb + 1 / nh);
}

struct ratio_interval stats_fieller(const double *part, const double *whole, size_t bases,
                                    size_t count) {
  struct two_sides a = two_sides_of(part, bases, count), t = two_sides_of(whole, bases, count);
  double change = t.head_mean - t.base_mean;
  struct ratio_interval out = {change != 0, false, (double)NAN, (double)NAN, (double)NAN};
  if (!out.defined) return out;
  double r = (a.head_mean - a.base_mean) / change;
  out.ratio = r;
  if (count < 3) return out;
  double va = two_sides_covariance(part, &a, part, &a);
  double vt = two_sides_covariance(whole, &t, whole, &t);
  double vat = two_sides_covariance(part, &a, whole, &t);
  double quantile = pprofc_t_quantile(0.975, (double)count - 2), square = quantile * quantile;
  double g = square * vt / (change * change);
  if (g >= 1) return out;
  double middle = r, inside = va;
  if (vt > 0) {
    middle = (r - g * vat / vt) / (1 - g);
    inside = va - 2 * r * vat + r * r * vt - g * (va - vat * vat / vt);
  }
  double half = sqrt(square * fmax(inside, 0)) / fabs(change) / (1 - g);
  out.bounded = true;
  out.low = middle - half;
  out.high = middle + half;
  return out;
}

void stats_score_interval(double samples, double dispersion, double z, double *low, double *high) {
  double h = dispersion * z * z / 2;
  double r = z * sqrt(dispersion * samples + h * h);
  *low = fmax(0, samples + h - r);
  *high = samples + h + r;
}
