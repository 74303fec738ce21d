/* Iterates over the samples of a run. Each sample is a stack of names. An inlined function has its
 * own frame. Frames without a function are dropped. Leaf frames with NAME_FOLDED are also dropped,
 * so the sample counts for their caller. */
#ifndef PPROFC_VERDICT_WALK_H
#define PPROFC_VERDICT_WALK_H

#include "profile/delta.h"
#include "regex/regex.h"

/* ---- rules of the environment ----------------------- */

/* Flags that classify functions by name. The environment is code whose time the program does not
 * decide: the kernel, a scheduler, parts of a runtime. Its functions are shown, but never judged.
 * Folded frames are counted as part of their callers. */

#define NAME_FOLDED 1u /* flag: a leaf function that is dropped if the stack has another frame */
/* flag: a function of the kernel, the scheduler or a runtime, which is shown but never judged */
#define NAME_ENVIRONMENT 2u
/* flag: the callees of the function also belong to the environment */
#define NAME_MACHINE 4u
/* flag: the rules file demands a verdict on the function, so the other flags do not count */
#define NAME_JUDGED 8u

/* A row of the built-in table of names. */
struct name_rule {
  unsigned flags;       /* set of NAME_* flags */
  const char *patterns; /* globs of function names, separated by blanks; not regular expressions,
                           because those would need PCRE2 */
  const char *why;
};

/* A rule that accepts changes of the functions that match `function`, up to the day `until`.
 * `reason` is the explanation in the rules file. */
struct accepted {
  struct regex *function;
  pprofc_str pattern, until, reason;
};

struct rules {
  const pprofc_allocator *mem;
  struct arena arena;
  struct regex_set names; /* expressions for names in the rules file, with NAME_* flags */
  struct accepted *accepted;
  size_t accepted_count, accepted_capacity;
};

/* Prepares the rules. If `text.data` is not NULL, reads a rules file with this text:
 *
 *   {"environment": ["^my_idle_loop$"], "fold": ["^my_safepoint$"], "judge": ["^rcu_"],
 *    "accept": [{"function": "^main\\.encode$", "until": "2027-01-31", "reason": "new format"}]}
 *
 * `path` names the file in messages. The caller calls rules_free even after an error. */
pprofc_status rules_init(struct rules *rules, const pprofc_allocator *mem, const char *path,
                         pprofc_str text, pprofc_error *error);
void rules_free(struct rules *rules);

/* Returns the NAME_* flags of a name. */
unsigned rules_flags(const struct rules *rules, pprofc_str name);

/* Returns the rule that accepts changes of the function on the day `today` ("2027-01-31"). Returns
 * NULL if there is no such rule. */
const struct accepted *rules_accept(const struct rules *rules, pprofc_str name, pprofc_str today);

/* ---- sampling --------------------------------------- */

/* Sampling of the values of a sample type. The quantum is the sampling variance of a value per unit
 * of value. If all samples have the same value, the quantum is that value. */

enum sampling_kind {
  SAMPLING_EXACT,  /* every event was counted */
  SAMPLING_PERIOD, /* the profile has one sample per period, such as 10 ms of CPU time */
  SAMPLING_COUNTS, /* a second sample type, such as samples/count, has the number of samples */
  SAMPLING_HEAP,   /* the profile has one sample per `period` bytes on average */
  SAMPLING_EVENTS, /* mutex and block profiles: the true sampling noise may exceed the computed
                      noise */
  SAMPLING_MOMENT, /* the profile counts what exists at one moment, such as goroutines or threads */
  SAMPLING_UNKNOWN /* the profile does not show how values were sampled */
};

struct quantum {
  enum sampling_kind sampling;
  size_t value; /* index of the sample type */
  /* for heap profiles: indices of the sample types with the number of objects (SIZE_MAX if missing)
   * and with the bytes */
  size_t objects, space;
  double period;
};

/* True if values grow with the duration of a run and depend on the speed of the machine. */
static inline bool quantum_has_speed(enum sampling_kind kind) {
  return kind != SAMPLING_EXACT && kind != SAMPLING_HEAP && kind != SAMPLING_MOMENT;
}

/* Returns how the column `value` was sampled. The first matching row applies:
 *
 *   heap profile (the period is space), alloc or inuse   Horvitz-Thompson, from size and rate
 *   the first type is contentions                        value over contentions, a lower bound
 *   the period type, a count, with a period of 1         1: the state at one moment
 *   the period type, with a period above 0               the period
 *   the first type is samples/count                      value over samples
 *   no period type, not a time                           exact: counts of instructions
 *   the first type is another count                      value over count
 *   a period type in the same unit                       the period
 *   multiples of one value, no period                    that value
 *   anything else                                        not known */
struct quantum quantum_of(const pprofc_profile *profile, size_t value);

/* Returns the quantum of a sample: the sampling variance of its value, divided by the value.
 * Returns 0 if the value is exact or the sampling is unknown. */
double quantum_of_sample(const struct quantum *quantum, const int64_t *values);

/* Names of the functions in all runs. A name gets the next id at its first use. */
struct names {
  const pprofc_allocator *mem;
  const struct rules *rules;
  struct arena arena;
  struct interner texts;
  uint8_t *flags; /* NAME_* flags for each name */
  size_t flag_capacity;
  bool lines; /* true if a name identifies a line instead of a function */
};

void names_init(struct names *names, const pprofc_allocator *mem, const struct rules *rules);
void names_free(struct names *names);

/* Returns the id of a name. If the name is new, adds it and applies the rules to it. Returns
 * MAP_NONE when out of memory. */
uint32_t names_add(struct names *names, pprofc_str name);

/* A location of the current stack. */
struct walk_step {
  uint32_t offset; /* as in struct fresh_frame */
  size_t frames;   /* number of frames from the root up to this location */
};

struct walk {
  const pprofc_profile *profile;
  const struct names *names;
  struct quantum quantum;
  bool inlines;  /* true if inlined functions have frames; false if they are part of callers */
  uint32_t *ids; /* name id of each function, or of each line if names->lines is set */
  struct stack_delta delta;
  bool opened; /* true if `delta` is initialized */
  size_t next;
  struct walk_step *path; /* locations of the current stack, root first */
  size_t path_depth;
  uint32_t *room; /* buffer whose end has the name ids of all frames of the current stack */
  size_t room_size;
  const uint32_t *frames; /* name ids of the frames of the current sample, leaf first */
  size_t depth;
  const int64_t *values; /* values of the current sample */
  bool failed;           /* true if memory ran out */
};

/* Restarts the walk before the first sample. */
void walk_restart(struct walk *walk);

/* Moves to the next sample that has a value other than 0 and at least one frame. Returns false
 * after the last sample. When out of memory, sets `failed` and returns false. */
bool walk_next(struct walk *walk);

/* ---- the call tree ---------------------------------- */

/* The call tree of all runs of a comparison. A node is a stack of function names from the root. */

#define TREE_ROOT 0u

/* A node of the call tree. The index of a node is larger than the index of its parent. */
struct tree_node {
  /* indices of the parent, name, first child and next sibling; MAP_NONE if missing */
  uint32_t parent, name, first_child, next;
};

struct call_tree {
  const pprofc_allocator *mem;
  struct tree_node *nodes; /* nodes; the root comes first */
  size_t count, capacity;
  struct map map;
};

/* Makes a tree that has only a root. Returns false when out of memory. The caller calls tree_free
 * even after an error. */
bool tree_init(struct call_tree *tree, const pprofc_allocator *mem);
void tree_free(struct call_tree *tree);

/* Returns the node for the current stack of the walk. Adds the node if it is new. Returns MAP_NONE
 * when out of memory. */
uint32_t tree_reach(struct call_tree *tree, const struct walk *walk);

/* ---- sums of a run ---------------------------------- */

/* Sums for a function in a run. The fields *_noise are sampling variances: sums of value times
 * quantum (see struct quantum). */
struct run_cell {
  double flat, flat_noise;
  double cum, cum_noise;
  double machine; /* part of cum that is time of the environment: code whose time the program does
                     not decide */
  size_t seen;    /* number of the last sample that was added to cum, counted from 1 */
};

struct run {
  pprofc_profile *profile; /* filtered profile of the run; the run has a reference to it */
  struct walk walk;
  struct run_cell *cells; /* sums of each function; index: id of its name */
  size_t cell_count;
  double scale; /* factor for all values of the run. For counts of samples, it is the period of the
                   run divided by the period of the first run. For other values, it is 1. */
  double total, noise; /* sum of all samples that have a function, and its sampling variance */
  double whole;        /* sum of all samples of the run */
  bool has_machine;    /* true if any sample is time of the environment (such as the kernel) */
};

/* Adds up the samples of run->profile. Returns PPROFC_E_INVALID for a negative value. */
pprofc_status run_sum(struct run *run, size_t value, bool inlines, struct names *names,
                      pprofc_error *error);
void run_free(struct run *run);

#endif
