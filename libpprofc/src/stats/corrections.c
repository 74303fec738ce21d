/* Corrects p-values of tests that are made together, by three published methods. */
#include "stats/stats.h"

/* Goes from the largest p to the smallest. The adjusted value is the smallest product so far of p
 * and count / rank. */
void corrections_benjamini_hochberg(const double *p, size_t count, double *adjusted) {
  double least = 1;
  for (size_t i = count; i-- > 0;) {
    double value = p[i] * ((double)count / (double)(i + 1));
    if (value < least) least = value;
    adjusted[i] = least;
  }
}

void corrections_benjamini_yekutieli(const double *p, size_t count, double *adjusted) {
  double harmonic = 0;
  for (size_t i = count; i > 0; i--) harmonic += 1 / (double)i;
  corrections_benjamini_hochberg(p, count, adjusted);
  for (size_t i = 0; i < count; i++) {
    double value = adjusted[i] * harmonic;
    adjusted[i] = value < 1 ? value : 1;
  }
}

/* Goes from the smallest p to the largest. The adjusted value is the largest product so far of p
 * and the number of remaining tests. */
void corrections_holm(const double *p, size_t count, double *adjusted) {
  double most = 0;
  for (size_t i = 0; i < count; i++) {
    double value = p[i] * (double)(count - i);
    if (value > most) most = value;
    adjusted[i] = most < 1 ? most : 1;
  }
}

bool corrections_apply(corrections_fn correct, double *p, size_t count,
                       const pprofc_allocator *mem) {
  if (!correct || !count) return true;
  size_t tests = 0;
  struct ranked *ranked = mem_array(mem, count, sizeof *ranked);
  double *sorted = mem_array(mem, count, sizeof *sorted);
  bool done = ranked && sorted;
  for (size_t i = 0; i < count && done; i++)
    if (!isnan(p[i])) ranked[tests++] = (struct ranked){p[i], i};
  if (tests) {
    ranked_sort(ranked, tests);
    for (size_t i = 0; i < tests; i++) sorted[i] = ranked[i].rank;
    correct(sorted, tests, sorted);
    for (size_t i = 0; i < tests; i++) p[ranked[i].index] = sorted[i];
  }
  mem_free(mem, ranked, count, sizeof *ranked);
  mem_free(mem, sorted, count, sizeof *sorted);
  return done;
}
