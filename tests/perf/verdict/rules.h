/* Judges a simulated comparison by several rules. */
#ifndef PERF_VERDICT_RULES_H
#define PERF_VERDICT_RULES_H

#include "core/mem.h"
#include "noise.h"
#include "verdict/model.h"

/* Rules that judge functions:
 *
 *   THRESHOLD  reports functions that differ by more than 5 %
 *   SUMS       z-test on summed counts, as if noise were Poisson's; Benjamini-Hochberg
 *   WELCH      Welch's test of each function separately; Benjamini-Hochberg
 *   MODEL      the model of pprofc -noise */
enum rule_of_runs { THRESHOLD, SUMS, WELCH, MODEL, RULES };

/* Result of one rule. p is NaN for a function that was not judged. Only MODEL has intervals. */
struct rule_answer {
  size_t rows, judged;
  bool changed[ROWS_MAX];
  double delta[ROWS_MAX], low[ROWS_MAX], high[ROWS_MAX], p[ROWS_MAX], q[ROWS_MAX];
  double fcr_low[ROWS_MAX], fcr_high[ROWS_MAX]; /* only MODEL: intervals of changed rows, as with
                                                   -fcr */
  double scaled[RUNS_MAX];                      /* only MODEL: divisor of the values of each run */
  double cv2, prior, degrees;                   /* only MODEL: the members of the same names in
                                                   struct fit */
  double dispersion, common_error;              /* only MODEL: the members of the same names in
                                                   struct fit */
  double margin; /* only MODEL: distance in standard errors between delta and an end of its
                    interval */
};

/* level of the false discovery rate */
#define RULE_ALPHA 0.05

void rule_judge(enum rule_of_runs rule, const struct noise_draw *draw, struct rule_answer *answer);

/* Returns the data from which the report computes the smallest detectable change of a row. */
struct advice rule_advice(const struct noise_draw *draw, const struct rule_answer *said,
                          size_t row);

/* Ends the program with status 2 if `good` is false: out of memory, or a failure of the library. */
void rule_must(bool good, const char *what);

#endif
