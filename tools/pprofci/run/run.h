/* Declares the state of one run, which its steps fill in. Texts and paths are in the arena. The
 * gate is the code that judges benchmark results. */
#ifndef PPROFCI_RUN_RUN_H
#define PPROFCI_RUN_RUN_H

#include "commands.h"
#include "flame/flame.h"
#include "gate/judge.h"
#include "pprofc/verdict.h"
#include "symbolize/code.h"

#include <signal.h>

#define RUN_PAIRS_MAX        1024 /* maximum number of -pair flags */
#define RUN_PROFILE_RUNS_MAX 1000
#define RUN_FAIL_ON_MAX      64
#define RUN_SIMULATED_MAX    100
#define RUN_BENCH_MAX        256

enum run_profile { RUN_PROFILE_REGRESSED, RUN_PROFILE_ALL };

struct run_options {
  const char *base, *head, *bench_base, *bench_head; /* paths of the inputs; "" if absent */
  const char *bench_paths[2][RUN_BENCH_MAX];         /* values of -bench-base and of -bench-head */
  size_t bench_count[2];
  const char *simulate_base, *simulate_head;
  const char *simulate, *setup, *simulate_toggle, *walltime;
  const char *pair_bases[RUN_PAIRS_MAX], *pair_heads[RUN_PAIRS_MAX];
  size_t pair_count;
  const char *out, *threshold, *bundled, *title, *links;
  bool no_fail, one_process, any_load, all, layout, simulate_bytes;
  const char *record, *base_ref, *bench, *benchtime, *cpu, *profiles;
  int64_t count, profile_runs, simulated_runs;
  int profile;      /* benchmarks to profile (enum run_profile) */
  int normalize_by; /* quantity that values are divided by, such as operations (enum
                       pprofc_verdict_exposure) */
  const char *ops, *program_base, *program_head;
  const char *fail_on[RUN_FAIL_ON_MAX], *fail_on_last, *noise_rules;
  size_t fail_on_count;
  uint64_t brief_bytes;
  bool counts_base; /* true if -simulate also counts instructions of a base */
  bool has_base;    /* true if a base is given; false if there is only a head */
  bool has_inputs;  /* true if flags of `pprofci run` name inputs */
  bool is_bundled;  /* true if no input is given, and the run compares the bundled profiles */
};

/* Reads the threshold from the environment, unless a flag sets it. Then checks the threshold. */
void run_options_settle(struct run_options *options);
void run_check(void *options, const struct command_line *line);

enum { SIDE_BASE, SIDE_HEAD, SIDES };

extern const char *const side_names[SIDES]; /* names of the sides: "base" and "head" */

/* A flame graph as SVG, without the opening <svg> tag, and the coordinates of its frames. */
struct run_picture {
  pprofc_str frames; /* SVG of the frames; "" if there is no picture */
  struct flame_part part;
};

/* Comparison of a function's code in base and head. The changes come last. */
enum compared_code {
  COMPARED_NOTHING, /* neither programs nor sources are known */
  COMPARED_UNKNOWN,
  COMPARED_SAME,
  COMPARED_INLINED, /* the head has the function only as inlined copies */
  COMPARED_CHANGED, /* the machine code changed, but not the source */
  COMPARED_INLINES, /* the change edits code that is inlined into the function */
  COMPARED_IN_DIFF  /* the change edits the function */
};

/* Words for the comparison, on pages and in manifest.json; ends with NULL. */
extern const char *const compared_words[];

/* A function in a comparison of base and head. Values are per operation if the number of operations
 * is known. */
struct change {
  const char *name, *file; /* function and its source file; "" if unknown */
  int64_t line;            /* first line of the function; 0: unknown */
  double base, head;       /* mean values over the runs of base and of head */
  double share;            /* this function's share of the total change; NaN: not shown */
  double delta, low, high; /* growth and its 95 % interval; NaN: unknown */
  double moved; /* cost that moved to this function from other functions; not a part of delta */
  double q;     /* adjusted p-value; NaN: not tested */
  const char *verdict; /* verdict as a word: "grew", "moved", "unchanged" ... */
  bool changed;        /* true if the verdict reports a change */
  bool certain; /* true if the function changed by more than noise, even if all functions did */
  const char *partner; /* function from or to which cost of this function moved, or NULL */
  enum compared_code code;
  /* names of functions whose changes cancel out, or NULL. If not NULL, `name` is the caller, type,
   * package or file that these functions share. */
  const char *inside;
};

/* A changed line of the sources, with its cost per operation if that is known. */
struct run_line {
  int64_t base_line, head_line; /* line numbers in base and in head; 0: no such line */
  const char *text;
  double cost[SIDES];
};

/* A block of adjacent changed lines in the sources. */
struct run_hunk {
  const char *file, *function; /* path of the changed file in the repository; function of the
                                  changed line that grew most */
  /* verdict on the function with its callees; PPROFC_VERDICT_UNKNOWN if it is not certain */
  pprofc_verdict verdict;
  double base, grown, moved; /* the function with its callees: value in the base, growth, and cost
                                that moved here from other functions */
  bool certain;              /* true if the function grew by more than noise */
  double delta;  /* growth of all changed lines of the block together; if the function around the
                    block grew more by its inlined code, growth of this code; if `whole`, growth of
                    the function */
  bool whole;    /* true if the profile has the cost of the function, but not of its lines */
  bool declares; /* true if the line `worst` only declares the function */
  struct run_line *lines;
  size_t line_count, worst; /* `worst`: index of the line that grew most. If no costs of lines are
                               known: the line of code with the most new words (words that no
                               deleted line of the file has), else the first line of code */
  size_t first;             /* if no costs of lines are known: index of the first line of code */
  /* if no costs of lines are known: number of new words in the line `worst`; else 0 */
  size_t words;
};

#define CHANGES_MOST 4

/* Verdicts on the functions of one sample type of a pair of profiles. */
struct pair_verdicts {
  const char *type, *unit; /* sample type and unit: "cpu", "nanoseconds" */
  const char *measure;     /* benchmark unit for the sample type: "sec/op"; or NULL */
  bool per_operation;
  bool has_code;  /* true if the code of base and head was compared */
  bool same_code; /* true if all sampled functions have the same machine code */
  size_t moved;   /* number of functions with equal code at different offsets in a cache line */
  const char *differs; /* differences between the builds: "; compiler: -go1.21 +go1.22" */
  /* true if base and head each have only one run, so that the noise is unknown */
  bool weak;
  pprofc_verdict_summary summary; /* summary of the verdicts; its texts are not valid */
  struct change *rows; /* changed functions, then unchanged ones; each group sorted by change */
  size_t row_count, left_out;
  struct change because[CHANGES_MOST]; /* functions that grew, largest first */
  size_t because_count;
  const char *sentence; /* change of the total: "71.4s less (-93%)." */
  /* Parts of summary.total_delta that the changed rows do not explain. `environment` is the part
   * that depends on the machine, such as time in the kernel. `rest` is the remaining part, the
   * change of `rest_count` functions. */
  double environment, rest;
  size_t rest_count;
  /* function with the largest value, or NULL; summary.visible is its smallest detectable change */
  const char *largest;
  const char *visible_text; /* smallest change that the runs can show, as text, or "" */
  const char *note;         /* reason why nothing was judged, or "" */
  const char *command; /* command that prints the verdicts if run in the page's folder, or "" */
};

/* Measurements of a benchmark in one run, per operation; 0: unknown. */
struct run_measured {
  double nanoseconds, bytes, allocations;
};

/* A pair of profiles, or a single profile, and its artifacts. */
struct run_pair {
  const char **runs[SIDES]; /* profiles, one per run */
  size_t run_count[SIDES];
  /* measurements of the benchmark, one per run, or NULL */
  const struct run_measured *measured[SIDES];
  const char *stems[SIDES];  /* artifact names of base and head; NULL: derived from `paths` */
  pprofc_str printed[SIDES]; /* benchmark output of the runs, or empty */
  const char *kind;          /* profile type: "cpu"; NULL: guessed */
  /* package and benchmark of the profiles, as the page shows them; NULL if the profiles are not of
   * one benchmark */
  const char *package, *benchmark;
  const char *function; /* regular expression for the benchmark's function, or NULL */
  double iterations;    /* iterations of each run; 0: unknown */

  const char *programs[SIDES]; /* ELF files of the programs; NULL: unknown */
  const struct built *built;   /* builds of the programs of base and head; NULL: unknown */
  /* names of the artifacts of base, head and difference; NULL: the artifact does not exist */
  const char *names[SIDES], *diff;
  const char *kept;     /* folder of the runs' profiles in the artifacts, or NULL */
  const char *note;     /* remark about a missing base or head: "New: ...", or "" */
  bool is_new, is_gone; /* true if only the head, or only the base, has a profile of this name */
  /* comparisons, one for each sample type, if the pair has base and head; the page shows the first
   */
  struct pair_verdicts *comparisons;
  size_t comparison_count;
  const char *unit; /* unit of `changes` */
  struct change changes[CHANGES_MOST];
  size_t change_count;
  /* innermost function of the user's repository whose calls led to most of the growth; the values
   * include its callees; name NULL: not found */
  struct change own;
  bool has_sources;       /* true if the diff of the sources is known */
  struct run_hunk *hunks; /* changed lines with a cost, largest growth first */
  size_t hunk_count;
  /* pictures of base, of head, and of the difference (or of the only profile); their frames have
   * the same scale and order */
  struct run_picture pictures[SIDES + 1];
  pprofc_str graph; /* packed flame graph (profiles.h), or "" if it is too large for the page */
  const char *graph_file;          /* file of the graph in the page's folder, or NULL */
  const char *sample_index, *hide; /* report options that select the shown values, or NULL */
  /* artifacts folder of the merged job that made this pair of profiles, or NULL */
  const char *folder;
  const char *link; /* link from the page to `folder`, with a '/' at its end, or NULL */
};

/* A function that grew more than -fail-on allows. */
struct run_fired {
  /* condition such as "flat>5%", and name of the artifact of the difference */
  const char *condition, *pair;
  /* if a group of functions grew only in total, a text that names the group: " inside svc.f"; else
   * "" */
  const char *place;
  const char *unit;
  struct change change;
};

/* A file that the run wrote. Its path is relative to the folder of the page, or to the folder of
 * the benchmark tables if `of_benchdiff` is true. */
struct run_file {
  const char *path;
  bool of_benchdiff;
};

/* A link from the file of -links, such as a link to Pyroscope. */
struct run_link {
  /* text of the link, and an http or https URL; only '&' in the URL needs an escape in HTML */
  const char *name, *url;
};

/* Outcome of a run. The first four are in the order of the exit statuses of the gate. */
enum run_verdict {
  RUN_PASSED,
  RUN_GATE_FAILED, /* the results could not be judged */
  RUN_REGRESSED,
  RUN_INCONCLUSIVE,
  RUN_NOT_COMPARED, /* there are no results to compare */
  RUN_NO_BASE,      /* no commit or file is the base */
  RUN_UNREAD        /* a profile could not be read */
};

/* Words for the outcomes of a run, in the output and in manifest.json; ends with NULL. */
extern const char *const run_verdicts[];

struct ci_run {
  const struct run_options *options;
  const pprofc_allocator *mem;
  struct arena arena;
  bool has_base;

  const char *work;            /* temporary folder */
  const char *out, *benchdiff; /* folders of the page and of the benchmark tables */
  const char *stage; /* temporary folder in `out` for new files, with subfolders ci and benchdiff */
  bool has_worktree;
  pprofc_str machine;                    /* machine of the measurements, or empty */
  pprofc_str measured_on;                /* system, architecture and CPU of the results, or empty */
  const char *base_commit, *head_commit; /* commit ids, or "" */
  const char *base_why;                  /* reason for the choice of the base, or "" */
  bool base_misleads;                    /* true if base_why is a warning */
  const char **same;                     /* packages whose test binary did not change */
  size_t same_count, same_capacity;

  struct run_code *code; /* programs and sources, see code.h */
  struct interner names; /* names of artifacts */
  struct run_pair *pairs;
  size_t pair_count, pair_capacity;
  struct run_file *files;
  size_t file_count, file_capacity;
  const char *bench[SIDES]; /* files with benchmark results, or "" */
  struct run_link *links;
  size_t link_count, link_capacity;

  struct buffer unread; /* unreadable profiles: path and reason, a line each */
  pprofc_str *unread_names;
  size_t unread_count, unread_capacity;

  struct gate gate;
  bool judged; /* true if the gate has judged rows */
  int status;  /* exit status */
  enum run_verdict verdict;
  struct buffer gate_text; /* printed verdicts of the gate */
  pprofc_str benchstat;    /* table that benchstatc prints */
  size_t excused;     /* number of regressions excused because base and head have the same code */
  bool conditions;    /* true if the run checked conditions of -fail-on */
  const char *doubt;  /* reason why a result without a regression is not a success, or "" */
  const char *totals; /* counts of the gate: "9 compared, 1 significant ...", or "" */
  struct message *summary;  /* text of the result; NULL before the pages are written */
  const char *instructions; /* verdict on counts: "regressed: instructions 12 -> 34", or "" */
  bool counts_regressed;    /* true if this verdict is a regression */
  struct run_fired *fired;  /* functions that -fail-on found */
  size_t fired_count, fired_capacity;
  size_t fail_used[RUN_FAIL_ON_MAX]; /* for each -fail-on: number of comparisons that tested it */
  pprofc_str noise_rules;            /* contents of the file -noise-rules, or empty */
  struct interner screened;          /* benchmarks that -record did not measure again */
  struct buffer loads;               /* array of struct round_load, one per round */
  const char *overloaded;     /* description of a load that is too high to judge times, or NULL */
  struct buffer plots[SIDES]; /* arrays of struct run_samples, one element per row of the gate */
};

/* Measurements of base or head in a row of the gate, in order of time. */
struct run_samples {
  const double *values;
  const uint32_t *rounds; /* round of each value; 0: unknown */
  size_t count;
};

struct run_pair *run_add_pair(struct ci_run *run, const char *base, const char *head);

/* Returns the profile of the first run of base or head, or NULL if there is no profile. */
static inline const char *run_path(const struct run_pair *pair, int side) {
  return pair->run_count[side] ? pair->runs[side][0] : NULL;
}

static inline bool run_has_both(const struct run_pair *pair) {
  return pair->run_count[SIDE_BASE] && pair->run_count[SIDE_HEAD];
}

/* Sets the functions that the page shows for the pair (pair->changes) and their unit. They are the
 * functions that grew in the first sample type of the profiles. */
void run_show_comparison(struct run_pair *pair);

/* True if the profiles of the pair (of base and head) count instructions. */
bool run_is_counted(const struct run_pair *pair);

/* Returns how many runs of base or head a picture adds up. Instruction counts use one run of each,
 * because base and head may have different numbers of runs. */
size_t run_drawn(const struct run_pair *pair, int side);

/* Begins a run with the options. run_end frees the run. */
void run_begin(struct ci_run *run, const struct run_options *options);
void run_end(struct ci_run *run);

/* Installs signal handlers that set run_stopped. */
void run_watch_signals(void);

/* Prints annotations and the verdict. Returns the exit status. */
int run_finish(struct ci_run *run, const struct command_line *line);

struct inputs;
typedef pprofc_status (*read_rows_fn)(struct ci_run *run, struct inputs *inputs, void *context,
                                      pprofc_error *error);

/* Judges the rows that `read` adds to the gate. The argument `inputs` of `read` owns the data. */
void judge_rows(struct ci_run *run, read_rows_fn read, void *context);

/* ---- steps, in the order of their calls -------------- */

void failing_prepare(struct ci_run *run);
void record_benchmarks(struct ci_run *run);
void simulate_sides(struct ci_run *run);
void count_benchmarks(struct ci_run *run);
void time_benchmarks(struct ci_run *run);
void pair_inputs(struct ci_run *run);
void name_commits(struct ci_run *run);
/* Opens the sources of base and head if git knows the base. A failure is only a warning. */
void code_open(struct ci_run *run);
void stage_open(struct ci_run *run);
void draw_pairs(struct ci_run *run);
void judge_results(struct ci_run *run);
void stage_commit(struct ci_run *run);

/* Takes the verdict on counts of instructions into account. */
void judge_counts(struct ci_run *run, bool regressed);

/* Applies the results of -fail-on to the verdict. */
void failing_judge(struct ci_run *run);

/* Removes the temporary files of a run. `run` is a struct ci_run. */
void stage_clean(void *run);

/* ---- functions shared by the steps ------------------- */

/* 1 after a signal that must end the run, else 0 */
extern volatile sig_atomic_t run_stopped;

/* Prints progress such as "[3/40] measuring base words" to standard error. */
void run_progress(size_t done, size_t of, const char *format, ...) PPROFC_PRINTF(3, 4);

/* Ends the command if the run was interrupted. */
void run_check_stopped(void);

/* Returns `name`. Adds a suffix "_2", "_3" ... if an artifact already has this name. */
const char *run_take_name(struct ci_run *run, const char *name);

/* Does the same as run_take_name, but accepts any text. Keeps only letters, digits and a few other
 * characters of the text, and limits the length. */
const char *run_take_name_of(struct ci_run *run, pprofc_str text);

/* Returns the name of a profile without its extensions, for names of artifacts. */
const char *run_stem(struct ci_run *run, const char *path);

static inline bool run_has(const char *text) {
  return text && *text;
}

/* Copies profiles and benchmark output of the runs of a pair of profiles into the artifacts. */
void several_keep(struct ci_run *run, struct run_pair *pair, const char *name);

/* True if the test binaries of all packages are the same, so that nothing was measured. */
bool same_is_all(const struct ci_run *run);

#endif
