/* Declares a row of the gate: a comparison of a benchmark in one unit between base and head. The
 * reader sets the first fields, and the judge sets the other fields. */
#ifndef PPROFC_GATE_ROW_H
#define PPROFC_GATE_ROW_H

#include "core/str.h"
#include "pprofc/gate.h"

/* Type of a relative change: a number, a change from 0, or unknown. */
enum gate_delta { GATE_DELTA_NUMBER, GATE_DELTA_FROM_ZERO, GATE_DELTA_UNKNOWN };

/* Result of a further test of a row. The fields have the same meaning as in struct gate_row. */
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
  int direction; /* 1: higher is better, -1: lower is better, 0: unknown */
  bool in_base,
      in_head; /* true if the base has the benchmark, and true if the head has the benchmark */
  double base, head; /* centers of the samples in base units, such as seconds; NaN if missing */
  size_t base_count, head_count; /* number of samples of base and of head */
  enum gate_delta delta_kind;
  double delta; /* difference relative to the base: (head - base) / base; +Inf if the base is 0 */
  double low, high; /* confidence interval of delta; NaN if unknown */
  bool tested;      /* true if a test computed p */
  bool constant; /* true if base and head each have only equal samples, so that no test is needed */
  bool exact; /* true for counts, and for a difference that a table shows without a test; any number
                 of samples suffices */
  double p, adjusted; /* p-value before and after the correction for the number of tests */
  double least_p;     /* smallest p-value that can be printed with the digits of a table */
  const char *test; /* name of the test: "Welch", "U", "table", "Welch on medians of rounds" ... */
  /* results of the U test and of the trimmed t-test; a result counts only if the earlier tests did
   * not decide */
  struct gate_further further[GATE_FURTHER];
  double base_trend,
      head_trend; /* relative change from the first to the last sample, in base and in head */
  bool base_drifts, head_drifts; /* true if this trend is significant, in base and in head */
  double spread; /* robust relative spread of the samples, the larger of base and head; NaN if
                    unknown */
  double base_noise,
      head_noise; /* standard deviation divided by the mean, of base and of head; NaN if unknown */
  double between, between_degrees; /* standard error of log(head / base), estimated from earlier
                                      runs, and its degrees of freedom; 0: unknown */
  double range; /* Largest minus smallest sample, the larger of base and head. If the medians differ
                   by more than the inner ranges, the lowest and highest value of each side do not
                   count. */

  bool whole;       /* true for the row of the geometric mean of all benchmarks */
  bool rescaled;    /* true if the values were divided by the speeds of their rounds */
  bool processes;   /* true if each round is a process with its own input */
  bool one_process; /* true if all samples of base or of head come from one process, and the
                       settings do not allow this */
  bool screened;    /* true if the benchmark got no further rounds, because the first rounds did not
                       look worse */
  bool overloaded;  /* true if other programs used the processors during the measurement */
  bool threaded;    /* true if the benchmark has several threads according to the input */

  pprofc_str file; /* path of the file that has the row */
  size_t line;     /* line of the file, from 1; 0: the row is not from a line */
  pprofc_str text; /* unchanged text of the line */

  /* The judge sets the fields from here on. */
  pprofc_gate_verdict verdict;
  double wanted; /* threshold before the noise of counts raised it; 0 if it was not raised */
  double threshold, floor, alpha; /* limits that apply to this row */
  double noise; /* noise of counts if it raised the threshold; else 0. gate_compare_sides sets the
                   field. The judge clears it if the threshold was not raised. */
  size_t rule;  /* last matching rule; SIZE_MAX: no rule */
  bool significant;
  bool is_cpu;       /* true if this is CPU time that is judged instead of wall time */
  const char *aside; /* reason why the gate judges the other time of the benchmark (wall time or CPU
                        time); NULL if the gate judges this time */
  bool watched;  /* true for a time that is not judged; if only this time gets worse, the judged row
                    is inconclusive */
  size_t judged; /* for a watched row: index of the row of the CPU time, which the gate judges */
  double level;  /* p-value up to which the row would be significant if no other row changed */
  double visible; /* smallest change that the test would find; infinite if it finds no change; NaN:
                     unknown */
  double needed; /* number of rounds, or of samples on each side, that find a change as large as the
                    threshold; infinite or NaN as in `visible` */
  bool blind;    /* true if the test would miss a change as large as the threshold */
  bool unjudged; /* true for a compared row that is blind, inconclusive or has too few samples */
};

/* Returns a row in which all values are unknown. The reader fills in the row and passes it to
 * gate_add. */
struct gate_row gate_row_unknown(void);

/* Returns the verdict to print. If the interval excludes 0, replaces "unchanged" by "not slower",
 * "below the threshold" or "below the floor". */
const char *gate_row_verdict(const struct gate_row *row);

#endif
