/* Judges benchmark results: a gate reports the benchmarks that got worse by more than a threshold
 * and by more than noise.
 *
 * A gate compares a base (results before a change) with a head (results after the change). It reads
 * rules, raw results and printed comparisons. The caller judges the gate once. After that the gate
 * only returns results: rows, totals, texts and the exit status of parse_bench_regressions. No
 * input is dropped silently: a benchmark that cannot be judged is a row with a verdict that gives
 * the reason. An input that is wrong or cannot be read is a problem, which makes the exit status 1.
 *
 * Views (rows, texts) point into the gate and are valid until it is freed. One gate belongs to one
 * thread at a time until it has been judged; after that any number of threads may read it.
 * Different gates are independent. */
#ifndef PPROFC_GATE_H
#define PPROFC_GATE_H

#include "pprofc/bench.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A comparison of benchmark results, and its verdicts. */
typedef struct pprofc_gate pprofc_gate;

/* ---- settings */

/* Statistical test of raw results. Printed comparisons are not tested again, because they already
 * contain p-values. */
typedef enum pprofc_gate_test {
  PPROFC_GATE_BOTH,  /* Welch's t-test; if it finds no change, the Mann-Whitney U test, then a
                        t-test on trimmed means */
  PPROFC_GATE_WELCH, /* Welch's t-test, on means */
  PPROFC_GATE_UTEST, /* the Mann-Whitney U test, on medians */
  PPROFC_GATE_NONE   /* no test: every difference counts as significant */
} pprofc_gate_test;

/* Correction of p-values for the number of comparisons. */
typedef enum pprofc_gate_correction {
  PPROFC_GATE_BH,         /* Benjamini and Hochberg 1995: controls the false discovery rate */
  PPROFC_GATE_HOLM,       /* Holm 1979: controls the family-wise error rate */
  PPROFC_GATE_UNCORRECTED /* p-values are not corrected */
} pprofc_gate_correction;

/* Time that the gate judges if a benchmark reports both wall time and CPU time. */
typedef enum pprofc_gate_time {
  PPROFC_GATE_TIME_AUTO, /* CPU time if the benchmark has one thread and does not wait; else wall
                            time */
  PPROFC_GATE_TIME_WALL, /* wall time is judged */
  PPROFC_GATE_TIME_CPU   /* CPU time is judged */
} pprofc_gate_time;

/* Settings of a gate. pprofc_gate_new copies the strings. */
typedef struct pprofc_gate_options {
  size_t struct_size;                /* set by pprofc_gate_options_init */
  const pprofc_allocator *allocator; /* allocator of the gate; the gate copies the struct; NULL for
                                        malloc */
  double threshold;      /* smallest relative change that is a regression, default 0.05 */
  double alpha;          /* largest adjusted p-value of a significant change, default 0.05 */
  pprofc_gate_test test; /* test for raw results, default PPROFC_GATE_BOTH */
  pprofc_gate_correction
      correction;        /* correction for the number of tests, default PPROFC_GATE_BH */
  pprofc_gate_time time; /* time that is judged, default PPROFC_GATE_TIME_AUTO */
  /* minimum number of samples in base and in head, default 4; a benchmark with fewer samples is
   * inconclusive */
  size_t min_samples;
  const char *floor;      /* smallest absolute change that is a regression, such as "1us or 16 B";
                             default "": 0, except for B/op and allocs/op (docs/GATES.md) */
  bool strict;            /* true: inconclusive results have the exit status 3; default false */
  const char *today;      /* day for the expiry of rules: "2027-01-31"; "": today in UTC */
  const char *noise_from; /* folder with a file for each earlier run of the base, or a store that
                             `pprofci store` wrote. pprofc_gate_new reads it. A t-test must also
                             show that a regression exceeds the noise between these runs. "": no
                             earlier runs. */
  /* true (default): judge results even if all samples of base or of head come from one process;
   * false: a regression of such samples is inconclusive */
  bool one_process;
} pprofc_gate_options;

/* Sets all fields to their defaults. */
PPROFC_API void pprofc_gate_options_init(pprofc_gate_options *options);

/* Creates an empty gate. `options` may be NULL; its strings are copied. The caller frees *gate with
 * pprofc_gate_free. Earlier runs that are unreadable become problems. Errors: PPROFC_E_INVALID for
 * an invalid setting (the message names it) and for options of size 0, PPROFC_E_NOMEM. */
PPROFC_API pprofc_status pprofc_gate_new(const pprofc_gate_options *options, pprofc_gate **gate,
                                         pprofc_error *error);

/* Frees a gate and all its views; NULL is allowed. */
PPROFC_API void pprofc_gate_free(pprofc_gate *gate);

/* ---- reading */

/* Reads rules from the JSON text of a rules file (docs/GATES.md). The settings in the file replace
 * the options of the gate. Call this function before the functions that read inputs. `path` names
 * the text in messages. The caller may free `data` afterwards. Errors: PPROFC_E_FORMAT, with
 * PATH:LINE:COLUMN, PPROFC_E_NOMEM. After an error the gate may have only some of the rules, so
 * free it. */
PPROFC_API pprofc_status pprofc_gate_read_rules(pprofc_gate *gate, const char *path,
                                                const void *data, size_t size, pprofc_error *error);

/* The two sides of a comparison of raw results. */
typedef enum pprofc_gate_side {
  PPROFC_GATE_BASE, /* results before the change */
  PPROFC_GATE_HEAD  /* results after the change */
} pprofc_gate_side;

/* Adds the raw results of a set to one side. A side may have several inputs. The function copies
 * the results: `set` may be freed afterwards, and other threads may read `set` during the call.
 * Lines that the set could not read (pprofc_bench_messages) become problems. Errors:
 * PPROFC_E_INVALID for a set with pprofc_bench_keep_units, PPROFC_E_NOMEM, PPROFC_E_LIMIT. */
PPROFC_API pprofc_status pprofc_gate_read_set(pprofc_gate *gate, pprofc_gate_side side,
                                              const pprofc_bench *set, pprofc_error *error);

/* Adds raw results in any format that pprofc_bench_read reads. `path` names the input in rows and
 * messages. The caller may free `data` afterwards. Lines that report a failed run ("FAIL",
 * "panic:") become problems. Errors: PPROFC_E_FORMAT for an input that is unusable as a whole,
 * PPROFC_E_NOMEM, PPROFC_E_LIMIT. */
PPROFC_API pprofc_status pprofc_gate_read_memory(pprofc_gate *gate, pprofc_gate_side side,
                                                 const char *path, const void *data, size_t size,
                                                 pprofc_error *error);

/* Adds raw results of a file, a criterion folder, or "-" for standard input. Errors: as for
 * pprofc_gate_read_memory; PPROFC_E_IO; PPROFC_E_LIMIT for a file of more than 2 GiB. */
PPROFC_API pprofc_status pprofc_gate_read_file(pprofc_gate *gate, pprofc_gate_side side,
                                               const char *path, pprofc_error *error);

/* Reads a comparison that benchstat or benchstatc printed as text, CSV, Markdown or JSON. Adds its
 * rows. `path` names the comparison in messages. The function copies `data`. An unreadable line
 * becomes a problem. Errors: PPROFC_E_NOMEM. */
PPROFC_API pprofc_status pprofc_gate_read_comparison(pprofc_gate *gate, const char *path,
                                                     const void *data, size_t size,
                                                     pprofc_error *error);

/* ---- judging */

/* Compares the raw results of base and head, and gives every row its verdict. Call the function
 * once, after all reading; a later call that reads or judges returns PPROFC_E_INVALID. It is a
 * problem if only base or only head has results. A regression is not an error: see
 * pprofc_gate_exit_status. Errors: PPROFC_E_NOMEM. */
PPROFC_API pprofc_status pprofc_gate_judge(pprofc_gate *gate, pprofc_error *error);

/* Verdict on a row. */
typedef enum pprofc_gate_verdict {
  PPROFC_GATE_UNCHANGED,     /* no significant change, or a change below the threshold or the
                                floor */
  PPROFC_GATE_IMPROVED,      /* the benchmark got significantly better */
  PPROFC_GATE_SUSPICIOUS,    /* better by more than half; the benchmark may measure nothing */
  PPROFC_GATE_REGRESSED,     /* significantly worse, by the threshold or more */
  PPROFC_GATE_INCONCLUSIVE,  /* the samples neither show nor exclude a regression */
  PPROFC_GATE_TOO_FEW,       /* base or head has fewer samples than min_samples */
  PPROFC_GATE_MISSING,       /* only the base has the benchmark */
  PPROFC_GATE_NEW,           /* only the head has the benchmark */
  PPROFC_GATE_ACCEPTED,      /* worse, but a rule accepts it */
  PPROFC_GATE_IGNORED,       /* a rule ignores the benchmark */
  PPROFC_GATE_INFORMATIONAL, /* unknown whether higher or lower values are better */
  PPROFC_GATE_UNMEASURED,    /* a time of 0, which means that nothing was measured */
  PPROFC_GATE_ASIDE /* not judged, because the benchmark also has another time (wall time or CPU
                       time) that the gate judges */
} pprofc_gate_verdict;

/* Returns the verdict as the reports print it: "regressed", "too few samples". Returns "unknown"
 * for an unknown number. */
PPROFC_API const char *pprofc_gate_verdict_name(pprofc_gate_verdict verdict);

/* A benchmark in one unit. In the texts, control characters and commands of CI systems are
 * escaped. */
typedef struct pprofc_gate_row {
  pprofc_str group; /* package or configuration of the benchmark; may be empty */
  pprofc_str name;  /* name of the benchmark */
  pprofc_str unit;  /* unit of the values: without a prefix ("sec/op") for raw results; for a
                       printed comparison, the printed unit */
  pprofc_str file;  /* path of the file that the row was read from */
  size_t line;      /* line of the file, from 1; 0: the row is not from a line */
  int direction;    /* better direction: 1 higher, -1 lower, 0 unknown */

  bool in_base, in_head;         /* true if the base has the benchmark, and true if the head has the
                                    benchmark */
  size_t base_count, head_count; /* number of samples in base and in head; 0: unknown */
  double base, head;             /* centers of the samples (mean or median) in `unit` without a
                                    prefix, such as seconds; NaN if missing */
  double effect;    /* (head - base) / base: 0.1 is 10 % more; NaN: unknown; infinite if the base is
                       0 */
  double low, high; /* confidence interval of `effect` at the level 1 - alpha; NaN: unknown */

  bool tested;        /* true if `p` and `adjusted` come from a test */
  const char *test;   /* name of the test: "Welch", "U", "trimmed t", "table" for a p-value of a
                         printed comparison, "none" ... */
  double p, adjusted; /* p-value before and after the correction for the number of tests; 1 if not
                         tested */

  pprofc_gate_verdict verdict; /* verdict on the row */
  bool significant; /* true if `adjusted` is at most alpha, or if the values are constant and
                       differ */
  /* smallest relative change that counts, from the options or from a rule; for counts of events, at
   * least 3 times the range of the samples divided by their median */
  double threshold;
  double alpha;          /* significance level of the row */
  double visible_effect; /* smallest effect that would have been significant; infinite if no effect
                            would be significant; NaN if unknown */
} pprofc_gate_row;

/* Returns all rows: first the rows of comparisons in the order of reading, then raw results in the
 * order of their first measurement. Sets *count to their number. Before judging, *count is 0 and
 * the result is NULL. */
PPROFC_API const pprofc_gate_row *pprofc_gate_rows(const pprofc_gate *gate, size_t *count);

/* Number of rows with each verdict; all 0 before judging. */
typedef struct pprofc_gate_totals {
  size_t compared;    /* number of rows that were judged by comparing base and head */
  size_t significant; /* number of compared rows with a significant change in either direction */
  size_t regressed;   /* number of regressed rows */
  size_t improved, suspicious, accepted, missing; /* numbers of rows with these verdicts */
  size_t inconclusive; /* number of inconclusive rows, including rows with too few samples */
  size_t problems;     /* number of problems; see pprofc_gate_problems */
} pprofc_gate_totals;

/* Returns the totals. */
PPROFC_API pprofc_gate_totals pprofc_gate_totals_of(const pprofc_gate *gate);

/* Returns the exit status of parse_bench_regressions. 0: nothing regressed. 2: a regression.
 * 1: no result (problems, nothing compared, or not judged yet). 3: nothing regressed, but
 * `strict` is set and a result is inconclusive. */
PPROFC_API int pprofc_gate_exit_status(const pprofc_gate *gate);

/* The first function returns the problems, which make the result unusable. The second returns the
 * warnings about the result. Each problem or warning is one line with a line feed. The text is
 * empty if there is nothing to report. It is valid until the next call that changes the gate. */
PPROFC_API pprofc_str pprofc_gate_problems(const pprofc_gate *gate);
PPROFC_API pprofc_str pprofc_gate_warnings(const pprofc_gate *gate);

/* Writes the result as "text", "github", "markdown", "json", "junit", "gitlab" or "csv", like
 * -format of parse_bench_regressions. If `all` is true, also lists rows without a change. Writes
 * nothing until the whole text is complete. Errors: PPROFC_E_INVALID for another format and for a
 * gate that was not judged, PPROFC_E_NOMEM, PPROFC_E_IO when `write` fails. */
PPROFC_API pprofc_status pprofc_gate_print(const pprofc_gate *gate, const char *format, bool all,
                                           pprofc_write_fn write, void *context,
                                           pprofc_error *error);

#ifdef __cplusplus
}
#endif
#endif
