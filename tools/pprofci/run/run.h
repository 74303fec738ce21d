/* Declares the state of one run: options, pairs of profiles, benchmark results and artifacts. The
 * steps fill it in, in the order of this file. Texts and paths are in the arena. */
#ifndef PPROFCI_RUN_RUN_H
#define PPROFCI_RUN_RUN_H

#include "core/buffer.h"
#include "core/map.h"
#include "flame/flame.h"
#include "gate/judge.h"
#include "pprofc/verdict.h"
#include "run/options.h"

#include <signal.h>

enum { SIDE_BASE, SIDE_HEAD, SIDES };

extern const char *const side_names[SIDES]; /* names of the sides: "base", "head" */

/* A flame graph as SVG without its opening tag, and the coordinates of the frames in it. */
struct run_picture {
  pprofc_str frames; /* SVG of the frames; "" without a picture */
  struct flame_part part;
};

/* A function of a comparison. Values are per operation if the number of operations is known. */
struct change {
  const char *name, *file; /* name of the function and its source file; "" when unknown */
  int64_t line;            /* line where the function begins; 0: unknown */
  double base, head;       /* means over the runs of each side */
  double share;            /* share of the total change; NaN: not shown */
  double delta, low, high; /* head - base and its 95 % interval; NaN: unknown */
  double q;                /* adjusted p-value; NaN: not tested */
  const char *verdict;     /* verdict in a word: "grew", "moved", "unchanged" ... */
  bool changed;            /* true if the function itself changed */
  bool certain;            /* true if the change exceeds noise, either of this function alone or of
                              all functions together */
  const char *partner;     /* other function if cost moved between two functions; or NULL */
  const char *code;        /* state of the code: "same", "changed", "in this diff" ...; "" when
                              unknown */
  /* Functions between which cost moved within `name`, a caller, type, package or file; or NULL. */
  const char *inside;
};

/* A changed line of the sources, with its cost per operation if that is known. */
struct run_line {
  int64_t base_line, head_line; /* line numbers of base and head; 0 on the side without the line */
  const char *text;
  double cost[SIDES];
};

/* Changed lines of the sources that follow each other. */
struct run_hunk {
  const char *file, *function; /* path of the file in the repository; function of the worst line */
  const char *verdict;         /* verdict on the function with its callees; "" if unknown */
  double base, grown;          /* value in the base and growth of the function with its callees */
  bool certain;                /* true if the function grew by more than noise */
  double delta;                /* sum of the changes of all its lines */
  struct run_line *lines;
  size_t line_count, worst; /* number of lines; index of the line that grew most */
};

#define CHANGES_MOST 4

/* Verdicts on the functions of one sample type of a pair of profiles. */
struct pair_verdicts {
  const char *type, *unit; /* sample type and unit of all values: "cpu", "nanoseconds" */
  const char *measure;     /* benchmark unit that the sample type explains, "sec/op"; or NULL */
  bool per_operation;
  bool has_code;  /* true if the code of both sides was compared */
  bool same_code; /* true if all sampled functions have the same machine code */
  size_t moved;   /* number of functions with the same code at another offset in their cache line */
  const char
      *differs; /* text of other differences between the sides, as "; compiler: -go1.21 +go1.22" */
  bool weak;    /* true with one run per side: noise between runs is unknown */
  pprofc_verdict_summary summary; /* numbers of the summary of the verdicts; its texts, places and
                                     factors are not set */
  struct change *rows; /* changed functions, then the other functions; both parts sorted by size of
                          the change */
  size_t row_count, left_out;
  struct change because[CHANGES_MOST]; /* functions that grew, largest first */
  size_t because_count;
  const char *sentence; /* change of the total: "71.4s less (-93%). Nearly everything is
                           faster." */
  /* Parts of summary.total_delta that changed rows do not explain: time of the kernel or a runtime;
   * the rest. */
  double environment, rest;
  size_t rest_count;
  const char *largest;      /* function that summary.visible refers to; NULL: not shown */
  const char *visible_text; /* summary.visible and summary.runs_for_5 as a sentence; or "" */
  const char *note;         /* reason why nothing was judged; or "" */
  const char *command;      /* command that prints the same numbers, run in the folder of the page;
                               or "" */
};

/* Measurements of a benchmark per operation in a run; 0: unknown. */
struct run_measured {
  double nanoseconds, bytes, allocations;
};

/* A pair of profiles, or a single profile, and its artifacts. */
struct run_pair {
  const char *paths[SIDES]; /* paths of the profiles; of several runs the path of the first; NULL:
                               the side has no profile */
  const char **runs[SIDES]; /* profiles of each side, one per run */
  size_t run_count[SIDES];
  const struct run_measured *measured[SIDES]; /* measurements of each side, one per run; or NULL */
  const char *stems[SIDES];  /* base names of the artifacts; NULL: made from the paths */
  pprofc_str printed[SIDES]; /* benchmark output of the runs; or empty */
  const char *kind;          /* kind of the profiles: "cpu"; NULL: guessed from the profile */
  /* Names that the page shows for a recorded pair of profiles; else NULL. */
  const char *package, *benchmark;
  const char *function; /* expression of the benchmark's function in the profile; or
                           NULL */
  double iterations;    /* number of iterations of each run; 0: unknown */

  const char *programs[SIDES]; /* ELF files of the programs; NULL: unknown */
  const struct built *built;   /* data on the build of each side's program; NULL: unknown */
  /* Names of the artifacts of base, head and difference; NULL if not made. */
  const char *names[SIDES], *diff;
  const char *kept; /* folder of the runs inside the artifacts; or NULL */
  const char *note; /* remark on a new pair of profiles, "New: ...", or "" */
  /* Comparisons, if the pair of profiles has both sides; the page shows the first. */
  struct pair_verdicts *comparisons;
  size_t comparison_count;
  const char *unit; /* unit of `changes`, the changes of the first comparison */
  struct change changes[CHANGES_MOST];
  size_t change_count;
  /* Innermost function of the user's repository that most of the growth passes through, including
   * callees; name NULL: not found. */
  struct change own;
  bool has_sources;       /* true if the change of the sources is known */
  struct run_hunk *hunks; /* changed lines with a cost, largest growth first */
  size_t hunk_count;
  /* Pictures for the page at one scale and order: base, head, and the difference or the only side
   */
  struct run_picture pictures[SIDES + 1];
  const char *sample_index, *hide; /* report options that select the shown values; or NULL */
  const char *folder; /* folder of the artifacts if they belong to another run; NULL: this run */
  const char *link;   /* link from the page to `folder`, ending with '/'; or NULL */
};

/* A function that grew more than -fail-on allows. */
struct run_fired {
  const char *condition, *pair; /* condition such as "flat>5%"; name of the difference */
  const char *unit;             /* unit of the values */
  struct change change;
};

/* A file that the run made, with its path relative to its folder. */
struct run_file {
  const char *path;
  bool of_benchdiff;
};

/* A link to another server. */
struct run_link {
  /* Text of the link; http or https URL, in which only '&' needs an escape in HTML. */
  const char *name, *url;
};

struct built;

struct ci_run {
  const struct run_options *options;
  const pprofc_allocator *mem;
  struct arena arena;
  bool has_base;

  /* Folders, machine and commits of the run. */
  const char *work;            /* temporary folder of this run */
  const char *out, *benchdiff; /* folders of the artifacts */
  const char *stage;           /* folder inside `out` in which the run makes all files, in
                                  subfolders ci and benchdiff */
  bool has_worktree;
  pprofc_str machine; /* machine on which the results were measured; empty if unknown */
  const char *base_commit, *head_commit; /* commit ids; "" if unknown */
  const char *base_why;                  /* reason why -record chose this base; "" without a base */
  const char **same;                     /* packages with the same test binary on both sides */
  size_t same_count, same_capacity;

  struct run_code *code; /* programs and sources of both sides; see code.h */
  struct interner names; /* names of the artifacts */
  struct run_pair *pairs;
  size_t pair_count, pair_capacity;
  struct run_file *files;
  size_t file_count, file_capacity;
  const char *bench[SIDES]; /* paths of the files of results; "" if missing */
  struct run_link *links;
  size_t link_count, link_capacity;

  /* Profiles that the run could not read. */
  struct buffer unread; /* path and reason of each, one line each */
  pprofc_str *unread_names;
  size_t unread_count, unread_capacity;

  /* Gate of the run, which has the rows and their verdicts. */
  struct gate gate;
  bool judged;              /* true if the gate has rows */
  int status;               /* exit status of the gate */
  const char *verdict;      /* verdict in a word: "REGRESSION" */
  struct buffer gate_text;  /* text that the gate printed */
  pprofc_str benchstat;     /* table that benchstatc printed */
  size_t excused;           /* number of excused regressions, of code that did not change */
  const char *doubt;        /* reason why a result without a regression is not green; "" if it is
                               green */
  const char *totals;       /* last line of the gate; "" without results */
  struct message *summary;  /* text of the result, see page/message.h; NULL before the pages */
  const char *instructions; /* result of comparing the counts: "regressed: instructions 12 -> 34";
                               "" if not counted */
  struct run_fired *fired;  /* functions that -fail-on found */
  size_t fired_count, fired_capacity;
  size_t fail_used[RUN_FAIL_ON_MAX]; /* number of comparisons that each condition of -fail-on
                                        judged */
  pprofc_str noise_rules;            /* contents of the -noise-rules file; or empty */
  struct interner screened;          /* keys of benchmarks that the second stage does not measure */
  struct buffer loads;    /* array of struct round_load, one for each round that was measured */
  const char *overloaded; /* load of the machine if no time can be judged; or NULL */
  struct buffer
      plots[SIDES]; /* array of struct run_samples for each side, one for each row of the gate */
};

/* Measurements of one side in a row of the gate, in the order in which they were made. */
struct run_samples {
  const double *values;
  const uint32_t *rounds; /* round of each measurement; 0: unknown */
  size_t count;
};

/* Adds a pair of profiles. Returns NULL when out of memory. */
struct run_pair *run_add_pair(struct ci_run *run, const char *base, const char *head);

/* Sets the changes of a pair of profiles to the changes in its first comparison. */
void run_show_comparison(struct run_pair *pair);

/* True for profiles of counted instructions. */
bool run_is_counted(const struct run_pair *pair);

/* Returns the number of runs of a side that pictures and tables add up. For counts it is 1, because
 * the sides may have different numbers of runs. */
size_t run_drawn(const struct run_pair *pair, int side);

/* Begins a run with the options. run_end frees it. */
void run_begin(struct ci_run *run, const struct run_options *options);
void run_end(struct ci_run *run);

/* Makes signals set run_stopped. */
void run_watch_signals(void);

/* Prints annotations and the verdict, and sets the exit status. */
pprofc_status run_finish(struct ci_run *run, pprofc_status status, const struct command_line *line,
                         int *code, pprofc_error *error);

/* Sets up the gate, calls `read` to add rows, and judges them. `inputs` keeps the data that
 * was read. */
struct inputs;
typedef pprofc_status (*read_rows_fn)(struct ci_run *run, struct inputs *inputs, void *context,
                                      pprofc_error *error);
pprofc_status judge_rows(struct ci_run *run, read_rows_fn read, void *context, pprofc_error *error);

/* ---- steps, in their order --------------------------- */

pprofc_status failing_prepare(struct ci_run *run, pprofc_error *error);
pprofc_status record_benchmarks(struct ci_run *run, pprofc_error *error);
pprofc_status simulate_sides(struct ci_run *run, pprofc_error *error);
pprofc_status count_benchmarks(struct ci_run *run, pprofc_error *error);
pprofc_status time_benchmarks(struct ci_run *run, pprofc_error *error);
pprofc_status pair_inputs(struct ci_run *run, pprofc_error *error);
pprofc_status name_commits(struct ci_run *run, pprofc_error *error);
/* Opens the sources if git knows the base. Without sources the run continues. */
pprofc_status code_open(struct ci_run *run, pprofc_error *error);
pprofc_status stage_open(struct ci_run *run, pprofc_error *error);
pprofc_status draw_pairs(struct ci_run *run, pprofc_error *error);
pprofc_status judge_results(struct ci_run *run, pprofc_error *error);
pprofc_status stage_commit(struct ci_run *run, pprofc_error *error);

/* Adds the findings of -fail-on to the verdict. */
void failing_judge(struct ci_run *run);

/* Removes the temporary files of the run. */
void stage_clean(struct ci_run *run);

/* ---- what steps share -------------------------------- */

/* 1 after a signal asked the run to end, else 0. */
extern volatile sig_atomic_t run_stopped;

/* Prints progress such as "[3/40] measuring base words" to standard error. */
void run_progress(size_t done, size_t of, const char *format, ...) PPROFC_PRINTF(3, 4);

/* Returns PPROFC_E_IO if the run was interrupted. */
pprofc_status run_check_stopped(pprofc_error *error);

/* Returns NAME, or NAME_2 ... if an artifact has that name; NULL when out of memory. */
const char *run_take_name(struct ci_run *run, const char *name);

/* Like run_take_name for any text. Keeps letters, digits and a few other characters, up to a
 * maximum length. */
const char *run_take_name_of(struct ci_run *run, pprofc_str text);

/* Returns the name of a profile without its extensions, for names of artifacts. */
const char *run_stem(struct ci_run *run, const char *path);

/* True if the string is not NULL and not empty. */
static inline bool run_has(const char *text) {
  return text && *text;
}

#endif
