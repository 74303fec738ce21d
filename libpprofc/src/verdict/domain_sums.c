/* Judges the sum of a set of rows like a row, with the noise of the sum in each run. */
#include "verdict/domains.h"

#include <math.h>

struct sums_rows {
  double *values, *quantum, *density;
  bool *aside;
};

/* Returns the mean number of samples of a row in a run. */
static double sums_samples(const struct comparison *c, size_t line) {
  return c->flat.of[line].samples;
}

static void sums_fill_flat(const struct comparison *c, const struct domain_set *set, size_t at,
                           const struct sums_rows *rows) {
  const struct matrix *m = &c->flat_matrix;
  double noise = 0, value = 0, samples = 0, squares = 0;
  for (size_t i = 0; i < set->sum_count; i++) {
    size_t line = c->line[set->sum[i]];
    double of = sums_samples(c, line);
    samples += of;
    squares += of * of;
    for (size_t r = 0; r < m->runs; r++) {
      double x = m->values[line * m->runs + r];
      rows->values[at * m->runs + r] += x;
      value += x;
      noise += x * m->quantum[line];
    }
  }
  rows->quantum[at] = value > 0 ? noise / value : 0;
  rows->density[at] = samples > 0 ? squares / (samples * samples) : 1;
}

static void sums_fill_subtree(const struct comparison *c, size_t row, size_t at,
                              const struct sums_rows *rows) {
  const struct matrix *m = &c->cum_matrix;
  size_t line = c->line[row];
  for (size_t r = 0; r < m->runs; r++)
    rows->values[at * m->runs + r] = m->values[line * m->runs + r];
  rows->quantum[at] = m->quantum[line];
  rows->density[at] = 1;
}

/* Makes a matrix in `arena` that has a row for each set. `values` is NULL when out of memory. */
static struct sums_rows sums_matrix(const struct comparison *c, const struct domain_set *sets,
                                    size_t count, struct arena *arena) {
  size_t runs = c->flat_matrix.runs;
  struct sums_rows rows = {NULL, arena_array(arena, count, sizeof(double)),
                           arena_array(arena, count, sizeof(double)),
                           arena_zero_array(arena, count, sizeof(bool))};
  if (!rows.quantum || !rows.density || !rows.aside) return rows;
  rows.values = arena_zero_array(arena, count * runs, sizeof(double));
  for (size_t i = 0; rows.values && i < count; i++) {
    if (sets[i].subtree == DOMAIN_NO_SUBTREE)
      sums_fill_flat(c, &sets[i], i, &rows);
    else
      sums_fill_subtree(c, sets[i].subtree, i, &rows);
  }
  return rows;
}

bool domain_sums(struct comparison *c, const struct domain_set *sets, size_t count,
                 struct domain_sum *sums) {
  struct model_settings settings = comparison_settings(c);
  struct arena arena;
  struct fit fit;
  arena_init(&arena, c->mem);
  pprofc_verdict_estimate *words = arena_array(&arena, count, sizeof *words);
  struct sums_rows rows = sums_matrix(c, sets, count, &arena);
  struct matrix m = c->flat_matrix;
  m.rows = count;
  m.values = rows.values;
  m.quantum = rows.quantum;
  m.density = rows.density;
  m.aside = rows.aside;
  bool done = words && rows.values &&
              model_apply(&m, &settings, &c->flat, &arena, &fit, NULL) == PPROFC_OK &&
              family_words(c, &m, &fit, words);
  for (size_t i = 0; done && i < count; i++) sums[i] = (struct domain_sum){fit.of[i], words[i]};
  arena_free(&arena);
  return done;
}
