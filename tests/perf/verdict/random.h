/* Generates random numbers from a fixed seed. They are the same on each machine. */
#ifndef PERF_VERDICT_RANDOM_H
#define PERF_VERDICT_RANDOM_H

#include <stddef.h>
#include <stdint.h>

struct random_source {
  uint64_t state;
};

/* Returns a number above 0 and below 1. */
double random_uniform(struct random_source *r);
double random_normal(struct random_source *r);
/* Returns a gamma-distributed number of scale 1. Requires shape >= 1. */
double random_gamma(struct random_source *r, double shape);
/* Returns a Poisson-distributed number. Its mean and variance are `mean`, which is at least 0. */
double random_poisson(struct random_source *r, double mean);
/* Returns a number from 0 to count - 1, for a count above 0. */
size_t random_below(struct random_source *r, size_t count);
/* Moves `count` of the `total` items, selected at random, to the front in random order. */
void random_choose(struct random_source *r, size_t *items, size_t total, size_t count);

#endif
