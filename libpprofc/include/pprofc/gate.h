/* Judging benchmark results: the gate says which benchmarks got worse, beyond a threshold and
 * beyond noise.
 *
 * A gate compares a base with a head. It is filled by reading (rules, raw results, printed
 * comparisons), judged once, and then only looked at: rows, totals, texts and the exit status of
 * parse_bench_regressions. Nothing is lost on the way: a benchmark that cannot be judged is a row
 * whose verdict says so, and an input that is wrong or that could not be read is a problem, which
 * makes the exit status 1.
 *
 * Views (rows, texts) point into the gate and live as long as it does. One gate belongs to one
 * thread at a time until it has been judged; after that any number of threads may read it.
 * Different gates are independent. */
#ifndef PPROFC_GATE_H
#define PPROFC_GATE_H

#include "pprofc/bench.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pprofc_gate pprofc_gate;

/* ---- settings */

/* The test of raw results. Printed comparisons bring their p-values along. */
typedef enum pprofc_gate_test {
  PPROFC_GATE_BOTH,  /* Welch's t-test, and Mann-Whitney U for what that does not find */
  PPROFC_GATE_WELCH, /* Welch's t-test, on means */
  PPROFC_GATE_UTEST, /* the exact Mann-Whitney U test, on medians */
  PPROFC_GATE_NONE   /* every difference counts */
} pprofc_gate_test;

/* How p-values are corrected for the number of comparisons. */
typedef enum pprofc_gate_correction {
  PPROFC_GATE_BH,   /* Benjamini and Hochberg 1995: the share of false alarms */
  PPROFC_GATE_HOLM, /* Holm 1979: any false alarm */
  PPROFC_GATE_UNCORRECTED
} pprofc_gate_correction;

/* What is judged of a benchmark that has wall time and CPU time. */
typedef enum pprofc_gate_time {
  PPROFC_GATE_TIME_AUTO, /* CPU time where the benchmark has one thread and does not wait */
  PPROFC_GATE_TIME_WALL,
  PPROFC_GATE_TIME_CPU
} pprofc_gate_time;

typedef struct pprofc_gate_options {
  size_t struct_size;                /* set by pprofc_gate_options_init */
  const pprofc_allocator *allocator; /* copied; NULL for malloc */
  double threshold; /* a regression is worse by at least this: 0.05 is 5 % of the base */
  double alpha;     /* a change is significant when its adjusted p-value is at most this: 0.05 */
  pprofc_gate_test test;             /* PPROFC_GATE_BOTH */
  pprofc_gate_correction correction; /* PPROFC_GATE_BH */
  pprofc_gate_time time;             /* PPROFC_GATE_TIME_AUTO */
  size_t min_samples;                /* with fewer samples a side a benchmark is inconclusive: 4 */
  const char *floor;      /* smaller changes are no regressions: "1us or 16 B"; "": none */
  bool strict;            /* doubts give the exit status 3 */
  const char *today;      /* the day on which rules expire: "2027-01-31"; "": today in UTC */
  const char *noise_from; /* a folder of earlier runs of the base, a file each, read at once: a
                             benchmark that swings further between them than the threshold
                             regresses only beyond that; or a store of
                             `pprofci store`; "": none */
} pprofc_gate_options;

PPROFC_API void pprofc_gate_options_init(pprofc_gate_options *options);

/* Makes an empty gate. `options` may be NULL; its strings are copied. On success *gate is to be
 * freed with pprofc_gate_free. Earlier runs that cannot be read are problems. Errors:
 * PPROFC_E_INVALID for a setting without meaning (the message names it) and for options of size 0,
 * PPROFC_E_NOMEM. */
PPROFC_API pprofc_status pprofc_gate_new(const pprofc_gate_options *options, pprofc_gate **gate,
                                         pprofc_error *error);

/* Frees a gate and all views of it; NULL is allowed. */
PPROFC_API void pprofc_gate_free(pprofc_gate *gate);

/* ---- reading */

/* Reads rules from the JSON text of a rules file (docs/GATES.md). What the text sets replaces what
 * the options of the gate say. Call it before inputs are read. `path` names the text in messages;
 * `data` is not needed afterwards. Errors: PPROFC_E_FORMAT, with PATH:LINE:COLUMN, PPROFC_E_NOMEM.
 * After an error the gate may have a part of the rules: free it. */
PPROFC_API pprofc_status pprofc_gate_read_rules(pprofc_gate *gate, const char *path,
                                                const void *data, size_t size, pprofc_error *error);

/* Which side raw results belong to. */
typedef enum pprofc_gate_side { PPROFC_GATE_BASE, PPROFC_GATE_HEAD } pprofc_gate_side;

/* Adds the raw results of a set to one side; a side may have several inputs. The results are
 * copied: `set` may be freed afterwards, and other threads may read it meanwhile. Lines that the
 * set could not read (pprofc_bench_messages) become problems. Errors: PPROFC_E_INVALID for a set
 * with pprofc_bench_keep_units, PPROFC_E_NOMEM, PPROFC_E_LIMIT. */
PPROFC_API pprofc_status pprofc_gate_read_set(pprofc_gate *gate, pprofc_gate_side side,
                                              const pprofc_bench *set, pprofc_error *error);

/* Adds raw results in any format that pprofc_bench_read reads. `path` names them in rows and
 * messages; `data` is not needed afterwards. Lines that say a run failed ("FAIL", "panic:") become
 * problems. Errors are those of pprofc_bench_read. */
PPROFC_API pprofc_status pprofc_gate_read_memory(pprofc_gate *gate, pprofc_gate_side side,
                                                 const char *path, const void *data, size_t size,
                                                 pprofc_error *error);

/* The same for a file, a folder of criterion, or "-" for standard input. Errors besides:
 * PPROFC_E_IO, PPROFC_E_LIMIT for a file of more than 2 GiB. */
PPROFC_API pprofc_status pprofc_gate_read_file(pprofc_gate *gate, pprofc_gate_side side,
                                               const char *path, pprofc_error *error);

/* Reads a comparison that benchstat or benchstatc printed, as text, CSV, Markdown or JSON, and adds
 * its rows. `path` names it in messages; `data` is copied. What is wrong with it becomes a problem.
 * Errors: PPROFC_E_NOMEM. */
PPROFC_API pprofc_status pprofc_gate_read_comparison(pprofc_gate *gate, const char *path,
                                                     const void *data, size_t size,
                                                     pprofc_error *error);

/* ---- judging */

/* Compares the raw results of both sides and gives every row its verdict. Call it once, after
 * everything was read; reading or judging afterwards is PPROFC_E_INVALID. A side without results is
 * a problem when the other one has some. A regression is no error: see pprofc_gate_exit_status.
 * Errors: PPROFC_E_NOMEM. */
PPROFC_API pprofc_status pprofc_gate_judge(pprofc_gate *gate, pprofc_error *error);

/* What the judge says about a row. */
typedef enum pprofc_gate_verdict {
  PPROFC_GATE_UNCHANGED,     /* no significant change, or a smaller one than the threshold */
  PPROFC_GATE_IMPROVED,      /* significantly better */
  PPROFC_GATE_SUSPICIOUS,    /* better by more than half: was anything measured? */
  PPROFC_GATE_REGRESSED,     /* significantly worse, by the threshold or more */
  PPROFC_GATE_INCONCLUSIVE,  /* the samples do not tell */
  PPROFC_GATE_TOO_FEW,       /* fewer samples than min_samples */
  PPROFC_GATE_MISSING,       /* in the base only */
  PPROFC_GATE_NEW,           /* in the head only */
  PPROFC_GATE_ACCEPTED,      /* worse, but a rule accepts it */
  PPROFC_GATE_IGNORED,       /* a rule says so */
  PPROFC_GATE_INFORMATIONAL, /* it is not known which way the unit is better */
  PPROFC_GATE_UNMEASURED,    /* a time of 0 */
  PPROFC_GATE_ASIDE          /* the other time of the benchmark is judged */
} pprofc_gate_verdict;

/* "regressed", "too few samples": the words that the reports use. "unknown" for another number. */
PPROFC_API const char *pprofc_gate_verdict_name(pprofc_gate_verdict verdict);

/* One benchmark in one unit. Texts have control bytes and commands of CI systems made visible. */
typedef struct pprofc_gate_row {
  pprofc_str group; /* the package, or the configuration of the table; may be empty */
  pprofc_str name;  /* of the benchmark */
  pprofc_str unit;  /* "sec/op" for raw results; as printed for a comparison */
  pprofc_str file;  /* where the row comes from */
  size_t line;      /* in that file, from 1; 0: not from a line */
  int direction;    /* 1: higher is better, -1: lower, 0: not known */

  bool in_base, in_head;         /* which sides have it */
  size_t base_count, head_count; /* samples of each side; 0: not known */
  double base, head;             /* centers in base units of `unit`; NaN where there is none */
  double effect;    /* (head - base) / base: 0.1 is 10 % more; NaN: not known; infinite:
                       from 0 */
  double low, high; /* confidence interval of `effect` at 1 - alpha; NaN: not known */

  bool tested;        /* p and adjusted come from a test */
  const char *test;   /* "Welch", "U", "table", "none" ... */
  double p, adjusted; /* p-value, and after correction; 1 when not tested */

  pprofc_gate_verdict verdict;
  bool significant;      /* adjusted p is at most alpha, or the values are constant and differ */
  double threshold;      /* that was applied, relative; of a rule, or raised by noise */
  double alpha;          /* that was applied */
  double visible_effect; /* the smallest effect that would have been significant; infinite: none;
                            NaN: not known */
} pprofc_gate_row;

/* All rows: comparisons in the order they were read, then raw results in the order of their first
 * measurement. *count becomes their number, 0 before the gate was judged;
 * the array is then NULL. */
PPROFC_API const pprofc_gate_row *pprofc_gate_rows(const pprofc_gate *gate, size_t *count);

/* How many rows have which fate; all 0 before the gate was judged. */
typedef struct pprofc_gate_totals {
  size_t compared;    /* judged by both sides */
  size_t significant; /* changes of those, in either direction */
  size_t regressed;   /* with that verdict, as are the following */
  size_t improved, suspicious, accepted, missing;
  size_t inconclusive; /* too few samples included */
  size_t problems;     /* what makes the result unusable; see pprofc_gate_problems */
} pprofc_gate_totals;

PPROFC_API pprofc_gate_totals pprofc_gate_totals_of(const pprofc_gate *gate);

/* The exit status of parse_bench_regressions: 0 nothing regressed; 2 something did; 1 no result
 * (problems, nothing compared, or not judged yet); 3 nothing regressed, but `strict` is on and
 * something is in doubt. */
PPROFC_API int pprofc_gate_exit_status(const pprofc_gate *gate);

/* What makes the result unusable, and what a reader of the result should know, one line each, every
 * line with its line feed. Empty when there is nothing. The view is valid until the next call that
 * changes the gate. */
PPROFC_API pprofc_str pprofc_gate_problems(const pprofc_gate *gate);
PPROFC_API pprofc_str pprofc_gate_warnings(const pprofc_gate *gate);

/* Writes the result as "text", "github", "markdown", "json", "junit", "gitlab" or "csv", as -format
 * of parse_bench_regressions does. With `all`, rows without a change are listed, too. Nothing is
 * written before the whole text has been made. Errors: PPROFC_E_INVALID for another format and for
 * a gate that was not judged, PPROFC_E_NOMEM, PPROFC_E_IO when `write` refuses. */
PPROFC_API pprofc_status pprofc_gate_print(const pprofc_gate *gate, const char *format, bool all,
                                           pprofc_write_fn write, void *context,
                                           pprofc_error *error);

#ifdef __cplusplus
}
#endif
#endif
