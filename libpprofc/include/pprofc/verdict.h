/* Verdicts on functions: which differences between base and head are more than noise.
 *
 * Each profile is a run. With one run a side the verdicts are weak: noise between runs is unknown,
 * and a part of it is assumed. With three and more a side each function has an interval that holds
 * what runs differ by, and false discoveries are controlled over all functions. docs/VERDICTS.md
 * explains the method.
 *
 * Verdicts are computed once and do not change. They hold copies: profiles and options may be
 * released before them. Arrays and texts are valid until they are freed. Any number of threads may
 * make verdicts of the same profiles, and read the same verdicts, at once. */
#ifndef PPROFC_VERDICT_H
#define PPROFC_VERDICT_H

#include "pprofc/transform.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pprofc_verdicts pprofc_verdicts;

/* What is said of a function. */
typedef enum pprofc_verdict {
  PPROFC_VERDICT_RARE,        /* fewer samples than can be judged */
  PPROFC_VERDICT_ENVIRONMENT, /* belongs to the machine: never judged */
  PPROFC_VERDICT_UNKNOWN,     /* a sample type that one run a side cannot judge */
  PPROFC_VERDICT_NOISE,       /* no significant difference */
  PPROFC_VERDICT_GREW,
  PPROFC_VERDICT_SHRANK,
  PPROFC_VERDICT_NEW, /* grew, and not one sample of the base has it */
  PPROFC_VERDICT_GONE /* shrank, and not one sample of the head has it */
} pprofc_verdict;

/* "grew", "environment" ... */
PPROFC_API const char *pprofc_verdict_name(pprofc_verdict verdict);

/* Whether the verdict is one of grew, shrank, new and gone. */
PPROFC_API bool pprofc_verdict_is_change(pprofc_verdict verdict);

/* What two functions whose changes cancel have to do with each other. */
typedef enum pprofc_verdict_relation {
  PPROFC_RELATION_NONE,
  PPROFC_RELATION_MOVED,   /* a common caller calls both */
  PPROFC_RELATION_RENAMED, /* the same, one is gone and the other new */
  PPROFC_RELATION_INLINED  /* one calls the other: inlined or outlined */
} pprofc_verdict_relation;

/* "moved", "renamed", "inlined"; "" for none. */
PPROFC_API const char *pprofc_verdict_relation_name(pprofc_verdict_relation relation);

/* One run. `name` is for messages and may be NULL. What is 0 is not known: operations that the run
 * did; and what a benchmark measured for each operation, in the unit of the sample type. */
typedef struct pprofc_verdict_run {
  const pprofc_profile *profile;
  const char *name;
  double operations;
  double per_operation;
} pprofc_verdict_run;

/* What values of a run are divided by. */
typedef enum pprofc_verdict_exposure {
  PPROFC_EXPOSURE_AUTO,  /* operations or per_operation when all runs have them; for heap profiles
                            nothing; else the total */
  PPROFC_EXPOSURE_OPS,   /* operations */
  PPROFC_EXPOSURE_TIME,  /* the duration of the profile, in seconds */
  PPROFC_EXPOSURE_TOTAL, /* the total of the run over the mean total: shares */
  PPROFC_EXPOSURE_NONE   /* nothing */
} pprofc_verdict_exposure;

typedef struct pprofc_verdict_options {
  size_t struct_size;                   /* set by pprofc_verdict_options_init */
  const pprofc_filter_options *filter;  /* applied to each run; NULL: none */
  const char *sample_index;             /* as in pprofc_report_options; "": the default */
  bool noinlines;                       /* an inlined function is part of its caller */
  pprofc_verdict_exposure normalize_by; /* PPROFC_EXPOSURE_AUTO */
  double alpha;                         /* level of false discoveries: 0.05 */
  double noise_cv;    /* assumed noise between runs of each function, for one run a side: 0.05 */
  double min_samples; /* functions with fewer samples on both sides together are rare: 10 */
  bool no_common;     /* the speed that all functions of a run share is not taken out; heap profiles
                         have none */
  bool dependent;     /* p-values are adjusted for any dependence between functions */
  const char *rules;  /* text of a rules file in JSON (docs/VERDICTS.md); NULL: none */
  size_t rules_size;
  const char *rules_name; /* for messages */
  bool places;            /* finds where in the call tree the changes are */
  bool stacks;            /* judges the nodes of the call tree, too */
  bool fcr; /* intervals of rows with a verdict of change are wider, so that of these, and not only
               of all rows, alpha miss on average (false coverage rate) */
} pprofc_verdict_options;

PPROFC_API void pprofc_verdict_options_init(pprofc_verdict_options *options);

/* Judges every function of the runs of base and head, at least one run a side. Functions match by
 * name; a function that a run lacks is a zero of that run. `options` may be NULL. On success
 * *verdicts is to be freed with pprofc_verdicts_free. It allocates through the allocator of the
 * first profile of the base. Runs may differ in their period, when all have one: counts of samples
 * are brought to the period of the first run. Errors: PPROFC_E_INVALID for sides without runs, runs
 * that differ in sample type, unit or type of the period, negative values, an exposure that is 0 or
 * not known, and options that make no sense; PPROFC_E_FORMAT for the rules; PPROFC_E_NOMEM;
 * PPROFC_E_LIMIT. */
PPROFC_API pprofc_status pprofc_verdicts_new(const pprofc_verdict_run *base, size_t base_count,
                                             const pprofc_verdict_run *head, size_t head_count,
                                             const pprofc_verdict_options *options,
                                             pprofc_verdicts **verdicts, pprofc_error *error);

/* Frees verdicts with their arrays and texts; NULL is allowed. */
PPROFC_API void pprofc_verdicts_free(pprofc_verdicts *verdicts);

/* One difference. base and head are means over runs, divided by exposure and common factor. */
typedef struct pprofc_verdict_estimate {
  pprofc_verdict verdict;
  double base, head;
  double delta, low, high; /* head - base, with its interval of 95 % */
  double p;                /* NaN: not tested */
  double q;                /* p adjusted for the number of functions; NaN: not tested */
  double samples;          /* a run, on average; values where nothing was sampled */
} pprofc_verdict_estimate;

#define PPROFC_VERDICT_NO_ROW SIZE_MAX

/* A node of the call tree that holds a part of a change. */
typedef struct pprofc_verdict_place {
  const pprofc_str *frames; /* [depth] from the root to the node */
  size_t depth;             /* at least 1 */
  double delta;             /* what the node makes of the change */
} pprofc_verdict_place;

/* One function. `flat` and `cum` are families of their own. */
typedef struct pprofc_verdict_row {
  pprofc_str name;
  pprofc_verdict_estimate flat, cum;
  pprofc_verdict_relation relation; /* of the change of flat */
  size_t partner;                   /* the row at the other end of it, or PPROFC_VERDICT_NO_ROW */
  bool via_callee;                  /* cum changed, and what changed flat below it explains that */
  /* Where the function has its change of flat: of rows with a verdict of change, and with
   * options.places alone. At most 8; none when it is spread over the program. */
  const pprofc_verdict_place *places;
  size_t place_count;
} pprofc_verdict_row;

/* The rows by the size of flat's change, largest first, then by name. *count becomes their number.
 */
PPROFC_API const pprofc_verdict_row *pprofc_verdicts_rows(const pprofc_verdicts *verdicts,
                                                          size_t *count);

/* The row of a function, or NULL; takes constant time. */
PPROFC_API const pprofc_verdict_row *pprofc_verdicts_find(const pprofc_verdicts *verdicts,
                                                          pprofc_str name);

/* A node of the call tree: the samples whose stacks begin with its frames. Folded frames and frames
 * without a name are left out. Stacks are a family of their own. */
typedef struct pprofc_verdict_stack {
  pprofc_str name;
  size_t parent; /* a stack before this one, or PPROFC_VERDICT_NO_ROW */
  pprofc_verdict_estimate total;
} pprofc_verdict_stack;

/* The nodes of options.stacks, parents before children, children by name. *count becomes their
 * number: 0 without the option. */
PPROFC_API const pprofc_verdict_stack *pprofc_verdicts_stacks(const pprofc_verdicts *verdicts,
                                                              size_t *count);

/* The child of a stack, or of the root for PPROFC_VERDICT_NO_ROW, with the name; NO_ROW when there
 * is none. Takes the logarithm of the number of stacks. */
PPROFC_API size_t pprofc_verdicts_stack_find(const pprofc_verdicts *verdicts, size_t parent,
                                             pprofc_str name);

/* Whether the rules accept a change of the function on the day `today` ("2027-01-31"), and why:
 * *reason and *until are texts of the rules. */
PPROFC_API bool pprofc_verdicts_accepts(const pprofc_verdicts *verdicts, pprofc_str name,
                                        const char *today, pprofc_str *reason, pprofc_str *until);

/* A rule that accepts changes. */
typedef struct pprofc_verdict_accepted {
  pprofc_str function; /* the regular expression */
  pprofc_str reason, until;
  size_t rows; /* that it matches */
} pprofc_verdict_accepted;

/* The rules in the order of their file; false past the last one. */
PPROFC_API bool pprofc_verdicts_accepted_at(const pprofc_verdicts *verdicts, size_t index,
                                            pprofc_verdict_accepted *rule);

/* What was compared, and what holds for all rows. Numbers that are not known are NaN. */
typedef struct pprofc_verdict_summary {
  size_t base_runs, head_runs;
  pprofc_str type, unit;            /* of the values */
  pprofc_verdict_exposure exposure; /* that was used: not AUTO */
  bool exact;                       /* events were counted, not sampled */
  bool lower_bound;                 /* contentions: sampling noise is a lower bound */
  bool mixed_periods;               /* the period is not the same in all runs */
  size_t tested, changed;           /* rows whose flat was tested; that have a verdict of change */
  double alpha;

  const double *common; /* [base_runs + head_runs] speed that all functions of a run share; NULL
                           where only sums over runs are known */
  bool has_common; /* false: it is 1 for all, there were too few functions, or it was not wanted */
  double common_change;                 /* head over base, less 1; */
  double common_low, common_high;       /* with its interval of 95 % */
  double between_run_cv, prior_degrees; /* of several runs a side */
  double dispersion, noise_cv;          /* of a pair */

  /* Totals, from values that are divided by exposure alone: delta = common + specific. */
  double total_base, total_head, total_delta;
  double total_low, total_high; /* interval of 95 % of total_delta; NaN with one run a side */
  double total_p;               /* of total_delta, over the runs; NaN with one run a side */
  double total_common;          /* what the common factor made */
  double total_specific;        /* what the functions made */
  double specific_p;            /* of specific, over the runs */
  double part;                  /* of specific that the changed rows explain, ... */
  double part_low, part_high;   /* ... with Fieller's interval; NaN: it has no bounds */

  const pprofc_verdict_place *places; /* of specific, as those of a row */
  size_t place_count;

  double visible; /* the smallest relative change of the largest row that four comparisons of five
                     would find; infinite: none below 1000 % */
  size_t largest; /* that row, or PPROFC_VERDICT_NO_ROW */
  double runs_for_5, samples_for_5; /* runs a side, or times as many samples, that would show 5 % of
                                       it; infinite: no number of them would */
  double interval_level; /* of rows with a verdict of change, with options.fcr; NaN: 95 % as all */
  size_t stacks_tested, stacks_changed; /* of options.stacks */
  double seconds; /* duration of a run, on average; NaN: a profile does not say */
} pprofc_verdict_summary;

PPROFC_API void pprofc_verdicts_summary_of(const pprofc_verdicts *verdicts,
                                           pprofc_verdict_summary *summary);

#ifdef __cplusplus
}
#endif
#endif
