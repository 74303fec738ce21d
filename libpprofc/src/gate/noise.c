/* Estimates how far benchmarks vary without a change, from earlier runs. */
#include "bench/pairs.h"
#include "core/log_guard.h"
#include "gate/judge.h"

#include <math.h>
#include <stdlib.h>

void gate_noise_key(struct buffer *out, pprofc_str group, pprofc_str name, pprofc_str unit) {
  escape_line(out, group); /* escape names as in the rows, so that keys are equal */
  buffer_add_char(out, '\0');
  escape_line(out, name);
  buffer_add_char(out, '\0');
  gate_unit_canonical(out, unit);
}

static int noise_by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Returns the median; sorts the values. */
static double noise_median(double *values, size_t count) {
  size_t half = count / 2;
  qsort(values, count, sizeof *values, noise_by_value);
  return count % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

/* Returns the relative range of the medians of a benchmark's runs. An input is a run, and its
 * values are contiguous. */
static double swing_of(struct pairs *pairs, const struct pair *pair) {
  const struct pair_side *all = &pair->sides[PAIR_BASE];
  const uint32_t *runs = pairs->inputs + all->first;
  double *values = pairs->values + all->first, low = HUGE_VAL, high = -HUGE_VAL;
  if (pair->bad) return 0;
  for (size_t i = 0, end; i < all->count; i = end) {
    for (end = i; end < all->count && runs[end] == runs[i];) end++;
    double middle = noise_median(values + i, end - i);
    low = fmin(low, middle);
    high = fmax(high, middle);
  }
  return low > 0 && isfinite(high) ? (high - low) / low : 0;
}

/* Keeps the largest variation of a key; keys are numbered from 0 without gaps. */
static bool noise_keep(struct gate *gate, const struct buffer *key, double swing) {
  if (key->failed) return false;
  uint32_t id = interner_copy(&gate->noise_keys, &gate->arena, buffer_str(key));
  if (id == MAP_NONE) return false;
  if (id == gate->noise.size / sizeof swing) buffer_add(&gate->noise, &swing, sizeof swing);
  if (gate->noise.failed) return false;
  double *kept = (double *)(void *)gate->noise.data + id;
  *kept = fmax(*kept, swing);
  return true;
}

static bool learn_pairs(struct gate *gate, struct pairs *pairs) {
  struct buffer key;
  buffer_init(&key, gate->mem, SIZE_MAX / 2);
  bool good = true;
  for (size_t i = 0; i < pairs->count && good; i++) {
    const struct pair *pair = &pairs->items[i];
    buffer_clear(&key);
    gate_noise_key(&key, pairs_text(pairs, pair->package),
                   pprofc_bench_string(pairs->set, pair->name), pairs_text(pairs, pair->unit));
    good = noise_keep(gate, &key, swing_of(pairs, pair));
  }
  buffer_free(&key);
  return good;
}

pprofc_status gate_learn_noise(struct gate *gate, const pprofc_bench *set, pprofc_error *error) {
  struct pairs pairs;
  if (pprofc_bench_inputs(set) < 2)
    gate_problem(gate, "noise needs at least two runs, but there is %s",
                 pprofc_bench_inputs(set) ? "one" : "none");
  bool good = pairs_make(&pairs, set, NULL, gate->mem) && learn_pairs(gate, &pairs);
  size_t count = pairs.count;
  pairs_free(&pairs);
  if (!good) return error_nomem(error);
  if (!count) gate_problem(gate, "the earlier runs have no benchmark results");
  return PPROFC_OK;
}
