/* Declares a row of the gate: one comparison of a benchmark between base and head. The reader sets
 * the first fields, and the judge sets the rest. */
#ifndef PPROFC_GATE_ROW_H
#define PPROFC_GATE_ROW_H

#include "core/str.h"
#include "pprofc/gate.h"

/* Kind of a relative change: a number, a change from 0, or unknown. */
enum gate_delta { GATE_DELTA_NUMBER, GATE_DELTA_FROM_ZERO, GATE_DELTA_UNKNOWN };

/* Result of a further test of a row. The fields mean the same as in struct gate_row. */
struct gate_further {
  bool tested;
  double base, head;
  enum gate_delta delta_kind;
  double delta, low, high, p, adjusted;
  const char *test;
};

#define GATE_FURTHER 2 /* number of tests that can follow the first test */

struct gate_row {
  pprofc_str group; /* package or configuration: "pkg: a/b goos: linux"; may be empty */
  pprofc_str name, unit;
  int direction;                 /* 1: higher is better, -1: lower is better, 0: not known */
  bool in_base, in_head;         /* true for each side that has the benchmark */
  double base, head;             /* centers of the samples in base units, such as seconds; NaN if
                                    missing */
  size_t base_count, head_count; /* number of samples of each side */
  enum gate_delta delta_kind;
  double delta; /* difference relative to the base: (head - base) / base; +Inf if the base is 0 */
  double low, high;   /* confidence interval of delta; NaN if not known */
  bool tested;        /* true if a test computed p */
  bool constant;      /* true if all samples of each side are equal: no test is needed */
  bool exact;         /* true for counts, and for a difference that a table shows without a test;
                         any number of samples suffices */
  double p, adjusted; /* p-value before and after correction for the number of tests */
  double least_p;     /* smallest p-value that the digits of a table can show */
  const char *test;   /* name of the test: "Welch", "U", "table", "Welch on medians of
                         rounds" ... */
  /* Results of the U test and of the trimmed t-test. A result counts only if the tests before it
   * did not decide. */
  struct gate_further further[GATE_FURTHER];
  double base_trend, head_trend; /* relative change from the first to the last sample of a side */
  bool base_drifts, head_drifts; /* true if the trend of the side is significant */
  double spread; /* robust relative spread of the samples, the larger of both sides; NaN if not
                    known */
  double base_noise, head_noise;   /* standard deviation divided by the mean; NaN if not known */
  double between, between_degrees; /* standard error of log(head / base), estimated from earlier
                                      runs, and its degrees of freedom; 0: not known */
  double range; /* largest minus smallest sample, the larger of both sides. If the medians differ by
                   more than the ranges without end values, each side drops its two end values. */

  bool whole;       /* true for the row of the geometric mean of all benchmarks */
  bool rescaled;    /* true if the values were divided by the speeds of their rounds */
  bool processes;   /* true if each round is a process with its own input */
  bool one_process; /* true if all samples of a side come from one process, and the settings do not
                       allow this */
  bool screened;    /* true if the row got no further rounds, because the first rounds did not look
                       worse */
  bool overloaded;  /* true if other programs took the processors during the measurement */
  bool threaded;    /* true if the tool reports several threads for the benchmark */

  pprofc_str file; /* path of the file that has the row */
  size_t line;     /* line of the file, from 1; 0: the row is not from a line */
  pprofc_str text; /* unchanged text of the line */

  /* The judge sets the following fields. */
  pprofc_gate_verdict verdict;
  double wanted;                  /* threshold before the noise of counts raised it; 0 if noise did
                                     not raise it */
  double threshold, floor, alpha; /* limits that apply to this row */
  double noise; /* noise of counts if it raised the threshold; else 0. gate_compare_sides sets the
                   field; the judge clears it if the threshold was not raised. */
  size_t rule;  /* last matching rule; SIZE_MAX: no rule */
  bool significant;
  bool is_cpu;       /* true for CPU time that is judged instead of wall time */
  const char *aside; /* reason why the gate judges the other time of the benchmark (wall time or CPU
                        time) instead of this time; NULL if the gate judges this time */
  bool watched;      /* true for a time that is not judged, but makes the row inconclusive if only
                        this time gets worse */
  size_t judged;     /* for a watched row: index of the row of the CPU time, which is judged */
  double level;      /* p-value up to which the row would be significant if only this row changed */
  double visible;    /* smallest change that the test would find; infinite if it would find no
                        change; NaN: not known */
  double needed;     /* number of rounds, or of samples a side, that find a change as large as the
                        threshold; infinite or NaN as in `visible` */
  bool blind;        /* true if the test would miss a change as large as the threshold */
  bool unjudged; /* true for a compared row that is blind, inconclusive or has too few samples */
};

/* Returns a row in which all values are unknown. The reader fills the row and adds it with
 * gate_add. */
struct gate_row gate_row_unknown(void);

/* Returns the verdict to print. Replaces "unchanged" by "not slower", "below the threshold" or
 * "below the floor" if the interval excludes 0. */
const char *gate_row_verdict(const struct gate_row *row);

#endif
