/* Leaks: heap profiles and counts of goroutines in the order they were taken become rows, one for
 * each allocation stack, group of goroutines or allocation site, with a verdict. Prints nothing. */
#ifndef PPROFC_LEAKS_LEAKS_H
#define PPROFC_LEAKS_LEAKS_H

#include "leaks/collect.h"
#include "leaks/judge.h"

#define LEAK_WARMUP_AUTO (-1) /* the first of 6 profiles or more is left out */
#define LEAK_PROFILES    1000 /* of one kind, at the most */

struct leak_options {
  double alpha;
  double heap_floor, count_floor; /* bytes; goroutines and other counts */
  double kept;
  int warmup; /* profiles of each kind that are left out at the beginning */
  const char *const *ignore;
  size_t ignore_count;
};

void leak_options_init(struct leak_options *options);

/* One profile; its name orders those without times. */
struct leak_input {
  const char *name;
  pprofc_profile *profile;
};

struct leak_row {
  struct leak_fit fit;
  bool is_site;                    /* all stacks that allocate at one line */
  bool proved;                     /* by the garbage collector */
  const struct leak_stack *stack;  /* of a site: the one that grew most */
  const struct leak_frame *where;  /* the frame that the row is about */
  const struct leak_frame *caller; /* the one that called it, or NULL */
  size_t stacks;                   /* of a site: how many */
  const double *values;            /* [judged] */
  double first, last;
  double per_interval, per_hour; /* growth; NaN where times are not known */
};

/* All profiles of one kind. */
struct leak_kind {
  struct leak_collection stacks;
  size_t profiles;       /* that were given */
  size_t left_out;       /* at the beginning: warm-up, or before a restart */
  size_t judged;         /* 0: too few */
  bool restarted;        /* what was allocated in all fell: the program began anew */
  bool timed;            /* ordered by the times in the profiles, else by name */
  const char **names;    /* [profiles] in order */
  double *t;             /* [judged] seconds since the first, or 0, 1, 2 ... */
  double interval;       /* seconds between two of them on average; NaN: not known */
  struct leak_row *rows; /* leaks first, then by growth */
  size_t row_count;
  size_t counts[LEAK_VERDICTS]; /* of stacks */
  size_t tested;                /* series that the p-values are adjusted for */
};

struct leaks {
  const pprofc_allocator *mem;
  struct arena arena;
  struct leak_options options;
  struct leak_names names;
  struct leak_kind *kinds; /* in the order of their first profile */
  size_t kind_count, kind_capacity;
  size_t leaks;  /* rows that are leaks */
  size_t judged; /* kinds that could be judged */
};

/* Judges the profiles; those of which leaks cannot be told are PPROFC_E_INVALID (ask leak_source_of
 * before). The profiles are not used afterwards. To be freed, also after an error. */
pprofc_status leaks_judge(struct leaks *leaks, const pprofc_allocator *mem,
                          const struct leak_options *options, const struct leak_input *inputs,
                          size_t count, pprofc_error *error);
void leaks_free(struct leaks *leaks);

const char *leak_verdict_name(enum leak_verdict verdict); /* "cache that stopped" */
const char *leak_verdict_code(enum leak_verdict verdict); /* "stopped" */

#endif
