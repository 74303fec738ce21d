/* What each rule says about a simulated comparison. */
#ifndef PERF_VERDICT_RULES_H
#define PERF_VERDICT_RULES_H

#include "core/mem.h"
#include "noise.h"
#include "verdict/advice.h"

/* THRESHOLD  functions that differ by more than 5 %
 * SUMS       z-test on summed counts, as if noise were Poisson's; Benjamini-Hochberg
 * WELCH      Welch's test of each function by itself; Benjamini-Hochberg
 * MODEL      what pprofc -noise says */
enum rule_of_runs { THRESHOLD, SUMS, WELCH, MODEL, RULES };

/* One rule's answer. A p of NaN: not judged. Only MODEL has intervals. */
struct rule_answer {
  size_t rows, judged;
  bool changed[ROWS_MAX];
  double delta[ROWS_MAX], low[ROWS_MAX], high[ROWS_MAX], p[ROWS_MAX], q[ROWS_MAX];
  double fcr_low[ROWS_MAX], fcr_high[ROWS_MAX]; /* of MODEL, of rows that changed: as -fcr has it */
  double scaled[RUNS_MAX];         /* of MODEL: what the values of each run are divided by */
  double cv2, prior, degrees;      /* of MODEL, as in struct fit */
  double dispersion, common_error; /* the same */
  double margin;                   /* of MODEL: intervals are delta -+ margin standard errors */
};

/* The level of false discoveries. */
#define RULE_ALPHA 0.05

void rule_judge(enum rule_of_runs rule, const struct noise_draw *draw, struct rule_answer *answer);

/* What the report knows of row `row` when it says what could have been seen. */
struct advice rule_advice(const struct noise_draw *draw, const struct rule_answer *said,
                          size_t row);

/* Ends the program, with status 2, unless `good`: memory ran out, or the library failed. */
void rule_must(bool good, const char *what);

#endif
