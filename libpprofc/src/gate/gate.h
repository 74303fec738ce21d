/* The gate: did a benchmark get slower beyond a threshold and beyond noise?
 *
 * Readers turn inputs into rows, one for each comparison of a benchmark's unit between base and
 * head; the judge gives each row a verdict; printers show rows. Rows never get lost: what cannot be
 * judged says so in its verdict. */
#ifndef PPROFC_GATE_GATE_H
#define PPROFC_GATE_GATE_H

#include "core/buffer.h"
#include "core/error.h"
#include "core/map.h"
#include "core/output.h"
#include "core/str.h"
#include "pprofc/bench.h"

enum gate_test {
  GATE_BOTH,  /* raw samples: Welch's t-test, and U for what that does not find */
  GATE_WELCH, /* raw samples: Welch's t-test */
  GATE_UTEST, /* raw samples: exact Mann-Whitney, right with ties */
  GATE_NONE   /* every difference counts */
};

enum gate_correction { GATE_BH, GATE_HOLM, GATE_UNCORRECTED };

/* What is judged of a benchmark that has wall time and CPU time. */
enum gate_time {
  GATE_TIME_AUTO, /* CPU time of what has one thread, else wall time */
  GATE_TIME_WALL,
  GATE_TIME_CPU
};

enum gate_verdict {
  GATE_UNCHANGED,
  GATE_IMPROVED,
  GATE_SUSPICIOUS, /* faster by more than half: was anything measured? */
  GATE_REGRESSED,
  GATE_INCONCLUSIVE,  /* beyond the threshold or not, the samples do not say */
  GATE_TOO_FEW,       /* fewer samples than -min-samples */
  GATE_MISSING,       /* in base only */
  GATE_NEW,           /* in head only */
  GATE_ACCEPTED,      /* worse, but a rule accepts it */
  GATE_IGNORED,       /* a rule says so */
  GATE_INFORMATIONAL, /* nobody knows which way is better */
  GATE_UNMEASURED,    /* a time of 0: nothing was measured */
  GATE_ASIDE          /* the other time of the benchmark is judged */
};

/* How a delta is known when it is no number. */
enum gate_delta { GATE_DELTA_NUMBER, GATE_DELTA_FROM_ZERO, GATE_DELTA_UNKNOWN };

/* What a second test says of a row: fields as in struct gate_row. */
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
  double delta;       /* (head - base) / base; +Inf from zero */
  double low, high;   /* confidence interval of delta; NaN when not known */
  bool tested;        /* p means something */
  bool constant;      /* all samples of a side are equal, on both sides: no test is needed */
  bool exact;         /* a table says so without a test: no number of samples is needed either */
  double p, adjusted; /* as tested, and after correction for the number of tests */
  double least_p;     /* a table cannot show less */
  const char *test;   /* "Welch", "U", "table", "Welch on medians of rounds" ... */
  struct gate_second second;     /* the judge takes it when it decides what the first does not */
  double base_trend, head_trend; /* relative change along the samples of a side */
  bool base_drifts, head_drifts; /* that change is more than noise */
  double spread; /* robust relative spread, the greater of both sides; NaN when not known */
  double base_noise, head_noise; /* standard deviation by mean; NaN when not known */

  bool threaded; /* the benchmark has several threads, as its tool says */

  pprofc_str file; /* where the row comes from */
  size_t line;     /* 0: not from a line */
  pprofc_str text; /* the line as it stands */

  /* Of the judge: */
  enum gate_verdict verdict;
  double threshold, floor, alpha; /* that were applied */
  double noise;                   /* of earlier runs, which raised the threshold; else 0 */
  size_t rule;                    /* the last one that matched, SIZE_MAX for none */
  bool significant;
  bool is_cpu;       /* the CPU time of a benchmark that has both, judged in place of wall time */
  const char *aside; /* why the other time of the benchmark is judged; NULL: this one is */
  bool watched;      /* not judged, but what gets worse by itself is a doubt */
  double level;      /* p at which this row alone would be significant */
  double visible;    /* the smallest change that would have been; infinite: none; NaN: not known */
  double needed;     /* rounds, or samples a side, that would show the threshold; the same */
  bool blind;        /* a change of the threshold would not have been significant */
};

/* Smaller changes than these are no regressions, by the class of the unit. */
struct gate_floor {
  double seconds, bytes, plain;
};

/* One rule of the rules file: what it matches and what it sets. */
struct gate_rule {
  pprofc_str pattern, unit; /* globs; empty matches all */
  bool has_threshold, has_alpha, has_floor, ignore, accept;
  double threshold, alpha; /* relative; probability */
  double accepted;         /* the greatest regression that is accepted */
  struct gate_floor floor;
  int direction;            /* 0: not set */
  pprofc_str until, reason; /* "2027-01-31"; why */
  size_t line;              /* of the rules file */
  bool expired;
  size_t used; /* rows that it matched */
};

struct gate_settings {
  double threshold; /* relative: 0.05 */
  double alpha;
  enum gate_test test;
  enum gate_correction correction;
  enum gate_time time;
  size_t min_samples;
  bool strict;
  struct gate_floor floor;
  struct gate_rule *rules;
  size_t rule_count, rule_capacity;
  struct gate_unit_direction {
    pprofc_str unit;
    int direction;
  } * directions;
  size_t direction_count, direction_capacity;
};

/* A text of the last row as it came, and as it is shown. */
struct gate_shown {
  pprofc_str raw, clean;
};

#define GATE_TEXTS 5 /* of a row */

struct gate {
  const pprofc_allocator *mem;
  struct arena arena;
  struct buffer rows;     /* of struct gate_row */
  struct buffer problems; /* one line each: what makes the result unusable (exit status 1) */
  size_t problem_count;
  struct buffer warnings;     /* one line each: what a reader of the result should know */
  struct interner noise_keys; /* gate_noise_key of what earlier runs measured */
  struct buffer noise;        /* a double for each: how far the runs swing, relative */
  struct gate_settings settings;
  size_t inputs;
  struct gate_shown shown[GATE_TEXTS];

  /* Of the judge. */
  size_t compared, significant, regressed, missing, improved, suspicious, inconclusive, accepted;
  size_t too_few; /* of the inconclusive */
  size_t unmeasured;
  size_t doubts;                /* about the inputs: whether they are of this run */
  size_t cpu_times, wall_times; /* judged, of benchmarks that have both */
  size_t family;                /* p-values that were corrected for their number */
  size_t tested, blind; /* rows with a test; those that could not have shown the threshold */
  size_t visible_count; /* rows whose smallest visible change is known; of those: */
  double visible_middle, visible_worst; /* the median, and the largest */
  size_t visible_row;                   /* the row of the largest */
  double needed_worst;                  /* rounds that would show the threshold in all */
  bool drifting, shifted; /* most benchmarks, along the samples of a side; from base to head */
};

void gate_init(struct gate *gate, const pprofc_allocator *mem);
void gate_free(struct gate *gate);

static inline struct gate_row *gate_rows(const struct gate *gate, size_t *count) {
  *count = gate->rows.size / sizeof(struct gate_row);
  return (struct gate_row *)(void *)gate->rows.data;
}

/* A row with everything unknown; the caller fills in what it knows and adds it. Texts must live in
 * the arena; the row gets them with what could drive a terminal made visible. */
struct gate_row gate_row_unknown(void);
bool gate_add(struct gate *gate, const struct gate_row *row);

/* Notes a problem or a warning, one line. */
void gate_problem(struct gate *gate, const char *format, ...) PPROFC_PRINTF(2, 3);
void gate_warning(struct gate *gate, const char *format, ...) PPROFC_PRINTF(2, 3);

/* Adds a direction for a unit, which wins over what is known of it; false when out of memory. */
bool gate_add_direction(struct gate *gate, pprofc_str unit, int direction);

/* ---- readers ----------------------------------------- */

/* Reads a file of comparisons of any kind, recognised by content. `data` must live as long as the
 * gate. What is wrong with it becomes a problem; PPROFC_E_NOMEM is the only error. */
pprofc_status gate_read_tables(struct gate *gate, pprofc_str path, pprofc_str data,
                               pprofc_error *error);

/* One reader each, for data that is clean: no colours, no carriage returns, UTF-8. They return
 * PPROFC_E_NO_MATCH when the data holds no such table. */
pprofc_status gate_read_text(struct gate *gate, pprofc_str path, pprofc_str data,
                             pprofc_error *error);
pprofc_status gate_read_csv(struct gate *gate, pprofc_str path, pprofc_str data,
                            pprofc_error *error);
pprofc_status gate_read_classic(struct gate *gate, pprofc_str path, pprofc_str data,
                                pprofc_error *error);
pprofc_status gate_read_markdown(struct gate *gate, pprofc_str path, pprofc_str data,
                                 pprofc_error *error);
pprofc_status gate_read_json(struct gate *gate, pprofc_str path, pprofc_str data,
                             pprofc_error *error);

/* True when data holds a comparison of any kind, as far as its beginning tells. */
bool gate_is_comparison(pprofc_str data);

/* Notes a problem for every line that says a run failed: "FAIL", "panic:", "benchstat: ...".
 * Returns their number. */
size_t gate_scan_failures(struct gate *gate, pprofc_str path, pprofc_str data);

/* Raw results: compares base with head. `set` was read with the labels "base" and "head" and stays.
 */
pprofc_status gate_read_raw(struct gate *gate, const pprofc_bench *set, pprofc_error *error);

/* Learns from earlier runs of the base, one input of the set each, how far each benchmark swings.
 */
pprofc_status gate_learn_noise(struct gate *gate, const pprofc_bench *set, pprofc_error *error);

/* What a benchmark's noise is kept under. Appends. */
void gate_noise_key(struct buffer *out, pprofc_str group, pprofc_str name, pprofc_str unit);

/* Reads the rules file. Its settings are applied to gate->settings; errors name path, line and
 * column. */
pprofc_status gate_read_rules(struct gate *gate, pprofc_str path, pprofc_str data,
                              pprofc_error *error);

/* ---- judging ----------------------------------------- */

/* Which way a unit, as written in any of the tools, is better. */
int gate_direction(const struct gate *gate, pprofc_str unit);
/* The same, as far as the settings say; else 0. */
int gate_asked_direction(const struct gate *gate, pprofc_str unit);

/* The unit in the spelling of raw results: "sec/op" for "ns/op" and "time/op". Appends. */
void gate_unit_canonical(struct buffer *out, pprofc_str unit);

/* "1us", "16 B", "100ns", "0.5", and several: "1us or 16 B". */
bool gate_parse_floor(pprofc_str text, struct gate_floor *floor);
double gate_floor_of(const struct gate_floor *floor, pprofc_str unit);

/* "5", "5%": relative 0.05. False for what is no number, negative, NaN or infinite. */
bool gate_parse_percent(pprofc_str text, double *value);

/* Adjusts p-values, sorted ascending, for their number: Benjamini-Hochberg 1995, Holm 1979. */
void gate_adjust(const double *p, size_t count, enum gate_correction correction, double *adjusted);

/* Gives every row its verdict and counts. `today` is "2026-11-20" for rules that expire. */
pprofc_status gate_judge(struct gate *gate, const char *today, pprofc_error *error);

/* Warns of what concerns the whole run: drift that most benchmarks share, changes that go all one
 * way, samples too few for the number of rows. */
void gate_find_trends(struct gate *gate);

/* Chooses between wall time and CPU time of benchmarks that have both; the judge calls it first. */
pprofc_status gate_choose_times(struct gate *gate, pprofc_error *error);

/* A pass says what it is worth: the smallest change that each row could have shown. The judge calls
 * it last. */
pprofc_status gate_find_visible(struct gate *gate, pprofc_error *error);

/* Notes why there is no result when nothing was compared, or all of it too rarely. */
void gate_check_compared(struct gate *gate);

/* True for rows whose verdict came from comparing both sides. */
bool gate_was_judged(const struct gate_row *row);
/* True for rows whose p-value, if any, was adjusted and counts: those, and times that are watched.
 */
bool gate_was_corrected(const struct gate *gate, const struct gate_row *row);

/* 0 pass, 2 regression, 1 problems or nothing compared, 3 strict doubts; after gate_judge. */
int gate_exit_status(const struct gate *gate);

/* Judges rows with planted regressions under the settings of `gate`; false, with a problem, when
 * one of them would pass. `today` as above. */
pprofc_status gate_selftest(struct gate *gate, const char *today, bool *good, pprofc_error *error);

const char *gate_verdict_name(enum gate_verdict verdict);

/* ---- statistics of two samples ----------------------- */

/* A sample in the order in which it was measured, and sorted. */
struct gate_sample {
  const double *values, *sorted;
  size_t count;
};

/* Fills centers, delta, interval and p of the row, by the test. False when out of memory. */
bool gate_compare(struct gate_row *row, struct gate_sample base, struct gate_sample head,
                  enum gate_test test, double alpha, const pprofc_allocator *mem);

/* The relative change along a sample by its regression line; *drifts when that is no noise. */
double gate_trend(struct gate_sample sample, bool *drifts);

/* The smallest p-value that the exact U test can give. */
double gate_smallest_p(size_t base_count, size_t head_count);

/* Makes a row's comparison of two samples in the order they were measured. With `rounds` (one
 * number a value, or NULL) and at least 4 of them a side, the medians of rounds are compared. False
 * when out of memory. */
struct gate_side {
  const double *values;
  const uint32_t *rounds;
  size_t count;
};
bool gate_compare_sides(const struct gate *gate, struct gate_row *row, struct gate_side base,
                        struct gate_side head);

/* How many values of U at each end are significant at alpha, two-sided; 0 when none is. False when
 * out of memory. */
bool gate_u_cut(size_t n, size_t m, double alpha, size_t *cut, const pprofc_allocator *mem);

/* Hodges-Lehmann interval of the ratios head / base minus 1; NaN where there is none. False when
 * out of memory. */
bool gate_ratio_interval(struct gate_sample base, struct gate_sample head, double alpha,
                         double *low, double *high, const pprofc_allocator *mem);

/* ---- printing ---------------------------------------- */

/* "+21.5% [+19.8%, +23.1%] adjusted p=0.0001 n=10+10". */
void gate_print_effect(struct buffer *out, const struct gate *gate, const struct gate_row *row);

/* "1.025us", "29.3MB/s", "16B": a value of a unit for people. */
void gate_print_value(struct buffer *out, double value, pprofc_str unit);

/* The last line: "N compared, M significant, K regressed, J missing". */
void gate_print_totals(struct buffer *out, const struct gate *gate);

/* "regressed", "pass" ...: the whole result in a word or two. */
const char *gate_result_name(const struct gate *gate);

/* Rows in the order in which a person wants them: by verdict, worst first; a permutation of
 * [0, count). NULL when out of memory; free with mem_free(gate->mem, order, count, sizeof
 * *order). */
size_t *gate_order(const struct gate *gate);

/* "4.9%", "none", "-" for what is not known: a smallest visible change. */
void gate_print_visible(struct buffer *out, double visible);

/* What all rows together could have shown, in a sentence and its line feed; nothing when no row was
 * tested. */
void gate_print_sight(struct buffer *out, const struct gate *gate);

/* True for rows that a person is shown; with `all`, for every row. */
bool gate_is_listed(const struct gate_row *row, bool all);

/* What is said of one row beside its name: effect, drift, rule, reason. */
void gate_print_remarks(struct buffer *out, const struct gate *gate, const struct gate_row *row);

/* One output format. `all` also lists rows without a change. */
struct gate_format {
  const char *name;
  void (*print)(struct buffer *out, const struct gate *gate, bool all);
  bool totals_inside; /* the last line is the line of totals */
};

/* The format of that name, or NULL. */
const struct gate_format *gate_format_find(pprofc_str name);

void gate_print_text(struct buffer *out, const struct gate *gate, bool all);
void gate_print_github(struct buffer *out, const struct gate *gate, bool all);
void gate_print_markdown(struct buffer *out, const struct gate *gate, bool all);
void gate_print_json(struct buffer *out, const struct gate *gate, bool all);
void gate_print_junit(struct buffer *out, const struct gate *gate, bool all);
void gate_print_csv(struct buffer *out, const struct gate *gate, bool all);
void gate_print_gitlab(struct buffer *out, const struct gate *gate, bool all);
/* For two runs of one program: what each benchmark swings, and thresholds that would hold. */
void gate_print_noise(struct buffer *out, const struct gate *gate, bool all);

#endif
