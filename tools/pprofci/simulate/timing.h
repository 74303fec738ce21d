/* Measures the time of benchmarks without valgrind. The command runs several times, alternately at
 * base and at head. The plugins of its benchmarks report their rounds. perf takes samples if the
 * kernel permits this. */
#ifndef PPROFCI_SIMULATE_TIMING_H
#define PPROFCI_SIMULATE_TIMING_H

#include "simulate/counting.h"
#include "simulate/talk.h"

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
  int side;      /* SIDE_BASE or SIDE_HEAD, which was measured last */
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
