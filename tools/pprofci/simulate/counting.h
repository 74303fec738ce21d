/* Counts the instructions of each benchmark. A command runs under callgrind, and its benchmarks
 * mark their start and end by callgrind's client requests. The counts become benchmark results, and
 * the profiles of base and head become a pair. */
#ifndef PPROFCI_SIMULATE_COUNTING_H
#define PPROFCI_SIMULATE_COUNTING_H

#include "common/callgrind.h"
#include "run/recording.h"

/* Calls of allocators in a benchmark, and the bytes that these calls request. */
enum allocated { ALLOCATED_CALLS, ALLOCATED_BYTES, ALLOCATED_KINDS };

/* Result of a benchmark from one run of a command, or from two runs if -simulate-bytes is set. */
struct counted_run {
  const char *path; /* path of the profile; NULL if this run did not count the benchmark */
  int64_t totals[CALLGRIND_TYPES];
  uint64_t allocated[ALLOCATED_KINDS];
  bool read[ALLOCATED_KINDS]; /* true if the run counted the benchmark */
  double iterations;          /* number of iterations during counting */
};

struct counted {
  const char *name;
  struct counted_run *runs[SIDES]; /* results of base and head, one element per run */
};

/* One run of a command under callgrind. */
struct count_run {
  int side;
  enum allocated kind; /* ALLOCATED_CALLS: count all but bytes; ALLOCATED_BYTES: count only bytes */
  size_t number;       /* index of the run within base or head */
  const char *place;   /* path of the folder for callgrind's files */
  const char *folder;  /* path of the working directory */
  const char *group; /* Go package of the benchmarks; NULL if their names are complete without it */
};

struct counting {
  struct ci_run *run;
  size_t runs[SIDES];
  const char *preload;      /* path of the library that counts bytes; NULL: do not count bytes */
  struct packages packages; /* Go packages whose benchmarks are counted */
  struct interner names;    /* names of the benchmarks in `items` */
  struct counted *items;
  size_t count, capacity;
  size_t places; /* number of folders created so far */
  size_t steps, all_steps;
  pprofc_str printed;    /* last lines that the last command printed */
  struct interner noted; /* program files for which note_object printed a message */
  bool unnamed;          /* true once the program has printed that profiles lack Python functions */
};

/* ---- steps, in the order of their calls -------------- */

/* Runs a command once under callgrind. `variables` are texts NAME=VALUE for its environment; the
 * array ends with NULL. */
void count_command(struct counting *c, const struct count_run *run, const char *const *variables,
                   const char *const *words);

/* Compiles the library that counts bytes. Returns its path. Returns NULL after a message if there
 * is no compiler. */
const char *count_preload(struct ci_run *run);

/* Returns the last lines of a program's standard output and standard error. */
pprofc_str count_output(struct ci_run *run, const struct program *program);

/* Returns advice for a command in which no benchmark was measured. `printed` is its output. */
const char *count_advice(const char *command, pprofc_str printed);

/* Reads the files of callgrind from a run. Returns the number of benchmarks in these files. */
size_t count_read(struct counting *c, const struct count_run *run);

struct count_run count_run_new(struct counting *c, int side, size_t number, const char *folder);

/* True if -simulate names Go packages: ./..., ./parser. */
bool count_is_go(const char *command);

/* Builds and runs the Go benchmarks of base or head. Returns the number of benchmarks. */
size_t count_go_side(struct counting *c, int side, const char *folder);

/* ---- shared by counting and timing -------------------- */

/* The words of a command line, to which functions add words. A NULL follows the last word. */
struct word_list {
  struct arena *arena;
  const char **items;
  size_t count, capacity;
};
void words_add(struct word_list *words, const char *word);
void words_add_all(struct word_list *words, const char *const *list, size_t count);

void words_add_list(struct word_list *words, const char *const *list);

/* True for a regular file of this user. In /tmp, a file may belong to another user. */
bool sides_own_file(const char *path);

struct sides_commits {
  const char *names[SIDES], *ids[SIDES];
};

/* Finds the commits of base and head. `flag` is the flag that needs the commits, for error
 * messages. */
struct sides_commits sides_find(struct ci_run *run, const char *flag);

/* Returns the folder in which base and head are checked out, one after the other. */
const char *sides_tree(struct ci_run *run);

/* Returns the last two parts of this folder's path, between slashes. They are equal in all
 * spellings of the path, such as a URL. */
pprofc_str sides_tree_end(struct ci_run *run);

/* Checks out the commit of base or head. Returns the folder in `checkout` that corresponds to the
 * current folder. */
const char *sides_check_out(struct ci_run *run, int side, const struct sides_commits *commits,
                            const char *checkout);

/* Runs the shell command of -setup in a checkout, if the option is set. */
void sides_set_up(struct ci_run *run, int side, const char *folder);

/* Inserts the V8 flags that a tinybench plugin requires, if the command is node. `mode` is the
 * plugin's word for the type of measurement. Returns the words of the command. */
const char *const *sides_node(struct ci_run *run, const char *folder, const char *mode,
                              const char *const *words);

/* Copies lines with names of Python functions: "py::parse:/venv/site-packages/tom/parser.py".
 * Replaces the path of an installed module by the path of its source file in the folder src of the
 * checkout `folder`, if this file exists. */
void sides_source_files(const char *folder, pprofc_str text, struct buffer *to);

void csv_field(struct buffer *out, const char *text);

/* Adds CSV lines with the columns "name", "unit", "value" and "assume" to the results of base or
 * head. Frees the text. */
void results_save(struct ci_run *run, int side, struct buffer *text);

/* Adds the pair of profiles of a benchmark. Names of its artifacts end with "_" and `ending`. */
struct run_pair *results_pair(struct ci_run *run, const char *benchmark, const char *kind,
                              const char *ending);

/* ---- plugins (talk.c) ----------------------------- */

/* A benchmark that a plugin measured. Times are in nanoseconds of CLOCK_MONOTONIC. */
struct talk_benchmark {
  const char *name;
  uint32_t process;
  uint64_t begin, end; /* times at which the profiler was switched on and off, in nanoseconds */
  size_t first_round, rounds; /* index of the benchmark's first round in talk.rounds, and number of
                                 its rounds */
};

struct talk {
  struct arena *arena;
  int commands, answers;    /* FIFO into which the plugins write commands, and FIFO from which they
                               read the answers */
  int control, acknowledge; /* FIFOs for commands to the profiler and for its answers; -1: no
                               profiler */
  const char *plugin;       /* name and version of the plugin that sent a message last, or "" */

  struct talk_benchmark *items;
  size_t count, capacity;
  struct buffer rounds; /* array of doubles: duration of each round in nanoseconds */

  struct buffer pending; /* received bytes of a message that is not complete yet */
  struct talk_benchmark now;
  uint64_t round_begin;
  bool failed; /* true when out of memory, or after a malformed message */
};

void talk_init(struct talk *talk, struct arena *arena);

/* Removes all measurements, and creates the FIFOs for a run of a command. Programs outside of such
 * a run, for example a setup that loads the plugin, find no FIFO and do not wait for answers. Fails
 * if files with these names exist, unless they are unused FIFOs of this user. The caller calls
 * talk_close, even after an error. */
void talk_open(struct talk *talk);

/* Reads the messages that have arrived, and answers them. `talk` is a struct talk. */
void talk_serve(void *talk);

/* Removes the FIFOs. */
void talk_close(struct talk *talk);

/* Removes the FIFOs, and frees the measurements. */
void talk_free(struct talk *talk);

/* ---- times (timing.c) ----------------------------- */

/* Profiles of a benchmark in base or head. */
struct timed_profiles {
  const char **items;
  size_t count, capacity;
};

struct timed {
  const char *name;
  struct buffer seconds[SIDES]; /* for base and head, an array of doubles: each process's median
                                   time of an iteration, in seconds */
  struct timed_profiles profiles[SIDES];
};

struct timing {
  struct ci_run *run;
  struct talk talk;
  const char *const *words;   /* command to measure */
  const char *tree;           /* path of the checkout during a measurement; NULL if there is no
                                 base */
  const char *trees[SIDES];   /* paths of the checkouts of base and head; the one being measured is
                                 moved to `tree` */
  const char *folders[SIDES]; /* working directories of the command in base and head; NULL: not
                                 measured */
  struct interner names;      /* names of the benchmarks in `items` */
  struct timed *items;
  size_t count, capacity;
  size_t places; /* number of folders created so far */
  int side;      /* side that was measured last: SIDE_BASE or SIDE_HEAD */
  bool rootless; /* true if the stacks of a profile lack the root frame of the benchmarks */
  size_t steps, all_steps;
};

/* Returns the benchmark `name`, and adds the benchmark if it is new. */
struct timed *timed_of(struct timing *t, pprofc_str name);

/* ---- sampling ----------------------------------------- */

/* True if perf is installed and the kernel permits its use. Otherwise prints the reason. */
bool sampling_is_permitted(struct timing *t);

/* Begins the command line with perf, which writes into the folder `place`. perf takes no samples
 * until it is switched on. */
void sampling_begin(struct timing *t, const char *place, struct word_list *words);

/* Removes the files that describe generated code. The processes of the last run left these files in
 * /tmp and in the working directory of base or head. */
void sampling_clean(struct timing *t);

/* Writes a profile for each benchmark of the last run, with the samples of its time range. */
void sampling_end(struct timing *t, const char *place);

#endif
