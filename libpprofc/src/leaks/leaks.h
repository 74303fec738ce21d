/* Leaks: turns heap profiles and goroutine counts, in order of time, into rows with verdicts:
 * one for each allocation stack, group of goroutines or allocation site. Prints nothing. */
#ifndef PPROFC_LEAKS_LEAKS_H
#define PPROFC_LEAKS_LEAKS_H

#include "leaks/collect.h"
#include "leaks/judge.h"

#define LEAK_WARMUP_AUTO (-1) /* drop the first profile if LEAK_FEW others remain */
#define LEAK_PROFILES    1000 /* most profiles of one kind */

struct leak_options {
  double alpha;
  double heap_floor, count_floor; /* smallest growth to report: of heaps in bytes, of goroutines and
                                     other counts */
  double kept;
  int warmup; /* profiles of each kind to drop at the beginning */
  const char *const *ignore;
  size_t ignore_count;
};

void leak_options_init(struct leak_options *options);

/* One profile. Profiles without times are ordered by name. */
struct leak_input {
  const char *name;
  pprofc_profile *profile;
};

struct leak_row {
  struct leak_fit fit;
  bool is_site;                    /* all stacks that allocate at one line */
  bool proved;                     /* leaks that the garbage collector has proved */
  const struct leak_stack *stack;  /* a site's stack that grew most */
  const struct leak_frame *where;  /* the frame that allocates */
  const struct leak_frame *caller; /* caller of the frame, or NULL */
  size_t stacks;                   /* number of stacks of a site */
  const double *values;            /* [judged] */
  double first, last;
  double per_interval, per_hour; /* growth per hour; NaN without times */
};

/* All profiles of one kind. */
struct leak_kind {
  struct leak_collection stacks;
  size_t profiles;       /* profiles given */
  size_t left_out;       /* dropped at the beginning: warm-up, or before a restart */
  size_t judged;         /* 0 for too few profiles */
  bool restarted;        /* the allocated total fell: the program restarted */
  bool timed;            /* true if ordered by the profiles' times, false if by name */
  const char **names;    /* [profiles] in order */
  double *t;             /* [judged] seconds since the first, or 0, 1, 2 ... */
  double interval;       /* mean seconds between two profiles; NaN if not known */
  struct leak_row *rows; /* leaks first, then by growth */
  size_t row_count;
  size_t counts[LEAK_VERDICTS]; /* number of stacks */
  size_t tested;                /* number of series in the correction of p-values */
  double visible;               /* smallest growth of one stack that would be a leak; 0: unknown */
};

struct leaks {
  const pprofc_allocator *mem;
  struct arena arena;
  struct leak_options options;
  struct leak_names names;
  struct leak_kind *kinds; /* ordered by their first profile */
  size_t kind_count, kind_capacity;
  size_t leaks;  /* rows that are leaks */
  size_t judged; /* kinds that could be judged */
};

/* Judges the profiles, which are not used after the call. PPROFC_E_INVALID for a profile that
 * cannot show leaks (see leak_source_of). The caller frees *out, also after an error. */
pprofc_status leaks_judge(struct leaks *leaks, const pprofc_allocator *mem,
                          const struct leak_options *options, const struct leak_input *inputs,
                          size_t count, pprofc_error *error);
void leaks_free(struct leaks *leaks);

const char *leak_verdict_name(enum leak_verdict verdict); /* "cache that stopped" */
const char *leak_verdict_code(enum leak_verdict verdict); /* "stopped" */

#endif
