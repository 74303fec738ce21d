/* Generates pseudorandom numbers for simulations and permutation tests. Equal seeds give equal
 * numbers. */
#ifndef PPROFC_STATS_RANDOM_H
#define PPROFC_STATS_RANDOM_H

#include <stdint.h>

/* Returns the next number, and advances the state. The generator is SplitMix64 (Steele, Lea, Flood
 * 2014). */
static inline uint64_t stats_random(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

#endif
