/* The gate decides if a benchmark got worse by more than a threshold and by more than noise.
 * Readers (read/) make rows. A row compares a benchmark in one unit between two sides: base (before
 * the change) and head (after the change). The judge (judge.h) gives each row a verdict; some
 * verdicts name the reason why the row cannot be judged. The printers (print/) print all rows. */
#ifndef PPROFC_GATE_GATE_H
#define PPROFC_GATE_GATE_H

#include "bench/pairs.h"
#include "pprofc/gate.h"
#include "stats/stats.h"

/* ---- settings --------------------------------------- */

struct gate;

/* Floors, the smallest absolute changes that can be regressions: of times in seconds, of sizes in
 * bytes, and of values in other units. 0: the default, which is above 0 for memory. Negative: no
 * floor. */
struct gate_floor {
  double seconds, bytes, plain;
};

/* A rule of the rules file: its patterns and its settings. */
struct gate_rule {
  /* glob patterns of benchmark and unit; an empty pattern matches everything */
  pprofc_str pattern, unit;
  bool has_threshold, has_alpha, has_floor, ignore, accept;
  double threshold, alpha; /* smallest relative change that counts, and significance level */
  double accepted;         /* largest relative regression that the rule accepts */
  struct gate_floor floor;
  int direction; /* better direction: 1 higher, -1 lower, 0 not set */
  /* last day of the rule, such as "2027-01-31", and the reason for the rule */
  pprofc_str until, reason;
  size_t line; /* line in the rules file */
  bool expired;
  size_t used; /* number of rows that the rule matched */
};

struct gate_settings {
  double threshold; /* smallest relative change that counts, default 0.05 */
  double alpha;
  pprofc_gate_test test;
  pprofc_gate_correction correction;
  pprofc_gate_time time;
  size_t min_samples;
  bool strict;
  bool screening; /* true: select benchmarks for more rounds (repetitions of the measurement)
                     instead of judging them */
  /* true: judge rows even if all samples of base or of head come from one process */
  bool one_process;
  bool any_load;          /* true: judge times although the machine was overloaded */
  const char *overloaded; /* load of the machine if it was too high to judge times: "load 20 on 2
                             processors"; else NULL */
  struct gate_floor floor;
  struct gate_rule *rules;
  size_t rule_count, rule_capacity;
  struct gate_unit_direction {
    pprofc_str unit;
    int direction;
  } * directions;
  size_t direction_count, direction_capacity;
};

/* Reads the rules file into gate->settings. Errors name path, line and column. */
pprofc_status gate_read_rules(struct gate *gate, pprofc_str path, pprofc_str data,
                              pprofc_error *error);

/* ---- units ------------------------------------------- */

/* Adds a direction for a unit (1: higher is better, -1: lower is better), which overrides the table
 * of units. Returns false when out of memory. */
bool gate_add_direction(struct gate *gate, pprofc_str unit, int direction);

/* Returns the direction of a unit in any tool's spelling. 1: higher is better, -1: lower is better,
 * 0: unknown. */
int gate_direction(pprofc_str unit);

/* Returns the direction (1 or -1) of the unit in the settings; 0 if they do not have the unit. */
int gate_settings_direction(const struct gate *gate, pprofc_str unit);

/* Appends the unit as raw results spell it: "sec/op" for "ns/op" and "time/op". */
void gate_unit_canonical(struct buffer *out, pprofc_str unit);

/* ---- spelling of values ------------------------------ */

/* gate_parse_floor parses a floor (the smallest absolute change that counts) such as "1us", "16 B"
 * or "0.5", or several: "1us or 16 B". "0 B" switches a floor off. gate_floor_of returns the floor
 * for a unit. */
bool gate_parse_floor(pprofc_str text, struct gate_floor *floor);
double gate_floor_of(const struct gate_floor *floor, pprofc_str unit);

/* Parses "5" or "5%" as 0.05. Returns false if the text is not a number, or is negative, NaN or
 * infinite. */
bool gate_parse_percent(pprofc_str text, double *value);

/* True for a valid calendar day such as "2027-01-31". */
bool gate_is_date(pprofc_str text);

/* ---- rows ------------------------------------------- */

/* Declares a row of the gate: a comparison of a benchmark in one unit between base and head. The
 * reader sets the first fields, and the judge sets the other fields. */

/* Result of a test of a row. */
struct gate_test {
  bool tested; /* true if the test computed p */
  /* centers (means or medians) of both samples, in a unit without prefix; NaN if missing */
  double base, head;
  /* difference relative to the base: (head - base) / base; infinite if only the base is 0; NaN if
   * unknown */
  double delta;
  double low, high;   /* confidence interval of delta; NaN if unknown */
  double p, adjusted; /* p-value before and after the correction for the number of tests */
  /* name of the test: "Welch", "U" ...; "table" if p comes from a printed table */
  const char *test;
};

#define GATE_TESTS 3 /* maximum number of tests of a row */

struct gate_row {
  pprofc_str group; /* package or configuration: "pkg: a/b goos: linux"; may be empty */
  pprofc_str name, unit;
  int direction; /* better direction: 1 higher, -1 lower, 0 unknown */
  /* true if the base has the benchmark, and true if the head has it */
  bool in_base, in_head;
  /* Results of the tests: the test of the settings (Welch or U), then U, then the trimmed t-test. A
   * later result counts only if the earlier tests found no change. The anonymous struct names the
   * fields of the first result: row.p is row.tests[0].p. */
  union {
    struct gate_test tests[GATE_TESTS];
    struct {
      bool tested;
      double base, head;
      double delta, low, high, p, adjusted;
      const char *test;
    };
  };
  size_t base_count, head_count; /* number of samples of base and of head */
  bool constant; /* true if base and head each have only equal samples, so that no test is needed */
  bool exact;    /* true if one sample is enough: for counts, and for a row of a table that shows a
                    difference without a p-value */
  double least_p; /* for a row from a printed table: smallest p-value that the table can show;
                     smaller p-values are printed as 0.000 */
  /* change of a line fitted to the samples of base and of head, from the first to the last sample,
   * relative to their mean */
  double base_trend, head_trend;
  bool base_drifts, head_drifts; /* true if the trend of base or of head is significant */
  double spread; /* noise (standard deviation) estimated from the quartiles, divided by the median;
                    the larger of base and head; NaN if unknown */
  /* standard deviation divided by the mean, of base and of head; NaN if unknown */
  double base_noise, head_noise;
  double between, between_degrees; /* standard error of log(head / base) from earlier runs, and its
                                      degrees of freedom; 0 if unknown */
  /* The larger range of base and head. A range is the largest minus the smallest sample. An inner
   * range skips the lowest and the highest sample. If the medians differ by more than both inner
   * ranges, `range` is the larger inner range. */
  double range;

  bool whole;       /* true for the row of the geometric mean of all benchmarks */
  bool rescaled;    /* true if the values were divided by the machine's speed in their rounds
                       (repetitions) */
  bool processes;   /* true if a separate process measured each round and wrote its own input */
  bool one_process; /* true if all samples of base or of head come from one process, and the
                       settings do not allow this */
  bool screened; /* true if the benchmark was measured only in the first rounds, because it did not
                    look worse in them */
  bool overloaded; /* true if other programs used the processors during the measurement */
  bool excused;    /* true if gate_excuse made the row inconclusive */
  bool threaded;   /* true if the benchmark has several threads according to the input */

  pprofc_str file; /* path of the file that has the row */
  size_t line;     /* line number in the file, from 1; 0 if the row does not come from a line */
  pprofc_str text; /* text of the line in the file, unchanged */

  /* The judge sets the fields below. */
  pprofc_gate_verdict verdict;
  double wanted; /* threshold before the noise of counts raised it; 0 if it was not raised */
  /* limits that apply to this row; a reader may set the threshold, otherwise it is NaN before the
   * judge replaces it by the threshold of the settings */
  double threshold, floor, alpha;
  double noise; /* for counts: relative change that noise can explain; the judge raises `threshold`
                   to it, or sets it to 0 if the threshold is larger */
  size_t rule;  /* index of the last matching rule; SIZE_MAX: no rule */
  bool significant;
  bool is_cpu; /* true for a CPU time if the gate judges it instead of the wall time */
  /* if the gate judges another row instead: the reason, such as "CPU time is judged"; else NULL */
  const char *aside;
  bool watched; /* true for a time that does not decide the verdict, because the gate judges the row
                   `judged` of the same benchmark. If only this time got worse, it becomes
                   inconclusive. */
  /* if `watched` is set: index of the row that the gate judges instead of this row */
  size_t judged;
  double level;   /* p-value up to which the row would be significant if no other row changed */
  double visible; /* smallest change that the test would find; infinite if it would find no change;
                     NaN if unknown */
  /* number of samples (or rounds) in base and in head with which the test finds a change as large
   * as the threshold; infinite or NaN as in `visible` */
  double needed;
  bool blind;    /* true if the test would miss a change as large as the threshold */
  bool unjudged; /* true for a compared row that is blind, inconclusive or has too few samples */
};

/* Returns a row in which all values are unknown. The reader fills in the row and passes it to
 * gate_add. */
struct gate_row gate_row_unknown(void);

/* True if the row changed from 0 to another value. */
static inline bool gate_is_from_zero(const struct gate_row *row) {
  return row->base == 0 && isinf(row->delta);
}

/* Returns the verdict to print. For an unchanged row whose interval excludes 0, the text is "not
 * slower" if the row got better, else "below the threshold" or "below the floor". */
const char *gate_row_verdict(const struct gate_row *row);

struct gate_earlier;

/* Text of the last row, before and after the escaping of its control characters. */
struct gate_shown {
  pprofc_str raw, clean;
};

struct gate {
  const pprofc_allocator *mem;
  struct arena arena;
  struct gate_row *rows;
  size_t row_count, row_capacity;
  struct buffer problems; /* reasons why the result is unusable (exit status 1), one line each */
  size_t problem_count;
  struct buffer warnings;     /* warnings about the result, one line each */
  struct interner noise_keys; /* keys of the benchmarks in earlier runs, see gate_noise_key */
  struct interner noise_units;
  struct gate_earlier *noise; /* noise between earlier runs, for each key in noise_keys */
  size_t noise_count, noise_capacity;
  struct gate_settings settings;
  size_t inputs;
  struct gate_shown line;

  /* Numbers of rows by verdict, set by the judge. */
  size_t compared, significant, regressed, missing, improved, suspicious, inconclusive, accepted;
  size_t too_few; /* number of inconclusive rows with too few samples */
  size_t unmeasured;
  size_t doubted;         /* number of inconclusive rows whose regression is proven (gate_doubt) */
  size_t one_process;     /* number of compared rows with gate_row.one_process */
  size_t without_earlier; /* number of comparisons that no earlier run has (-noise-from) */
  const char *alone;      /* for a warning, whose samples come from one process: "the base come" */
  size_t timed;        /* number of compared rows whose values depend on the load of the machine */
  size_t stale_inputs; /* number of inputs that are much older than another input: 0 or 1 */
  /* Number of benchmarks judged by CPU time, and number judged by wall time. Counts only benchmarks
   * that have both times. */
  size_t cpu_times, wall_times;
  size_t family;     /* number of p-values that are corrected together */
  size_t tested;     /* number of rows with a test */
  size_t blind;      /* number of rows whose test would miss a change as large as the threshold */
  size_t benchmarks; /* number of benchmarks with a compared row */
  size_t unjudged;   /* number of benchmarks with a compared row that was not judged */
  size_t visible_count; /* number of rows whose smallest detectable change is known */
  double visible_middle, visible_worst; /* median and maximum of the smallest detectable changes */
  size_t visible_row;                   /* index of the row that has visible_worst */
  /* smallest detectable change of the geometric mean of all benchmarks, in the worst unit; 0 if the
   * mean changed, or if the gate did not divide by the machine's speed */
  double visible_whole;
  /* number of rounds in base and in head with which every row's test finds a change as large as the
   * threshold */
  double needed_worst;
  /* drifting: most benchmarks drift during the rounds of base or of head; shifted: most benchmarks
   * change in one direction from base to head */
  bool drifting, shifted;
};

void gate_init(struct gate *gate, const pprofc_allocator *mem);
void gate_free(struct gate *gate);

static inline struct gate_row *gate_rows(const struct gate *gate, size_t *count) {
  *count = gate->row_count;
  return gate->rows;
}

/* Adds a row. The texts of the row must live as long as the gate. The gate escapes control
 * characters in its copy. Returns false when out of memory. */
bool gate_add(struct gate *gate, const struct gate_row *row);

/* gate_problem adds a problem, which makes the gate fail. gate_warning adds a warning. Both texts
 * are one line. */
void gate_problem(struct gate *gate, const char *format, ...) PPROFC_PRINTF(2, 3);
void gate_warning(struct gate *gate, const char *format, ...) PPROFC_PRINTF(2, 3);

#endif
