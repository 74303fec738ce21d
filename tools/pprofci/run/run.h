/* Declares the state of one run: options, pairs of profiles, benchmark results and artifacts. The
 * steps of the run fill in the fields from top to bottom. Texts and paths are in the arena. */
#ifndef PPROFCI_RUN_RUN_H
#define PPROFCI_RUN_RUN_H

#include "core/buffer.h"
#include "core/map.h"
#include "flame/flame.h"
#include "gate/judge.h"
#include "pprofc/verdict.h"
#include "run/options.h"
#include "symbolize/built.h"

#include <signal.h>

enum { SIDE_BASE, SIDE_HEAD, SIDES };

extern const char *const side_names[SIDES]; /* "base" and "head" */

/* A flame graph as SVG, without the opening <svg> tag, and the coordinates of its frames. */
struct run_picture {
  pprofc_str frames; /* SVG of the frames; "" if there is no picture */
  struct flame_part part;
};

/* A function in a comparison of base and head. Values are per operation if the number of operations
 * is known. */
struct change {
  const char *name, *file; /* name of the function and its source file; "" when unknown */
  int64_t line;            /* line where the function begins; 0: unknown */
  double base, head;       /* means over the runs of base and of head */
  double share;            /* share of the total change; NaN: do not show it */
  double delta, low, high; /* head - base and its 95 % interval; NaN: unknown */
  double q;                /* adjusted p-value; NaN: not tested */
  const char *verdict;     /* verdict as a word: "grew", "moved", "unchanged" ... */
  bool changed;            /* true if the function itself changed */
  bool certain;            /* true if the change exceeds noise, of this function or of all functions
                            * together */
  const char *partner;     /* other function, if cost moved between it and this function; or NULL */
  const char *code; /* how the function's code changed: "same", "changed", "in this diff" ...; ""
                       if unknown */
  /* Names of functions between which cost moved, or NULL. `name` is then a caller, a type, a
   * package or a file that contains these functions. */
  const char *inside;
};

/* A changed line of the sources, with its cost per operation if that is known. */
struct run_line {
  int64_t base_line, head_line; /* line numbers of base and head; 0 if base or head lacks the
                                   line */
  const char *text;
  double cost[SIDES];
};

/* A block of adjacent changed lines in the sources. */
struct run_hunk {
  const char *file, *function; /* path of the file in the repository, and the function of the line
                                  that grew most */
  const char *verdict;         /* verdict on the function with its callees; "" if unknown */
  double base, grown; /* value of the function with its callees in the base, and its growth */
  bool certain;       /* true if the function grew by more than noise */
  double delta; /* sum of the changes of all lines of the hunk, or the growth of inlined code of the
                   function if that is larger */
  bool whole; /* true if the profile has no lines of the function; `delta` is then the growth of the
                 function, except the growth of callees that have changed lines */
  struct run_line *lines;
  size_t line_count, worst; /* number of lines; index of the line that grew most, or, if `whole`, of
                               the first line with code */
};

#define CHANGES_MOST 4

/* Verdicts on the functions of one sample type of a pair of profiles. */
struct pair_verdicts {
  const char *type, *unit; /* sample type and unit of all values: "cpu", "nanoseconds" */
  const char *measure;     /* benchmark unit that the sample type explains, "sec/op"; or NULL */
  bool per_operation;
  bool has_code;  /* true if the code of base and head was compared */
  bool same_code; /* true if all sampled functions have the same machine code */
  size_t moved;   /* number of functions whose code is the same, but at another offset in its cache
                     line */
  const char *differs; /* other differences between base and head: "; compiler: -go1.21 +go1.22" */
  bool weak; /* true with one run per side, because the noise between runs is then unknown */
  pprofc_verdict_summary summary; /* summary of the verdicts; only its numbers are set */
  struct change *rows; /* changed functions, then the other functions; both groups are sorted by
                          size of the change */
  size_t row_count, left_out;
  struct change because[CHANGES_MOST]; /* functions that grew, largest growth first */
  size_t because_count;
  const char *sentence; /* change of the total: "71.4s less (-93%). Nearly everything is
                           faster." */
  /* Parts of summary.total_delta that the changed rows do not explain. `environment` is the part
   * that depends on the machine, such as time in the kernel. `rest` is the sum of `rest_count`
   * other functions. */
  double environment, rest;
  size_t rest_count;
  const char *largest;      /* function that summary.visible is about; NULL: do not show it */
  const char *visible_text; /* text for summary.visible (smallest detectable change) and
                               summary.runs_for_5 (runs that detect a change of 5 %); or "" */
  const char *note;         /* reason why nothing was judged; or "" */
  const char *command;      /* command that prints the same numbers when run in the folder of the
                               page; or "" */
};

/* Measurements of a benchmark in one run, per operation; 0: unknown. */
struct run_measured {
  double nanoseconds, bytes, allocations;
};

/* A pair of profiles, or a single profile, and its artifacts. */
struct run_pair {
  const char *paths[SIDES]; /* paths of the profiles of base and head; with several runs, the paths
                               of the first runs; NULL: no profile */
  const char **runs[SIDES]; /* profiles of base and head, one per run */
  size_t run_count[SIDES];
  const struct run_measured *measured[SIDES]; /* measurements of base and head, one per run; or
                                                 NULL */
  const char *stems[SIDES];  /* base names of the artifacts; NULL: the names come from the paths */
  pprofc_str printed[SIDES]; /* benchmark output of the runs of base and head; or empty */
  const char *kind;          /* profile type: "cpu"; NULL: guessed from the profile */
  /* package and benchmark that the page shows for a pair of profiles that this run recorded; else
   * NULL */
  const char *package, *benchmark;
  const char *function; /* regular expression of the benchmark's function in the profile; or NULL */
  double iterations;    /* number of iterations of each run; 0: unknown */

  const char *programs[SIDES]; /* ELF files of the programs of base and head; NULL: unknown */
  const struct built *built;   /* build data of the programs of base and head; NULL: unknown */
  /* names of the artifacts of base, head and difference; NULL: the artifact does not exist */
  const char *names[SIDES], *diff;
  const char *kept; /* folder in the artifacts that contains the profiles of the runs; or NULL */
  const char *note; /* remark about a pair of profiles that has no base, such as "New: ..."; or
                       "" */
  /* comparisons, one for each sample type, if the pair has base and head; the page shows the
   * first */
  struct pair_verdicts *comparisons;
  size_t comparison_count;
  const char *unit; /* unit of `changes`, the changes of the first comparison */
  struct change changes[CHANGES_MOST];
  size_t change_count;
  /* innermost function of the user's repository through which most of the growth passes; the values
   * include its callees; name NULL: not found */
  struct change own;
  bool has_sources;       /* true if the diff of the sources is known */
  struct run_hunk *hunks; /* changed lines with a cost, largest growth first */
  size_t hunk_count;
  /* pictures of base, of head, and of the difference or the only profile; all have the same scale
     and order */
  struct run_picture pictures[SIDES + 1];
  pprofc_str graph; /* packed flame graph of the page, see run/graph.h; "" if there is no graph or
                       the graph is larger than a page */
  const char *graph_file; /* file of the graph in the page's folder; NULL without a graph */
  const char *sample_index, *hide; /* report options that select the shown values; or NULL */
  const char *folder; /* folder of the artifacts if another run wrote them; NULL: this run */
  const char *link;   /* link from the page to `folder`, ending with '/'; or NULL */
};

/* A function that grew more than -fail-on allows. */
struct run_fired {
  const char *condition, *pair; /* condition such as "flat>5%", and the name of the pair's
                                   difference */
  const char *unit;             /* unit of the values */
  struct change change;
};

/* A file that the run wrote. Its path is relative to the folder of artifacts. */
struct run_file {
  const char *path;
  bool of_benchdiff;
};

/* A link to another server. */
struct run_link {
  /* text of the link, and an http or https URL; only '&' in the URL needs an escape in HTML */
  const char *name, *url;
};

struct ci_run {
  const struct run_options *options;
  const pprofc_allocator *mem;
  struct arena arena;
  bool has_base;

  /* Folders, machine and commits of the run. */
  const char *work;            /* temporary folder of this run */
  const char *out, *benchdiff; /* folders of the artifacts */
  const char *stage;           /* temporary folder inside `out` for all new files, with the
                                  subfolders ci and benchdiff */
  bool has_worktree;
  pprofc_str machine; /* machine on which the results were measured; empty if unknown */
  const char *base_commit, *head_commit; /* commit ids; "" if unknown */
  const char *base_why;                  /* reason why -record chose this base; "" if there is no
                                            base */
  const char **same;                     /* packages with the same test binary in base and head */
  size_t same_count, same_capacity;

  struct run_code *code; /* programs and sources of base and head; see code.h */
  struct interner names; /* names that artifacts already have */
  struct run_pair *pairs;
  size_t pair_count, pair_capacity;
  struct run_file *files;
  size_t file_count, file_capacity;
  const char *bench[SIDES]; /* paths of the result files of base and head; "" if missing */
  struct run_link *links;
  size_t link_count, link_capacity;

  /* Profiles that the run could not read. */
  struct buffer unread; /* path of each unreadable profile, and the reason, one line each */
  pprofc_str *unread_names;
  size_t unread_count, unread_capacity;

  /* gate of the run: its rows and the verdicts on them */
  struct gate gate;
  bool judged;              /* true if the gate has rows */
  int status;               /* exit status of the gate */
  const char *verdict;      /* verdict as a word: "REGRESSION" */
  struct buffer gate_text;  /* text that the gate printed */
  pprofc_str benchstat;     /* table that benchstatc printed */
  size_t excused;           /* number of regressions that do not count, because the code did not
                               change */
  const char *doubt;        /* reason why a result without a regression is not green; "" if the
                               result is green */
  const char *totals;       /* last line of the gate's text, with the totals; "" without results */
  struct message *summary;  /* text of the result, see page/message.h; NULL until the pages are
                               made */
  const char *instructions; /* verdict on the instruction counts: "regressed: instructions 12 ->
                               34"; "" if nothing was counted */
  struct run_fired *fired;  /* functions that -fail-on found */
  size_t fired_count, fired_capacity;
  size_t fail_used[RUN_FAIL_ON_MAX]; /* for each condition of -fail-on, the number of comparisons
                                        that it judged */
  pprofc_str noise_rules;            /* contents of the -noise-rules file; or empty */
  struct interner screened;          /* keys of the benchmarks that the second stage does not
                                        measure again */
  struct buffer loads;               /* array of struct round_load, one item for each measured
                                        round */
  const char *overloaded; /* text about the machine's load if times cannot be judged because of this
                             load; or NULL */
  struct buffer plots[SIDES]; /* for base and head, an array of struct run_samples with one item for
                                 each row of the gate */
};

/* Measurements of base or head in a row of the gate, in order of time. */
struct run_samples {
  const double *values;
  const uint32_t *rounds; /* round of each measurement; 0: unknown */
  size_t count;
};

/* Adds a pair of profiles. Returns NULL when out of memory. */
struct run_pair *run_add_pair(struct ci_run *run, const char *base, const char *head);

/* Copies the changes of the first comparison to the pair of profiles. */
void run_show_comparison(struct run_pair *pair);

/* True if the profiles of the pair count instructions. */
bool run_is_counted(const struct run_pair *pair);

/* Returns how many runs of base or head the pictures and tables add up. Returns 1 for counts,
 * because base and head may have different numbers of runs. */
size_t run_drawn(const struct run_pair *pair, int side);

/* Begins a run with the options. run_end frees the run. */
void run_begin(struct ci_run *run, const struct run_options *options);
void run_end(struct ci_run *run);

/* Installs signal handlers that set run_stopped. */
void run_watch_signals(void);

/* Prints annotations and the verdict, and sets the exit status. */
pprofc_status run_finish(struct ci_run *run, pprofc_status status, const struct command_line *line,
                         int *code, pprofc_error *error);

/* Initializes the gate, calls `read` to add rows, and judges the rows. `inputs` keeps the data that
 * `read` has read. */
struct inputs;
typedef pprofc_status (*read_rows_fn)(struct ci_run *run, struct inputs *inputs, void *context,
                                      pprofc_error *error);
pprofc_status judge_rows(struct ci_run *run, read_rows_fn read, void *context, pprofc_error *error);

/* ---- steps, in the order of their calls -------------- */

pprofc_status failing_prepare(struct ci_run *run, pprofc_error *error);
pprofc_status record_benchmarks(struct ci_run *run, pprofc_error *error);
pprofc_status simulate_sides(struct ci_run *run, pprofc_error *error);
pprofc_status count_benchmarks(struct ci_run *run, pprofc_error *error);
pprofc_status time_benchmarks(struct ci_run *run, pprofc_error *error);
pprofc_status pair_inputs(struct ci_run *run, pprofc_error *error);
pprofc_status name_commits(struct ci_run *run, pprofc_error *error);
/* Opens the sources if git knows the base. The run continues without sources if that fails. */
pprofc_status code_open(struct ci_run *run, pprofc_error *error);
pprofc_status stage_open(struct ci_run *run, pprofc_error *error);
pprofc_status draw_pairs(struct ci_run *run, pprofc_error *error);
pprofc_status judge_results(struct ci_run *run, pprofc_error *error);
pprofc_status stage_commit(struct ci_run *run, pprofc_error *error);

/* Adds the functions that -fail-on found to the verdict. */
void failing_judge(struct ci_run *run);

/* Removes the temporary files of the run. */
void stage_clean(struct ci_run *run);

/* ---- functions shared by the steps ------------------- */

/* 1 after a signal that must end the run, else 0 */
extern volatile sig_atomic_t run_stopped;

/* Prints progress such as "[3/40] measuring base words" to standard error. */
void run_progress(size_t done, size_t of, const char *format, ...) PPROFC_PRINTF(3, 4);

/* Returns PPROFC_E_IO if the run was interrupted. */
pprofc_status run_check_stopped(pprofc_error *error);

/* Returns `name`, or adds a suffix "_2", "_3" ... if an artifact already has this name. Returns
 * NULL when out of memory. */
const char *run_take_name(struct ci_run *run, const char *name);

/* Like run_take_name, but accepts any text. Keeps only letters, digits and a few other characters
 * of the text, and limits the length. */
const char *run_take_name_of(struct ci_run *run, pprofc_str text);

/* Returns the name of a profile without its extensions, for names of artifacts. */
const char *run_stem(struct ci_run *run, const char *path);

/* True if the string is not NULL and not empty. */
static inline bool run_has(const char *text) {
  return text && *text;
}

/* ---- profiles and packages --------------------------- */

/* Sets *is to true if the file at `path` is a profile. Reports and skips other files. Adds an
 * unreadable file to run->unread if its name or first bytes look like a profile, or if the file of
 * the same name in the folder `other` is a profile. `other` is "" if there is no such folder. */
pprofc_status check_profile(struct ci_run *run, const char *path, const char *other, bool *is,
                            pprofc_error *error);

/* Creates a pair of profiles from two paths. If a path is a folder, each of its profiles is a run,
 * sorted by name. */
pprofc_status several_add(struct ci_run *run, const char *base, const char *head,
                          pprofc_error *error);

/* Copies the profiles of a pair with several runs into the artifacts, and the benchmark output of
 * the runs. */
pprofc_status several_keep(struct ci_run *run, struct run_pair *pair, const char *name,
                           pprofc_error *error);

/* True if all packages have the same test binary in base and head, and there was nothing to
 * measure. */
bool same_is_all(const struct ci_run *run);

#endif
