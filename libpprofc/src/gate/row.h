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
  int direction;                 /* 1: higher is better, -1: lower is better, 0: unknown */
  bool in_base, in_head;         /* true if the base, or the head, has the benchmark */
  double base, head;             /* centers in base units, such as seconds; NaN if missing */
  size_t base_count, head_count; /* number of samples of base and of head */
  enum gate_delta delta_kind;
  double delta; /* difference relative to the base: (head - base) / base; +Inf if the base is 0 */
  double low, high;   /* confidence interval of delta; NaN if unknown */
  bool tested;        /* true if a test computed p */
  bool constant;      /* base and head each have only equal samples: no test is needed */
  bool exact;         /* counts, or a table's difference without a test: any samples suffice */
  double p, adjusted; /* p-value before and after the correction for the number of tests */
  double least_p;     /* smallest p-value that can be printed with the digits of a table */
  const char *test;   /* test: "Welch", "U", "table", "Welch on medians of rounds" ... */
  /* results of the U and the trimmed t-test, which count only if earlier tests did not decide */
  struct gate_further further[GATE_FURTHER];
  double base_trend, head_trend; /* relative change from first to last sample, in base and head */
  bool base_drifts, head_drifts; /* true if this trend is significant, in base and in head */
  double spread; /* robust relative spread of the samples, the larger side; NaN if unknown */
  double base_noise, head_noise;   /* standard deviation / mean of base and head; NaN: unknown */
  double between, between_degrees; /* standard error of log(head / base), estimated from earlier
                                      runs, and its degrees of freedom; 0: unknown */
  double range; /* largest minus smallest sample of the larger side; without each side's lowest and
                   highest if medians differ by more */

  bool whole;       /* true for the row of the geometric mean of all benchmarks */
  bool rescaled;    /* true if the values were divided by the speeds of their rounds */
  bool processes;   /* true if each round is a process with its own input */
  bool one_process; /* all samples of a side come from one process, against the settings */
  bool screened;    /* no further rounds, because the first ones did not look worse */
  bool overloaded;  /* true if other programs used the processors during the measurement */
  bool threaded;    /* true if the benchmark has several threads according to the input */

  pprofc_str file; /* path of the file that has the row */
  size_t line;     /* line of the file, from 1; 0: the row is not from a line */
  pprofc_str text; /* unchanged text of the line */

  /* The judge sets the fields from here on. */
  pprofc_gate_verdict verdict;
  double wanted;                  /* threshold before noise of counts raised it; 0: not raised */
  double threshold, floor, alpha; /* limits that apply to this row */
  double noise;                   /* noise of counts that raised the threshold; else 0 */
  size_t rule;                    /* last matching rule; SIZE_MAX: no rule */
  bool significant;
  bool is_cpu;       /* true if this is CPU time that is judged instead of wall time */
  const char *aside; /* reason to judge the benchmark's other time (wall or CPU); else NULL */
  bool watched;      /* a time that only makes the judged row inconclusive if it is worse */
  size_t judged;     /* for a watched row: index of the judged row, of the CPU time */
  double level;      /* p-value up to which the row would be significant if no other row changed */
  double visible;    /* smallest change that the test finds; infinite: no change; NaN: unknown */
  double needed;     /* rounds or samples a side that find the threshold; else as in `visible` */
  bool blind;        /* true if the test would miss a change as large as the threshold */
  bool unjudged; /* true for a compared row that is blind, inconclusive or has too few samples */
};

/* Returns a row of unknown values, which the reader fills in and passes to gate_add. */
struct gate_row gate_row_unknown(void);

/* Returns the printed verdict: by its interval, "unchanged" can be "not slower" or below a
 * limit. */
const char *gate_row_verdict(const struct gate_row *row);

#endif
