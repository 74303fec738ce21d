/* Times benchmarks separately. A command runs several times at each of two commits, in turns. The
 * plugins of its benchmarks report their rounds, and perf samples each benchmark if the kernel
 * permits it. */
#ifndef PPROFCI_SIMULATE_TIMING_H
#define PPROFCI_SIMULATE_TIMING_H

#include "simulate/counting.h"
#include "simulate/talk.h"

/* Profiles of a benchmark on one side. */
struct timed_profiles {
  const char **items;
  size_t count, capacity;
};

struct timed {
  const char *name;
  struct buffer seconds[SIDES]; /* doubles: median time of one iteration, for each process */
  struct timed_profiles profiles[SIDES];
};

struct timing {
  struct ci_run *run;
  struct talk talk;
  const char *const *words;   /* the command */
  const char *tree;           /* path of the checkout that is measured; NULL without a base */
  const char *trees[SIDES];   /* path of each checkout while the other side is measured */
  const char *folders[SIDES]; /* working directory of the command on each side; NULL: the side is
                                 not measured */
  struct interner names;      /* names of the benchmarks in `items` */
  struct timed *items;
  size_t count, capacity;
  size_t places; /* number of folders made so far */
  bool rootless; /* true if the stacks of a profile do not have the root frame of the benchmarks */
  size_t steps, all_steps;
};

/* Words of a command line. */
struct timed_words {
  struct arena *arena;
  const char **items;
  size_t count, capacity;
  bool failed;
};
void timed_add(struct timed_words *words, const char *word);

/* Returns the benchmark, added if it is new, or NULL when out of memory. */
struct timed *timed_of(struct timing *t, pprofc_str name);

/* ---- sampling ----------------------------------------- */

/* True if perf is installed and the kernel permits it. Otherwise prints the reason. */
bool sampling_is_permitted(struct timing *t);

/* Begins the command line with perf, which writes to the folder `place`. At first perf is switched
 * off. */
pprofc_status sampling_begin(struct timing *t, const char *place, struct timed_words *words,
                             pprofc_error *error);

/* Removes the descriptions of compiled code that the processes of the last run left in /tmp and in
 * their folder. */
void sampling_clean(struct timing *t, int side);

/* Writes a profile for each benchmark of the last run, with the samples taken while it ran. */
pprofc_status sampling_end(struct timing *t, int side, const char *place, pprofc_error *error);

#endif
