/* One run: what was asked for, the pairs of profiles, the results of benchmarks, and what is made
 * of them. The steps fill it in, in the order of this file. Texts and paths are the arena's. */
#ifndef PPROFCI_RUN_RUN_H
#define PPROFCI_RUN_RUN_H

#include "core/buffer.h"
#include "core/map.h"
#include "gate/judge.h"
#include "run/options.h"

#include <signal.h>

enum { SIDE_BASE, SIDE_HEAD, SIDES };

extern const char *const side_names[SIDES]; /* "base", "head" */

/* A function of a comparison. Values are per operation where these are known. */
struct change {
  const char *name, *file; /* "" when not known */
  int64_t line;            /* where the function begins; 0: not known */
  double base, head;       /* means of the runs */
  double share;            /* of what the whole changed by; NaN: not told */
  double delta, low, high; /* of head - base, with its interval of 95 %; NaN: there is none */
  double q;                /* NaN: not tested */
  const char *verdict;     /* "grew", "moved", "noise" ... */
  bool changed;            /* more than noise */
  const char *partner;     /* the other function of a change that moved; or NULL */
};

#define CHANGES_MOST 4

/* Verdicts of the functions of one sample type of a pair. */
struct pair_verdicts {
  const char *type, *unit; /* "cpu", "nanoseconds": of all values */
  const char *measure;     /* what it explains of a benchmark: "sec/op"; or NULL */
  bool per_operation;
  bool weak;  /* one run a side: noise between runs is not known */
  bool exact; /* events were counted: every difference is real */
  size_t runs[SIDES];
  size_t tested, changed;
  double alpha;
  struct change *rows; /* those that changed, then the others, each by size */
  size_t row_count, left_out;
  struct change because[CHANGES_MOST]; /* what grew, the largest first */
  size_t because_count;
  double total_base, total_head, total_delta, total_low, total_high; /* NaN: not known */
  double common, environment, rest; /* with the rows that changed: total_delta */
  size_t rest_count;
  double visible;      /* when nothing changed: the smallest change of `largest` that could have */
  const char *largest; /* been seen; NULL: not told */
  double runs_for_5;   /* a side, to see 5 %; infinite: no number of them */
  const char *sight;   /* the same as a sentence; or "" */
  const char *note;    /* why nothing was judged; or "" */
  const char *command; /* that prints the same, in the folder of the page; or "" */
};

/* What a benchmark measured for each operation in a run; 0: not known. */
struct run_measured {
  double nanoseconds, bytes, allocations;
};

/* A pair of profiles, or one alone, and the artifacts that were made of it. */
struct run_pair {
  const char *paths[SIDES]; /* NULL: none; of several runs the first */
  const char **runs[SIDES]; /* [run_count] profiles of one run each */
  size_t run_count[SIDES];
  const struct run_measured *measured[SIDES]; /* [run_count]; or NULL */
  const char *stems[SIDES];        /* their names in names of artifacts; NULL: those of the files */
  pprofc_str printed[SIDES];       /* what the benchmark printed in the runs; or empty */
  const char *kind;                /* "cpu"; NULL: it is told from the profile */
  const char *package, *benchmark; /* of a recorded pair, as the page shows them; else NULL */
  const char *function;            /* of the benchmark, as the profile names it; or NULL */
  double iterations;               /* of each run; 0: not known */

  const char *names[SIDES], *diff;   /* of the artifacts; NULL where there is none */
  const char *kept;                  /* folder of the runs within the artifacts; or NULL */
  const char *note;                  /* "New: ..." or "" */
  struct pair_verdicts *comparisons; /* when it has both sides; the first one is shown */
  size_t comparison_count;
  const char *unit; /* of the values of `changes`, which are those of the first comparison */
  struct change changes[CHANGES_MOST];
  size_t change_count;
  struct change own; /* the innermost function of the checkout that most of the growth goes through,
                        with what it calls; name NULL: none */
  /* SVG for the page, of a size and in an order: base, head, and the difference or the only side */
  pprofc_str pictures[SIDES + 1];
  const char *sample_index, *hide; /* of the report options: what is shown; or NULL */
  const char *folder; /* where its artifacts are when they are of another run; NULL: of this one */
  const char *link;   /* how the page gets there, with a '/' at its end; or NULL */
};

/* A function that -fail_on does not allow to grow as it did. */
struct run_fired {
  const char *condition, *pair; /* "flat>5%", the name of a difference */
  const char *unit;             /* of the values */
  struct change change;
};

/* A file that was made: relative to its folder. */
struct run_file {
  const char *path;
  bool of_benchdiff;
};

/* A link to another server. */
struct run_link {
  const char *name, *url; /* the latter of http or https, without anything to escape but '&' */
};

struct ci_run {
  const struct run_options *options;
  const pprofc_allocator *mem;
  struct arena arena;
  bool has_base;

  /* places */
  const char *work;            /* a folder of this run alone */
  const char *out, *benchdiff; /* where artifacts go */
  const char *stage;           /* within `out`: everything is made here, in ci and benchdiff */
  bool has_worktree;
  pprofc_str machine;                    /* where the results were measured; empty when not known */
  const char *base_commit, *head_commit; /* ids; "" when not known */

  struct interner names; /* of artifacts */
  struct run_pair *pairs;
  size_t pair_count, pair_capacity;
  struct run_file *files;
  size_t file_count, file_capacity;
  const char *bench[SIDES]; /* results; "": none */
  struct run_link *links;
  size_t link_count, link_capacity;

  /* The verdict. */
  struct gate gate;
  bool judged;              /* the gate has rows */
  int status;               /* of the gate */
  const char *verdict;      /* "REGRESSION" */
  struct buffer gate_text;  /* what the gate prints */
  pprofc_str benchstat;     /* the table of benchstat */
  const char *doubt;        /* why a result without a regression is not green; "": it may be */
  const char *totals;       /* the last line of the gate; "" without results */
  const char *instructions; /* "regressed: instructions 12 -> 34"; "" when none were counted */
  struct run_fired *fired;  /* by -fail_on */
  size_t fired_count, fired_capacity;
  size_t fail_used[RUN_FAIL_ON_MAX]; /* comparisons that each condition of -fail_on judged */
  pprofc_str noise_rules;            /* the text of -noise_rules; or empty */
  struct buffer plots[SIDES];        /* of struct run_samples, one for each row of the gate */
};

/* The measurements of one side of a row of the gate, in their order. */
struct run_samples {
  const double *values;
  const uint32_t *rounds; /* the number of each one's round; 0: none */
  size_t count;
};

/* Adds a pair; NULL when out of memory. */
struct run_pair *run_add_pair(struct ci_run *run, const char *base, const char *head);

/* Makes the changes of a pair those of its first comparison. */
void run_show_comparison(struct run_pair *pair);

/* The comparison that explains a unit of a benchmark, "sec/op"; NULL: none. */
const struct pair_verdicts *run_comparison(const struct run_pair *pair, pprofc_str unit);

/* Begins a run with the options, and ends it. */
void run_begin(struct ci_run *run, const struct run_options *options);
void run_end(struct ci_run *run);

/* Makes signals set run_stopped. */
void run_watch_signals(void);

/* Prints what was made and the verdict, and gives the exit status. */
int run_finish(struct ci_run *run, pprofc_status status, pprofc_error *error);

/* Sets up the gate, calls `read` to add rows, and judges them. `inputs` keeps what is read. */
struct inputs;
typedef pprofc_status (*read_rows_fn)(struct ci_run *run, struct inputs *inputs, void *context,
                                      pprofc_error *error);
pprofc_status judge_rows(struct ci_run *run, read_rows_fn read, void *context, pprofc_error *error);

/* ---- steps, in their order --------------------------- */

pprofc_status failing_prepare(struct ci_run *run, pprofc_error *error);
pprofc_status record_benchmarks(struct ci_run *run, pprofc_error *error);
pprofc_status simulate_sides(struct ci_run *run, pprofc_error *error);
pprofc_status pair_inputs(struct ci_run *run, pprofc_error *error);
pprofc_status name_commits(struct ci_run *run, pprofc_error *error);
pprofc_status stage_open(struct ci_run *run, pprofc_error *error);
pprofc_status draw_pairs(struct ci_run *run, pprofc_error *error);
pprofc_status judge_results(struct ci_run *run, pprofc_error *error);
pprofc_status stage_commit(struct ci_run *run, pprofc_error *error);

/* Makes what -fail_on found part of the verdict. */
void failing_judge(struct ci_run *run);

/* Removes what the run has made beside its artifacts. */
void stage_clean(struct ci_run *run);

/* ---- what steps share -------------------------------- */

/* Set when a signal asks the run to end. */
extern volatile sig_atomic_t run_stopped;

/* "[3/40] measuring base words": on standard error. */
void run_progress(size_t done, size_t of, const char *format, ...) PPROFC_PRINTF(3, 4);

/* PPROFC_E_IO when the run was interrupted. */
pprofc_status run_check_stopped(pprofc_error *error);

/* NAME, or NAME_2 ... when an artifact has that name; NULL when out of memory. */
const char *run_take_name(struct ci_run *run, const char *name);

/* The name of a profile as part of names of artifacts: without its endings. */
const char *run_stem(struct ci_run *run, const char *path);

/* Whether the string is not NULL and not empty. */
static inline bool run_has(const char *text) {
  return text && *text;
}

#endif
