/* Random numbers of a fixed seed, so that the same tables come out everywhere. */
#ifndef PERF_VERDICT_RANDOM_H
#define PERF_VERDICT_RANDOM_H

#include <stddef.h>
#include <stdint.h>

struct random_source {
  uint64_t state;
};

/* Above 0 and below 1. */
double random_uniform(struct random_source *r);
double random_normal(struct random_source *r);
/* Of scale 1; shape >= 1. */
double random_gamma(struct random_source *r, double shape);
/* Mean and variance are `mean`, which is at least 0. */
double random_poisson(struct random_source *r, double mean);
/* 0 to count - 1, for a count above 0. */
size_t random_below(struct random_source *r, size_t count);
/* Puts the first `count` of the `total` items into random places of each other. */
void random_choose(struct random_source *r, size_t *items, size_t total, size_t count);

#endif
