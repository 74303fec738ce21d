/* Generates uniform, normal, gamma and Poisson numbers with splitmix64. */
#include "random.h"

#include "pprofc/stats.h"

#include <math.h>
#include <stdbool.h>

double random_uniform(struct random_source *r) {
  uint64_t z = (r->state += 0x9E3779B97F4A7C15u);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  z ^= z >> 31;
  return ((double)(z >> 11) + 0.5) / 9007199254740992.0;
}

double random_normal(struct random_source *r) {
  return pprofc_normal_quantile(random_uniform(r));
}

/* Uses the method of Marsaglia and Tsang (2000): the cube of a normal number, accepted if it is
 * below the density. */
double random_gamma(struct random_source *r, double shape) {
  double d = shape - 1.0 / 3, c = 1 / sqrt(9 * d);
  for (;;) {
    double x = random_normal(r), v = 1 + c * x;
    if (v <= 0) continue;
    v = v * v * v;
    if (log(random_uniform(r)) < x * x / 2 + d - d * v + d * log(v)) return d * v;
  }
}

/* Uses Knuth's method for small means: a product of uniform numbers. */
static double random_poisson_small(struct random_source *r, double mean) {
  double limit = exp(-mean), product = random_uniform(r), count = 0;
  while (product > limit) {
    product *= random_uniform(r);
    count++;
  }
  return count;
}

/* Uses the method of Hörmann (1993), "The transformed rejection method for generating Poisson
 * random variables". */
static double random_poisson_large(struct random_source *r, double mean) {
  double b = 0.931 + 2.53 * sqrt(mean), a = -0.059 + 0.02483 * b;
  double inverse = 1.1239 + 1.1328 / (b - 3.4), quick = 0.9277 - 3.6224 / (b - 2);
  for (;;) {
    double u = random_uniform(r) - 0.5, v = random_uniform(r), us = 0.5 - fabs(u);
    double k = floor((2 * a / us + b) * u + mean + 0.43);
    if (us >= 0.07 && v <= quick) return k;
    if (k < 0 || (us < 0.013 && v > us)) continue;
    double density = k * log(mean) - mean - lgamma(k + 1);
    if (log(v * inverse / (a / (us * us) + b)) <= density) return k;
  }
}

double random_poisson(struct random_source *r, double mean) {
  return mean < 10 ? random_poisson_small(r, mean) : random_poisson_large(r, mean);
}

size_t random_below(struct random_source *r, size_t count) {
  return (size_t)(random_uniform(r) * (double)count);
}

void random_choose(struct random_source *r, size_t *items, size_t total, size_t count) {
  for (size_t i = 0; i < count; i++) {
    size_t other = i + random_below(r, total - i), item = items[i];
    items[i] = items[other];
    items[other] = item;
  }
}
