/* Finds leaks. Turns a sequence of heap profiles or goroutine counts into rows with verdicts. A row
 * is an allocation stack, a group of goroutines, or a site: a line at which several stacks
 * allocate. */
#ifndef PPROFC_LEAKS_LEAKS_H
#define PPROFC_LEAKS_LEAKS_H

#include "leaks/collect.h"
#include "leaks/judge.h"

/* Value of `warmup` that drops the first profile of each kind if at least LEAK_FEW profiles
 * remain. */
#define LEAK_WARMUP_AUTO (-1)
#define LEAK_PROFILES    1000 /* maximum number of profiles of one kind */

struct leak_options {
  double alpha;
  /* Smallest growth to report: bytes of a heap; number of goroutines or of other counts. */
  double heap_floor, count_floor;
  double kept;
  int warmup; /* number of profiles of each kind to drop at the beginning */
  const char *const *ignore;
  size_t ignore_count;
};

void leak_options_init(struct leak_options *options);

/* An input profile. Profiles without times keep the order of the inputs. */
struct leak_input {
  const char *name;
  pprofc_profile *profile;
};

struct leak_row {
  struct leak_fit fit;
  bool is_site;                    /* true for a row of all stacks that allocate at one line */
  bool proved;                     /* true if the garbage collector proved the leak */
  const struct leak_stack *stack;  /* stack of the row; for a site, the stack that grew most */
  const struct leak_frame *where;  /* frame that allocates */
  const struct leak_frame *caller; /* frame that calls the frame that allocates, or NULL */
  size_t stacks;                   /* number of stacks; 1 unless is_site */
  const double *values;            /* value in each judged profile */
  double first, last;
  /* Growth per interval between two profiles, and per hour; NaN if times are missing. */
  double per_interval, per_hour;
};

/* All profiles of one kind. */
struct leak_kind {
  struct leak_collection stacks;
  size_t profiles; /* number of profiles given */
  /* Number of profiles dropped at the beginning: warm-up, or before a restart. */
  size_t left_out;
  size_t judged;         /* number of judged profiles; 0 if there are too few */
  bool restarted;        /* true if the allocated total fell: the program restarted */
  bool timed;            /* true if the profiles are sorted by their times */
  const char **names;    /* names of the profiles, in order */
  double *t;             /* time of each judged profile: seconds since the first, or 0, 1, 2 ... */
  double interval;       /* mean seconds between two profiles; NaN if not known */
  struct leak_row *rows; /* rows, leaks first, then by growth */
  size_t row_count;
  size_t counts[LEAK_VERDICTS]; /* number of stacks with each verdict */
  size_t tested;                /* number of series for which the p-values were corrected */
  double visible;               /* smallest growth of one stack that would be a leak; 0: unknown */
};

struct leaks {
  const pprofc_allocator *mem;
  struct arena arena;
  struct leak_options options;
  struct leak_names names;
  struct leak_kind *kinds; /* kinds, in the order of their first profiles */
  size_t kind_count, kind_capacity;
  size_t leaks;  /* number of rows that are leaks */
  size_t judged; /* number of kinds that could be judged */
};

/* Judges the profiles, which the caller may free afterwards. Returns PPROFC_E_INVALID for a profile
 * that cannot show leaks (see leak_source_of). The caller frees *leaks, also after an error. */
pprofc_status leaks_judge(struct leaks *leaks, const pprofc_allocator *mem,
                          const struct leak_options *options, const struct leak_input *inputs,
                          size_t count, pprofc_error *error);
void leaks_free(struct leaks *leaks);

/* Judges each stack, and each site with several stacks, in the profiles from kind->left_out on.
 * kind->judged is the number of these profiles. */
pprofc_status leak_rows_judge(struct leaks *leaks, struct leak_kind *kind, pprofc_error *error);

/* Makes a row for each stack with the verdict LEAK_LEAK, for profiles in which each sample is a
 * proved leak. */
pprofc_status leak_rows_prove(struct leaks *leaks, struct leak_kind *kind, pprofc_error *error);

/* Both functions return the name of a verdict: leak_verdict_name for texts ("cache that stopped"),
 * leak_verdict_code for JSON ("stopped"). */
const char *leak_verdict_name(enum leak_verdict verdict);
const char *leak_verdict_code(enum leak_verdict verdict);

#endif
