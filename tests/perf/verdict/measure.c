/* Computes sums and variances, and compares figures by two methods. */
#include "measure.h"

#include <math.h>

/* Probability that a normal variable exceeds three standard errors in one direction. */
#define THREE_ERRORS 0.00135

void measure_add(struct measure *m, double value) {
  if (isnan(value)) return;
  m->sum += value;
  m->squares += value * value;
  m->count++;
}

double measure_mean(const struct measure *m) {
  return m->count ? m->sum / (double)m->count : (double)NAN;
}

double measure_variance(const struct measure *m) {
  double n = (double)m->count, least = 1 / (n + 2);
  if (m->count < 2) return 0.25;
  double variance = (m->squares - m->sum * m->sum / n) / (n - 1);
  bool all_alike = !(variance > 1e-12);
  return all_alike ? least * (1 - least) : variance;
}

/* Returns the common variance of two figures with equal means. If one figure has few or no rare
 * values, assumes the size of the other's rare values and the frequency in both figures. */
static double measure_pooled_variance(const struct measure *m, const struct reference *reference) {
  double n = (double)m->count, other = (double)reference->count;
  double mean = (m->sum + reference->mean * other) / (n + other);
  double size = m->sum > 0 ? m->squares / m->sum : 1;
  return fmax(measure_variance(m), mean * (size - mean));
}

bool measure_agrees(const struct measure *m, const struct reference *reference) {
  double each = 1 / (double)m->count + 1 / (double)reference->count;
  double error = sqrt(measure_pooled_variance(m, reference) * each);
  double rounding = pow(10, -reference->digits) / 2;
  return fabs(measure_mean(m) - reference->mean) <= 3 * error + rounding;
}

/* ---- shares ------------------------------------------ */

/* Returns the logarithm of the binomial coefficient "n choose k". */
static double measure_log_ways(double n, double k) {
  return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1);
}

/* Returns the probability of at most k ones among the first n values, if `ones` of all n + other
 * values are 1. */
static double measure_tail(double n, double other, double ones, double k) {
  double sum = 0, all = measure_log_ways(n + other, ones);
  for (double i = fmax(0, ones - other); i <= k; i++)
    sum += exp(measure_log_ways(n, i) + measure_log_ways(other, ones - i) - all);
  return sum;
}

bool measure_share_agrees(const struct measure *m, const struct reference *reference) {
  double n = (double)m->count, other = (double)reference->count;
  double here = round(m->sum), there = round(reference->mean * other), ones = here + there;
  return measure_tail(n, other, ones, here) > THREE_ERRORS &&
         measure_tail(other, n, ones, there) > THREE_ERRORS;
}

/* ---- limits ------------------------------------------ */

static double measure_slack(const struct measure *m) {
  return 3 * sqrt(measure_variance(m) / (double)m->count);
}

bool measure_at_most(const struct measure *m, double limit) {
  return measure_mean(m) <= limit + measure_slack(m);
}

bool measure_at_least(const struct measure *m, double limit) {
  return measure_mean(m) >= limit - measure_slack(m);
}
