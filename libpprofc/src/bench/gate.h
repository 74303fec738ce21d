/* The gate: did a benchmark get slower beyond a threshold and beyond noise?
 *
 * Readers turn inputs into rows, one for each comparison of a benchmark's unit between base and
 * head; the judge gives each row a verdict; printers show rows. Rows never get lost: what cannot be
 * judged says so in its verdict. */
#ifndef PPROFC_BENCH_GATE_H
#define PPROFC_BENCH_GATE_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/str.h"
#include "pprofc/bench.h"

enum gate_test {
  GATE_WELCH, /* raw samples: Welch's t-test */
  GATE_UTEST, /* raw samples: exact Mann-Whitney, right with ties */
  GATE_NONE   /* every difference counts */
};

enum gate_correction { GATE_BH, GATE_HOLM, GATE_UNCORRECTED };

enum gate_verdict {
  GATE_UNCHANGED,
  GATE_IMPROVED,
  GATE_SUSPICIOUS, /* faster by more than half: was anything measured? */
  GATE_REGRESSED,
  GATE_INCONCLUSIVE, /* beyond the threshold or not, the samples do not say */
  GATE_TOO_FEW,      /* fewer samples than -min-samples */
  GATE_MISSING,      /* in base only */
  GATE_NEW,          /* in head only */
  GATE_ACCEPTED,     /* worse, but a rule accepts it */
  GATE_IGNORED,      /* a rule says so */
  GATE_INFORMATIONAL /* nobody knows which way is better */
};

/* How a delta is known when it is no number. */
enum gate_delta { GATE_DELTA_NUMBER, GATE_DELTA_FROM_ZERO, GATE_DELTA_UNKNOWN };

struct gate_row {
  pprofc_str group; /* "pkg: a/b goos: linux", may be empty */
  pprofc_str name, unit;
  int direction;                 /* 1: higher is better, -1: lower, 0: not known */
  double base, head;             /* centers; NaN where there is none */
  size_t base_count, head_count; /* samples */
  enum gate_delta delta_kind;
  double delta;     /* (head - base) / base; +Inf from zero */
  double low, high; /* confidence interval of delta; NaN when not known */
  bool tested;      /* p means something */
  bool constant;    /* all samples of a side are equal, on both sides: no test is needed */
  double p, adjusted;
  const char *test;    /* "Welch", "U", "table", "block medians" ... */
  const char *warning; /* drift between the halves of a side; or NULL */
  double spread;       /* the greater relative spread of both sides; NaN when not known */

  pprofc_str file; /* where the row comes from */
  size_t line;     /* 0: not from a line */
  pprofc_str text; /* the line as it stands */

  /* Of the judge: */
  enum gate_verdict verdict;
  double threshold, floor, alpha; /* that were applied */
  size_t rule;                    /* the one that decided, SIZE_MAX for none */
  bool significant;
};

/* One rule of the rules file: what it matches and what it sets. */
struct gate_rule {
  pprofc_str pattern, unit; /* globs; empty matches all */
  bool has_threshold, has_alpha, has_floor, ignore, accept;
  double threshold, alpha, floor; /* relative; probability; in the unit */
  int direction;                  /* 0: not set */
  pprofc_str until, reason, text; /* "2027-01-31"; why; how to name the rule in messages */
  bool expired;
  size_t used; /* rows that it matched */
};

struct gate_settings {
  double threshold; /* relative: 0.05 */
  double alpha;
  enum gate_test test;
  bool test_given; /* on the command line: also p-values of tables are then refused where it cannot
                      be kept */
  enum gate_correction correction;
  size_t min_samples;
  bool strict;
  struct gate_rule *rules;
  size_t rule_count;
  struct gate_direction {
    pprofc_str unit;
    int direction;
  } * directions;
  size_t direction_count;
};

struct gate {
  const pprofc_allocator *mem;
  struct arena arena;
  struct buffer rows;     /* of struct gate_row */
  struct buffer problems; /* one line each: what makes the result unusable (exit status 1) */
  size_t problem_count;
  struct gate_settings settings;
  size_t inputs;

  /* Of the judge. */
  size_t compared, significant, regressed, missing, improved, suspicious, inconclusive, accepted;
};

void gate_init(struct gate *gate, const pprofc_allocator *mem);
void gate_free(struct gate *gate);

static inline struct gate_row *gate_rows(const struct gate *gate, size_t *count) {
  *count = gate->rows.size / sizeof(struct gate_row);
  return (struct gate_row *)(void *)gate->rows.data;
}

/* A row with everything unknown; the caller fills in what it knows and adds it. Texts must live in
 * the arena. */
struct gate_row gate_row_unknown(void);
bool gate_add(struct gate *gate, const struct gate_row *row);

/* Notes a problem, one line. */
void gate_problem(struct gate *gate, const char *format, ...) PPROFC_PRINTF(2, 3);

/* ---- readers
 * --------------------------------------------------------------------------------------- */

/* Reads a file of comparisons of any kind, recognised by content. `data` must live as long as the
 * gate. What is wrong with it becomes a problem; PPROFC_E_NOMEM is the only error. */
pprofc_status gate_read_tables(struct gate *gate, pprofc_str path, pprofc_str data,
                               pprofc_error *error);

/* One reader each. They return PPROFC_E_NO_MATCH when the data holds no such table. */
pprofc_status gate_read_text(struct gate *gate, pprofc_str path, pprofc_str data,
                             pprofc_error *error);
pprofc_status gate_read_csv(struct gate *gate, pprofc_str path, pprofc_str data,
                            pprofc_error *error);
pprofc_status gate_read_classic(struct gate *gate, pprofc_str path, pprofc_str data,
                                pprofc_error *error);

/* Raw results: compares base with head. `set` was read with the labels "base" and "head" and stays.
 */
pprofc_status gate_read_raw(struct gate *gate, const pprofc_bench *set, pprofc_error *error);

/* ---- judging
 * -------------------------------------------------------------------------------------------- */

/* Which way a unit, as written in any of the tools, is better. */
int gate_direction(const struct gate *gate, pprofc_str unit);

/* The values of the floor of a rule: "1us", "16 B", "100ns", "0.5" into the base unit of the row
 * ("sec/op": seconds). */
bool gate_parse_floor(pprofc_str text, double *value);

/* '*' and '?' globs over whole names. */
bool gate_glob(pprofc_str pattern, pprofc_str text);

/* Gives every row its verdict and counts. `today` is "2026-11-20" for rules that expire. */
pprofc_status gate_judge(struct gate *gate, const char *today, pprofc_error *error);

/* 0 pass, 2 regression, 1 problems or nothing compared, 3 strict doubts; after gate_judge. */
int gate_exit_status(const struct gate *gate);

const char *gate_verdict_name(enum gate_verdict verdict);

/* "+21.5% [+19.8%, +23.1%] p=0.0001 n=10+10". */
void gate_print_effect(struct buffer *out, const struct gate_row *row);

/* The last line: "N compared, M significant, K regressed, J missing". */
void gate_print_totals(struct buffer *out, const struct gate *gate);

#endif
