/* One comparison of a benchmark between base and head: input of the reader and results of the
 * judge. */
#ifndef PPROFC_GATE_ROW_H
#define PPROFC_GATE_ROW_H

#include "core/str.h"

#include <stdbool.h>
#include <stddef.h>

enum gate_verdict {
  GATE_UNCHANGED,
  GATE_IMPROVED,
  GATE_SUSPICIOUS, /* faster by more than half: the benchmark may not measure anything */
  GATE_REGRESSED,
  GATE_INCONCLUSIVE,  /* the samples do not decide if there is a regression */
  GATE_TOO_FEW,       /* fewer samples than -min-samples */
  GATE_MISSING,       /* in base only */
  GATE_NEW,           /* in head only */
  GATE_ACCEPTED,      /* worse, but a rule accepts it */
  GATE_IGNORED,       /* a rule ignores it */
  GATE_INFORMATIONAL, /* the better direction of the unit is not known */
  GATE_UNMEASURED,    /* a time of 0: nothing was measured */
  GATE_ASIDE          /* not judged, because the other time of the benchmark is */
};

/* Kind of a delta. */
enum gate_delta { GATE_DELTA_NUMBER, GATE_DELTA_FROM_ZERO, GATE_DELTA_UNKNOWN };

/* Result of a second test of a row, with the fields of struct gate_row. */
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
  int direction;                 /* 1: higher is better, -1: lower is better, 0: not known */
  bool in_base, in_head;         /* sides that have the benchmark */
  double base, head;             /* centers in base units; NaN if missing */
  size_t base_count, head_count; /* number of samples of each side */
  enum gate_delta delta_kind;
  double delta;                  /* (head - base) / base; +Inf if the base is 0 */
  double low, high;              /* confidence interval of delta; NaN if not known */
  bool tested;                   /* p comes from a test */
  bool constant;                 /* all samples of each side are equal: no test is needed */
  bool exact;                    /* counts, or a difference that a table shows without a test: any
                                    number of samples suffices */
  double p, adjusted;            /* p-value before and after correction for the number of tests */
  double least_p;                /* smallest p-value that a table can show */
  const char *test;              /* "Welch", "U", "table", "Welch on medians of rounds" ... */
  struct gate_second second;     /* result that counts if the first test does not decide */
  double base_trend, head_trend; /* relative change along the samples of a side */
  bool base_drifts, head_drifts; /* the trend is significant */
  double spread; /* robust relative spread, the larger one of both sides; NaN if not known */
  double base_noise, head_noise; /* standard deviation divided by the mean; NaN if not known */

  bool processes;   /* each round is a process with its own input */
  bool one_process; /* all samples of a side come from one process, and the settings do not
                       allow it */
  bool screened;    /* the first rounds did not look worse, so that no more were measured */
  bool overloaded;  /* measured while other programs took the processors */
  bool threaded;    /* the tool reports several threads for the benchmark */

  pprofc_str file; /* source file */
  size_t line;     /* line of the file; 0: not from a line */
  pprofc_str text; /* unchanged text of the line */

  /* Set by the judge. */
  enum gate_verdict verdict;
  double threshold, floor, alpha; /* limits of this row */
  double noise; /* noise between runs that raised the threshold; else 0. The reader
                   of counts sets it first. */
  size_t rule;  /* last matching rule; SIZE_MAX: no rule */
  bool significant;
  bool is_cpu;       /* CPU time that is judged instead of wall time */
  const char *aside; /* reason why this time is not judged but the benchmark's other time; NULL if
                        this time is judged */
  bool watched;      /* not judged, but inconclusive if only this time gets worse */
  double level;      /* p-value up to which this row alone would be significant */
  double visible;    /* smallest change that would have been significant; infinite: no change;
                        NaN: not known */
  double needed;     /* rounds, or samples a side, that would show the threshold; infinite or
                        NaN like visible */
  bool blind;        /* a change of the threshold would not have been significant */
};

/* Returns a row with everything unknown. The reader fills it and adds it (gate_add). */
struct gate_row gate_row_unknown(void);

const char *gate_verdict_name(enum gate_verdict verdict);

/* Returns the verdict to print. If the interval excludes 0, "not slower" or "below the
 * threshold" replaces "unchanged". */
const char *gate_row_verdict(const struct gate_row *row);

#endif
