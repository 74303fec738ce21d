/* Corrects p-values for the number of tests made together. */
#include "stats/corrections.h"

/* Goes down from the largest p and keeps the smallest p * count / rank so far. */
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

/* Goes up from the smallest p and keeps the largest p times the number of remaining tests. */
void corrections_holm(const double *p, size_t count, double *adjusted) {
  double most = 0;
  for (size_t i = 0; i < count; i++) {
    double value = p[i] * (double)(count - i);
    if (value > most) most = value;
    adjusted[i] = most < 1 ? most : 1;
  }
}
