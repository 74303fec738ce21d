/* Judges functions: finds the differences between base and head that are more than noise.
 *
 * Each profile is a run. If each side (base or head) has one run, the noise between runs is not
 * known, and an assumed value replaces it. docs/VERDICTS.md explains how to read the numbers,
 * docs/method/verdicts.md the method.
 *
 * Every value is the mean over the runs of a side, as recorded: per run, per operation, per second,
 * or in percent of the total, according to summary.exposure. The library does not scale values to
 * make the sides alike. The flat differences of all rows add up to the difference of the total,
 * except for samples without a function. The library judges three things, each with an interval:
 *  - summary.total_*: the total
 *  - summary.common_*: the relative change that all functions share. The values of rows
 *    include this change.
 *  - row.flat, row.cum: the self value and the total value of a function, with these fields:
 *    - verdict: the verdict to show
 *    - own: the verdict without the change that all functions share
 *    - p, q: the p-values of the test of `own`
 *    - low, high: the interval of `delta`
 *
 * A shown verdict has the direction of its recorded difference. If the interval of the difference
 * contains 0, the verdict does not claim that the function grew or shrank. summary.sentence
 * describes the change in one line.
 *
 * Verdicts are computed once and do not change. They contain copies, so profiles and options may be
 * released before them. Arrays and texts are valid until the verdicts are freed. Any number of
 * threads may make verdicts of the same profiles, and read the same verdicts, at once. */
#ifndef PPROFC_VERDICT_H
#define PPROFC_VERDICT_H

#include "pprofc/transform.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Verdicts on the functions of base and head. */
typedef struct pprofc_verdicts pprofc_verdicts;

/* Verdict on a function, a total or all functions together. */
typedef enum pprofc_verdict {
  PPROFC_VERDICT_RARE, /* too few samples for a verdict */
  /* time of code that the program does not control, such as the kernel or a scheduler; not
   * judged */
  PPROFC_VERDICT_ENVIRONMENT,
  /* no verdict is possible, because the sample type needs several runs of base and of head */
  PPROFC_VERDICT_UNKNOWN,
  PPROFC_VERDICT_UNCHANGED,     /* no change except noise */
  PPROFC_VERDICT_GREW_AS_ALL,   /* grew only because all functions grew */
  PPROFC_VERDICT_SHRANK_AS_ALL, /* shrank only because all functions shrank */
  PPROFC_VERDICT_GREW_LESS,     /* grew by a smaller percentage than all functions together */
  PPROFC_VERDICT_SHRANK_LESS,   /* shrank by a smaller percentage than all functions together */
  PPROFC_VERDICT_ROSE,   /* grew in comparison with all functions; recorded difference may be 0 */
  PPROFC_VERDICT_FELL,   /* shrank in comparison with all functions; recorded difference may be 0 */
  PPROFC_VERDICT_GREW,   /* grew, and by a larger percentage than all functions together */
  PPROFC_VERDICT_SHRANK, /* shrank, and by a larger percentage than all functions together */
  PPROFC_VERDICT_NEW,    /* grew; the base has no samples of the function */
  PPROFC_VERDICT_GONE,   /* shrank; the head has no samples of the function */
  /* exact counts differ, but no test is possible because base and head each have one run */
  PPROFC_VERDICT_DIFFERS
} pprofc_verdict;

/* Returns the word to print: "grew", "shrank, as everything did", "unchanged" ... */
PPROFC_API const char *pprofc_verdict_name(pprofc_verdict verdict);

/* True if a function changed by more than noise, and not only because all functions changed. */
PPROFC_API bool pprofc_verdict_is_change(pprofc_verdict verdict);

/* True if a function changed by more than noise, even if all functions changed by the same factor.
 */
PPROFC_API bool pprofc_verdict_is_certain(pprofc_verdict verdict);

/* Relation between two functions whose changes cancel. */
typedef enum pprofc_verdict_relation {
  PPROFC_RELATION_NONE,    /* there is no related function */
  PPROFC_RELATION_MOVED,   /* two functions with a common caller; cost moved between them */
  PPROFC_RELATION_RENAMED, /* one function: the base has it under its old name, the head under its
                              new name */
  PPROFC_RELATION_INLINED  /* a caller and its callee: the callee became inlined into the caller, or
                              stopped being inlined */
} pprofc_verdict_relation;

/* Returns "moved", "renamed" or "inlined"; "" for PPROFC_RELATION_NONE. */
PPROFC_API const char *pprofc_verdict_relation_name(pprofc_verdict_relation relation);

/* A run of base or of head. */
typedef struct pprofc_verdict_run {
  const pprofc_profile *profile; /* profile of the run; the caller keeps it during the call */
  const char *name;              /* name of the run in messages; may be NULL */
  double operations;             /* number of operations; 0 if unknown */
  double per_operation; /* benchmark result per operation, in the unit of the sample type; 0 if
                           unknown */
} pprofc_verdict_run;

/* Divisor of the values of a run. It makes runs of different length comparable. */
typedef enum pprofc_verdict_exposure {
  /* the first of these that all runs have: operations, per_operation, and (for profiles of lock
   * contention) the duration; otherwise no divisor */
  PPROFC_EXPOSURE_AUTO,
  PPROFC_EXPOSURE_OPS,   /* number of operations */
  PPROFC_EXPOSURE_TIME,  /* duration of the profile, in seconds */
  PPROFC_EXPOSURE_TOTAL, /* total of the run, so that values are percentages of the total */
  PPROFC_EXPOSURE_NONE   /* no divisor, so that values are per run */
} pprofc_verdict_exposure;

/* Settings of verdicts. The caller owns the strings and `filter` during the call. A bool is false
 * by default. */
typedef struct pprofc_verdict_options {
  size_t struct_size;                   /* set by pprofc_verdict_options_init */
  const pprofc_filter_options *filter;  /* filter that applies to each run; NULL: no filter */
  const char *sample_index;             /* sample type as in pprofc_report_options; "": the
                                           default type */
  bool noinlines;                       /* true: count inlined functions as part of their callers */
  pprofc_verdict_exposure normalize_by; /* divisor of values, default PPROFC_EXPOSURE_AUTO */
  double alpha;                         /* accepted share of wrong verdicts among the functions that
                                           are reported as changed, default 0.05 */
  /* if base and head each have one run: assumed noise of each function between runs, as a share of
   * its value; default 0.05 */
  double noise_cv;
  /* minimum number of samples of base and head together, default 10; a function with fewer samples
   * is rare. 0: a function is rare if the comparison would miss a doubling of its cost */
  double min_samples;
  bool no_common;         /* true: judge a function by its recorded difference alone, without first
                             removing the factor that all functions of a run share */
  bool dependent;         /* true: use p-values that allow any dependence between functions */
  const char *rules;      /* text of a JSON rules file (docs/VERDICTS.md); NULL: no rules */
  size_t rules_size;      /* length of `rules` in bytes */
  const char *rules_name; /* name of the rules file in messages */
  bool places;            /* true: find the nodes of the call tree where the changes occur */
  bool stacks;            /* true: judge the nodes of the call tree */
  bool fcr; /* true: widen the intervals of changed rows; on average only a share alpha of these
               intervals then misses the true value (false coverage rate) */
  /* true: judge lines instead of functions. The name of a row is then the function, a newline, the
   * file, ':' and the line. Rows of lines have no `relation` and no domain (group of functions
   * between which cost moved) */
  bool lines;
} pprofc_verdict_options;

/* Sets all fields to their defaults. */
PPROFC_API void pprofc_verdict_options_init(pprofc_verdict_options *options);

/* Judges every function of the runs of base and head. Each side needs at least one run. Functions
 * match by name; a function that is missing in a run has the value 0 there. `options` may be NULL.
 * The caller frees *verdicts with pprofc_verdicts_free. Uses the allocator of the base's first
 * profile. If all runs have a period, the periods may differ: the library scales counts of samples
 * to the period of the first run. Errors: PPROFC_E_INVALID for sides without runs, negative values,
 * invalid options, a divisor that is 0 or unknown, and runs that differ in sample type, unit or
 * period type; PPROFC_E_FORMAT for the rules; PPROFC_E_NOMEM; PPROFC_E_LIMIT. */
PPROFC_API pprofc_status pprofc_verdicts_new(const pprofc_verdict_run *base, size_t base_count,
                                             const pprofc_verdict_run *head, size_t head_count,
                                             const pprofc_verdict_options *options,
                                             pprofc_verdicts **verdicts, pprofc_error *error);

/* Frees verdicts with their arrays and texts; NULL is allowed. */
PPROFC_API void pprofc_verdicts_free(pprofc_verdicts *verdicts);

/* An estimate of a difference, in the unit of the recorded values. */
typedef struct pprofc_verdict_estimate {
  pprofc_verdict verdict;  /* verdict to show */
  pprofc_verdict own;      /* verdict without the change that all functions share: unchanged, grew,
                              shrank, new, gone ... */
  double base, head;       /* mean of the base's runs, and mean of the head's runs */
  double delta, low, high; /* head - base and its 95 % interval */
  double p;                /* p-value of `own`; NaN: not tested */
  double q;                /* p-value after the adjustment for the number of functions; NaN: not
                              tested */
  double samples;          /* mean number of samples per run, over base and head; without sampling,
                              the mean value */
} pprofc_verdict_estimate;

/* Index of a row or node that does not exist. */
#define PPROFC_VERDICT_NO_ROW SIZE_MAX

/* A node of the call tree where a change, or a part of it, occurs. */
typedef struct pprofc_verdict_place {
  const pprofc_str *frames; /* names of the frames from the root to the node */
  size_t depth;             /* number of frames, at least 1 */
  double delta;             /* contribution of the node to the change */
} pprofc_verdict_place;

/* Estimates for a function. The p-values of flat and of cum are adjusted separately. */
typedef struct pprofc_verdict_row {
  pprofc_str name;                   /* name of the function */
  pprofc_verdict_estimate flat, cum; /* estimates for the self value and for the total */
  pprofc_verdict_relation relation;  /* kind of relation to the row `partner`, whose change cancels
                                        the change of this row */
  size_t partner;                    /* index of the related row, or PPROFC_VERDICT_NO_ROW */
  bool via_callee; /* true if cum changed because the flat values of the callees changed */
  /* call-tree nodes in which the flat value of the function changed, at most 8; only for changed
   * rows and with options.places; no nodes if the change is spread over the program */
  const pprofc_verdict_place *places;
  size_t place_count; /* number of items in `places` */
} pprofc_verdict_row;

/* Returns the rows, sorted by the absolute change of flat, largest first, then by name. Sets *count
 * to their number. */
PPROFC_API const pprofc_verdict_row *pprofc_verdicts_rows(const pprofc_verdicts *verdicts,
                                                          size_t *count);

/* Returns the row of a function, or NULL. Takes constant time. */
PPROFC_API const pprofc_verdict_row *pprofc_verdicts_find(const pprofc_verdicts *verdicts,
                                                          pprofc_str name);

/* Property that the functions of a domain (a group between which cost may have moved) share. */
typedef enum pprofc_verdict_domain_kind {
  PPROFC_DOMAIN_CALLER,  /* the domain is a function and the functions that it calls */
  PPROFC_DOMAIN_TYPE,    /* the functions belong to a type or class */
  PPROFC_DOMAIN_FILE,    /* the functions are in a file; `name` is the end of its path */
  PPROFC_DOMAIN_PACKAGE, /* the functions are in a package, module or namespace */
  PPROFC_DOMAIN_RENAMED  /* the functions, or their package, have a new name in the head */
} pprofc_verdict_domain_kind;

/* A domain: a group of functions between which cost may have moved, such as the functions of a
 * type, file or package. */
typedef struct pprofc_verdict_domain {
  pprofc_verdict_domain_kind kind; /* property that the functions share */
  pprofc_str name, renamed;        /* name of the group, and the new name if the group was renamed
                                      ("" if not) */
  pprofc_verdict_estimate net;     /* change of the sum of the group, including functions that are
                                      not in `rows` */
  bool moved;         /* true if the sum did not change by more than noise, so that cost only
                         moved */
  const size_t *rows; /* indices of the rows whose changes the group explains, ascending */
  size_t row_count;   /* number of items in `rows` */
} pprofc_verdict_domain;

/* Returns the domains (groups of functions between which cost moved) in the order of their first
 * rows, and sets *count to their number. Each row is in at most one domain. */
PPROFC_API const pprofc_verdict_domain *pprofc_verdicts_domains(const pprofc_verdicts *verdicts,
                                                                size_t *count);

/* Returns the domain of a row (its group of functions between which cost moved), or NULL. */
PPROFC_API const pprofc_verdict_domain *pprofc_verdicts_domain_of(const pprofc_verdicts *verdicts,
                                                                  const pprofc_verdict_row *row);

/* Returns the domain that explains the growth of the cum value of `row`. `rows` has only `row`.
 * `net` is the change of the sum of the domain's self values. Two domains can explain the growth:
 *  - All direct and indirect callees of the function, and all functions of the callees' domains. If
 *    the sum did not grow, calls only moved from other callers to the function.
 *  - For a new function: the nearest caller that is in all stacks of the function, and all callees
 *    of this caller. If the sum did not grow, the function only took over work of other callees.
 * Returns the domain that grew less. Returns NULL if cum did not grow, or if the sums are too
 * noisy. */
PPROFC_API const pprofc_verdict_domain *pprofc_verdicts_calls_of(const pprofc_verdicts *verdicts,
                                                                 const pprofc_verdict_row *row);

/* A node of the call tree: the samples whose stacks, read from the root, begin with the frames of
 * the node. The tree skips frames without a function, and leaf frames that a rule of the kind
 * `fold` names. The p-values of nodes and of functions are adjusted separately. */
typedef struct pprofc_verdict_stack {
  pprofc_str name;               /* name of the function */
  size_t parent;                 /* index of the parent, which is smaller than the node's index, or
                                    PPROFC_VERDICT_NO_ROW */
  pprofc_verdict_estimate total; /* estimate for the sum of the samples */
} pprofc_verdict_stack;

/* Returns the nodes if options.stacks is set: parents before children, and children by name. Sets
 * *count to their number, which is 0 without the option. */
PPROFC_API const pprofc_verdict_stack *pprofc_verdicts_stacks(const pprofc_verdicts *verdicts,
                                                              size_t *count);

/* Returns the index of the child named `name` of the node `parent`. PPROFC_VERDICT_NO_ROW as
 * `parent` means the root. Returns PPROFC_VERDICT_NO_ROW if there is no such child. Takes time
 * logarithmic in the number of nodes. */
PPROFC_API size_t pprofc_verdicts_stack_find(const pprofc_verdicts *verdicts, size_t parent,
                                             pprofc_str name);

/* Stores the recorded values of a row: cum if `cum` is true, else flat. `values` is an array of
 * base_runs + head_runs numbers, one for each run. The runs of the base come first. Returns false
 * if the verdicts were made from sums over all runs. */
PPROFC_API bool pprofc_verdicts_row_runs(const pprofc_verdicts *verdicts,
                                         const pprofc_verdict_row *row, bool cum, double *values);

/* True if the rules accept a change of the function on the day `today` ("2027-01-31"). Sets *reason
 * and *until to the texts of the rule that accepts the change. */
PPROFC_API bool pprofc_verdicts_accepts(const pprofc_verdicts *verdicts, pprofc_str name,
                                        const char *today, pprofc_str *reason, pprofc_str *until);

/* A rule that accepts changes. */
typedef struct pprofc_verdict_accepted {
  pprofc_str function;      /* regular expression of the functions that the rule accepts */
  pprofc_str reason, until; /* reason of the rule, and the last day on which the rule applies:
                               "2027-01-31" */
  size_t rows;              /* number of rows that match `function` */
} pprofc_verdict_accepted;

/* Fills in *rule with the rule at an index, in the order of the file. Returns false after the last
 * rule. */
PPROFC_API bool pprofc_verdicts_accepted_at(const pprofc_verdicts *verdicts, size_t index,
                                            pprofc_verdict_accepted *rule);

/* Summary of the comparison. Unknown numbers are NaN. */
typedef struct pprofc_verdict_summary {
  size_t base_runs, head_runs; /* number of runs of the base, and number of runs of the head */
  pprofc_str type, unit;       /* type and unit of the values; the unit of shares is "%" */
  pprofc_str sentence; /* description in one line: "71.4s less (-93%). Nearly everything is faster.
                          5 functions are new." */
  /* divisor of the values; never PPROFC_EXPOSURE_AUTO */
  pprofc_verdict_exposure exposure;
  bool exact; /* true if events were counted, not sampled */
  /* true if the values are exact and base or head has one run, so that their variation is
   * unknown */
  bool lone;
  bool lower_bound; /* true for profiles of lock contention, because their estimated sampling noise
                       is a lower bound */
  bool mixed_periods; /* true if the runs have different periods */
  /* true if base and head differ in duration but not in the total per second; PPROFC_EXPOSURE_TIME
   * then gives a better comparison */
  bool other_length;
  size_t tested;      /* number of rows whose flat value was tested */
  size_t changed;     /* number of tested rows whose flat value (self cost) changed */
  size_t cum_changed; /* number of rows whose cum value (with callees) changed */
  size_t shared;      /* number of rows that changed only by the factor that all functions share */
  /* numbers of changed rows by verdict; rows whose changes cancel do not count */
  size_t new_rows, gone_rows, grew, shrank, rose, fell;
  double alpha; /* accepted share of wrong verdicts among the changed functions, as in the
                   options */

  /* recorded totals of base and head; their difference with its 95 % interval and p-value; with one
   * run each of base and head, the interval assumes noise_cv */
  double total_base, total_head, total_delta, total_low, total_high, total_p;
  pprofc_verdict total_verdict; /* verdict on the total */

  /* relative change that all functions share (0.1 is 10 % more), with its interval and p-value */
  bool has_common; /* false if there are too few functions, if the sample type is unsuitable, or
                      with options.no_common */
  double common_change, common_low, common_high, common_p;
  pprofc_verdict common_verdict; /* verdict on the change that all functions share */
  const double *common; /* for each run, the factor that its functions share; runs of the base come
                           first; the geometric mean is 1; NULL if only sums over runs are known */

  /* with several runs of base or of head: noise between runs as a share of the value, and number of
   * degrees of freedom that the other functions contribute to this estimate */
  double between_run_cv, prior_degrees;
  /* with one run each of base and head: observed variance of the functions divided by the expected
   * variance, and the assumed noise between runs as a share of the value */
  double dispersion, noise_cv;

  double part;                /* sum of the changes of the changed rows, divided by total_delta */
  double part_low, part_high; /* Fieller's confidence interval of `part`; NaN: unbounded */

  const pprofc_verdict_place *places; /* call-tree nodes in which the total changed */
  size_t place_count;                 /* number of items in `places` */

  double visible; /* smallest relative change of the row `largest` that the comparison finds in 80 %
                     of cases; infinite: above 1000 % */
  size_t largest; /* index of the row with the most samples, or PPROFC_VERDICT_NO_ROW */
  /* to find a change of 5 % in the row `largest`: required number of runs on each side, and
   * required factor on the length of each run; infinite if no number suffices */
  double runs_for_5, samples_for_5;
  double interval_level; /* confidence level of the intervals of changed rows with options.fcr; NaN:
                            95 % */
  size_t stacks_tested, stacks_changed; /* number of tested nodes, and number of changed nodes, with
                                           options.stacks */
  double seconds;                       /* mean duration of a run in seconds; NaN: unknown */
  double base_seconds, head_seconds;    /* mean duration in seconds of the base's runs, and of the
                                           head's runs; NaN: unknown */
} pprofc_verdict_summary;

/* Fills in *summary with the summary of the verdicts. */
PPROFC_API void pprofc_verdicts_summary_of(const pprofc_verdicts *verdicts,
                                           pprofc_verdict_summary *summary);

#ifdef __cplusplus
}
#endif
#endif
