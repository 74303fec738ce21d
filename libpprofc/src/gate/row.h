/* One comparison of a benchmark between base and head: what a reader found, and what the judge made
 * of it. */
#ifndef PPROFC_GATE_ROW_H
#define PPROFC_GATE_ROW_H

#include "core/str.h"

#include <stdbool.h>
#include <stddef.h>

enum gate_verdict {
  GATE_UNCHANGED,
  GATE_IMPROVED,
  GATE_SUSPICIOUS, /* faster by more than half: was anything measured? */
  GATE_REGRESSED,
  GATE_INCONCLUSIVE,  /* the samples do not decide whether a regression is there */
  GATE_TOO_FEW,       /* fewer samples than -min-samples */
  GATE_MISSING,       /* in base only */
  GATE_NEW,           /* in head only */
  GATE_ACCEPTED,      /* worse, but a rule accepts it */
  GATE_IGNORED,       /* a rule ignores it */
  GATE_INFORMATIONAL, /* it is not known which way the unit is better */
  GATE_UNMEASURED,    /* a time of 0: nothing was measured */
  GATE_ASIDE          /* the other time of the benchmark is judged */
};

/* Whether a delta is a number. */
enum gate_delta { GATE_DELTA_NUMBER, GATE_DELTA_FROM_ZERO, GATE_DELTA_UNKNOWN };

/* The result of a second test of a row: fields as in struct gate_row. */
struct gate_second {
  bool tested;
  double base, head;
  enum gate_delta delta_kind;
  double delta, low, high, p, adjusted;
  const char *test;
};

struct gate_row {
  pprofc_str group; /* "pkg: a/b goos: linux", may be empty */
  pprofc_str name, unit;
  int direction;                 /* 1: higher is better, -1: lower, 0: not known */
  bool in_base, in_head;         /* which sides have it */
  double base, head;             /* centers in base units; NaN where there is none */
  size_t base_count, head_count; /* samples */
  enum gate_delta delta_kind;
  double delta;     /* (head - base) / base; +Inf from zero */
  double low, high; /* confidence interval of delta; NaN when not known */
  bool deferred; /* gate_interval_of has the interval: low is the error of delta, high has degrees
                    of freedom */
  bool tested;   /* p means something */
  bool constant; /* all samples of a side are equal, on both sides: no test is needed */
  bool exact;    /* a table shows a difference without a test: any number of samples will do */
  double p, adjusted;            /* as tested, and after correction for the number of tests */
  double least_p;                /* the smallest p that a table can show */
  const char *test;              /* "Welch", "U", "table", "Welch on medians of rounds" ... */
  struct gate_second second;     /* the judge takes it when the first test does not decide */
  double base_trend, head_trend; /* relative change along the samples of a side */
  bool base_drifts, head_drifts; /* that change is more than noise */
  double spread; /* robust relative spread, the greater of both sides; NaN when not known */
  double base_noise, head_noise; /* standard deviation by mean; NaN when not known */

  bool threaded; /* the benchmark has several threads, as its tool reports */

  pprofc_str file; /* where the row comes from */
  size_t line;     /* 0: not from a line */
  pprofc_str text; /* the line, unchanged */

  /* Set by the judge: */
  enum gate_verdict verdict;
  double threshold, floor, alpha; /* that were applied */
  double noise;                   /* of earlier runs, which raised the threshold; else 0 */
  size_t rule;                    /* the last one that matched, SIZE_MAX for none */
  bool significant;
  bool is_cpu;       /* the CPU time of a benchmark that has both, judged in place of wall time */
  const char *aside; /* why the other time of the benchmark is judged; NULL: this one is */
  bool watched;      /* not judged, but a doubt when it alone gets worse */
  double level;      /* p at which this row alone would be significant */
  double visible;    /* the smallest change that would have been; infinite: none; NaN: not known */
  double needed;     /* rounds, or samples a side, that would show the threshold; the same */
  bool blind;        /* a change of the threshold would not have been significant */
  bool rough;        /* `visible` is near enough for the judge only, and `needed` is not known:
                        gate_sight_of has both */
};

/* A row with everything unknown; the reader fills in what it knows and adds it (gate_add). */
struct gate_row gate_row_unknown(void);

const char *gate_verdict_name(enum gate_verdict verdict);

#endif
