/* Finds leaks. Turns a sequence of heap profiles or goroutine counts into rows with verdicts. A row
 * is an allocation stack, a group of goroutines, or a site: a line at which several stacks
 * allocate. */
#ifndef PPROFC_LEAKS_LEAKS_H
#define PPROFC_LEAKS_LEAKS_H

#include "core/base.h"
#include "pprofc/profile.h"
#include "regex/regex.h"

/* ---- judging ---------------------------------------- */

/* Classifies a time series: a leak, a cache that stopped growing, a sawtooth, or no trend.
 * docs/LEAKS.md explains the rules and their error rates. */

/* Verdicts on a series in order of precedence: the first verdict that applies counts. `leak` and
 * `grows` also need a small p-value. */
enum leak_verdict {
  /* a frame of the stack is on the list of ignored names (LEAK_LIST_HEAP, LEAK_LIST_COUNTS) */
  LEAK_IGNORED,
  LEAK_BELOW,    /* the values, or their growth, are below the smallest growth to report */
  LEAK_SAWTOOTH, /* the values rise and fall by similar amounts */
  LEAK_STOPPED,  /* the values grew and then stopped */
  LEAK_STEADY,   /* the values show no trend */
  LEAK_GROWS,    /* the values grow, but by less than the share `kept` of the amount allocated */
  LEAK_LEAK,
  LEAK_VERDICTS
};

struct leak_rules {
  double alpha; /* maximum probability of at least one false leak in one kind of profile */
  double floor; /* smallest growth to report, in the unit of the values */
  double kept;  /* smallest growth of a leak, as a share of the amount allocated, default 0.8 */
};

/* One series of values at ascending times `t`. */
struct leak_series {
  const double *t, *x;
  size_t count;
  double sampling[2];      /* sampling variances of the first and of the last value */
  double largest_variance; /* largest sampling variance of a value */
  double chance[2]; /* variances of the first and last value if objects come and go at random */
  double allocated; /* amount allocated between the first and last value; NaN if not known */
  /* Amount allocated in the last third of the series (leak_late); 0 if not known. */
  double late;
  bool ignored;
};

struct leak_fit {
  enum leak_verdict verdict;
  /* true if the growth is the rise of the lowest points of a series that rises and falls
   * (LEAK_SAWTOOTH) */
  bool of_troughs;
  /* Theil-Sen slope (median of the slopes between all pairs of values), per unit of t */
  double slope;
  double growth;   /* last value minus first value */
  double kept;     /* growth as a share of the amount allocated; NaN if not known */
  double p_trend;  /* p-value of the Mann-Kendall test; NaN below LEAK_FEW values */
  double p;        /* p-value of the growth; 1 if the Mann-Kendall test finds no trend */
  double adjusted; /* p after the correction for the number of candidate series (see `counted`) */
  bool counted;    /* true if the series is tested: no rule ignores it, and its values reach the
                      smallest growth that counts (`floor`). The correction for the number of tests
                      counts only such series. */
};

/* LEAK_FEW is the minimum number of values for the Mann-Kendall test. With fewer values, the test
 * cannot reach a p-value of 5 %, so each value must be above the value before. LEAK_MIN is the
 * minimum number of values for a verdict. */
#define LEAK_FEW 5
#define LEAK_MIN 3

/* Returns the index of the first value in the last third of a series. */
size_t leak_late(size_t count);

/* Returns the smallest growth that would be significant among `tested` series. The variance of a
 * value v is v times `variance`. */
double leak_visible(const struct leak_rules *rules, size_t tested, double variance);

/* Judges the series of one kind of profile ("heap" ...), and adjusts their p-values together by
 * Holm's method. Returns false when out of memory. */
bool leak_judge(const struct leak_series *series, size_t count, const struct leak_rules *rules,
                const pprofc_allocator *mem, struct leak_fit *fits);

/* ---- stacks and values ------------------------------ */

/* Collects the values of every stack in every profile, for the search for leaks. Stacks are equal
 * if their frames have the same functions, files and lines. Frames without a function are compared
 * by their offset in the binary. */

enum leak_list {
  LEAK_LIST_HEAP,   /* functions whose stacks are ignored in heap profiles */
  LEAK_LIST_COUNTS, /* functions whose stacks are ignored in profiles of counts ("goroutine" ...) */
  /* Functions of allocators. The search for the line that allocates starts at the leaf and skips
   * these functions. */
  LEAK_LIST_WAY,
  LEAK_LISTS
};

/* A row of the built-in table of function names. */
struct leak_name {
  enum leak_list list;
  const char *pattern; /* Go regular expression for the name of a function */
  const char *why;
};

/* Returns a row of the built-in table, or NULL after the last row. */
const struct leak_name *leak_name_at(size_t index);

/* Compiles the built-in table and the patterns `more`. Stacks that match a pattern of `more` are
 * ignored in all profiles. The flag of list l is 1 << l. The caller frees *names, also after an
 * error. */
pprofc_status leak_names_init(struct regex_set *names, const pprofc_allocator *mem,
                              const char *const *more, size_t more_count, pprofc_error *error);

/* True if a function is on a list. */
bool leak_names_has(const struct regex_set *names, enum leak_list list, pprofc_str function);

/* The kind of a profile, and the columns of its values that can show leaks. */
struct leak_source {
  pprofc_str kind; /* "heap", or the name of a count such as "goroutine" */
  pprofc_str unit; /* unit of the values: "bytes", "count" */
  /* Sample type indices of the values in use and of the total allocated; SIZE_MAX if missing. */
  size_t value, allocated;
  bool is_heap;
  bool proves; /* true if each sample is a proved leak, as in Go's goroutineleak profile */
};

/* True if the profile can show leaks. Fills *source. */
bool leak_source_of(const pprofc_profile *profile, struct leak_source *source);

struct leak_frame {
  pprofc_str function; /* name of the function; "[libc.so.6]+0x1f0" if it has no name */
  pprofc_str file;
  int64_t line;
};

/* A location: one frame, or several frames of inlined calls, leaf first. */
struct leak_place {
  const struct leak_frame *frames;
  size_t count;
  /* ignored: true if the name of a frame is on the list of ignored names of the profile's kind.
   * all_way: true if all frames are functions of allocators. */
  bool ignored, all_way;
};

/* Values of a stack in one profile, in bytes or as a count: value in use, total allocated, sampling
 * variance of the value, and variance of the value if objects come and go at random. */
struct leak_cell {
  double value, allocated, sampling, chance;
};

struct leak_stack {
  const uint32_t *places; /* locations of the stack, as indices in leak_collection.places */
  size_t depth;
  size_t where; /* index in `places` of the first location, from the leaf, outside of allocators */
  bool ignored;
  struct leak_cell *cells; /* values of the stack in each profile, in the order of the profiles */
};

struct leak_collection {
  const pprofc_allocator *mem;
  const struct regex_set *names;
  struct leak_source source; /* kind and columns of the first profile; `arena` owns the texts */
  struct arena arena;
  size_t profiles; /* number of profiles; each stack has one cell per profile */
  struct interner place_keys;
  struct leak_place *places; /* distinct locations, in the order of their keys in `place_keys` */
  size_t place_capacity;
  struct map map;
  struct leak_stack *stacks;
  size_t stack_count, stack_capacity;
  double *totals; /* total allocated in each profile, in the unit of the values */
};

/* Prepares a collection for `profiles` profiles. */
pprofc_status leak_collection_init(struct leak_collection *c, const pprofc_allocator *mem,
                                   const struct regex_set *names, const struct leak_source *source,
                                   size_t profiles, pprofc_error *error);
void leak_collection_free(struct leak_collection *c);

/* Adds the samples of profile `index`. Returns PPROFC_E_INVALID for a difference of two profiles.
 */
pprofc_status leak_collection_add(struct leak_collection *c, const pprofc_profile *profile,
                                  const struct leak_source *source, size_t index,
                                  pprofc_error *error);

/* Value of `warmup`: drops the first profile of each kind if at least LEAK_FEW profiles remain. */
#define LEAK_WARMUP_AUTO (-1)
#define LEAK_PROFILES    1000 /* maximum number of profiles of one kind ("heap" ...) */

struct leak_options {
  double alpha;
  /* Smallest growth to report: bytes of a heap; number of goroutines or of other counts. */
  double heap_floor, count_floor;
  double kept;
  int warmup; /* number of profiles of each kind ("heap" ...) to drop at the beginning */
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
  const struct leak_frame *where;  /* frame of `stack` that allocates */
  const struct leak_frame *caller; /* frame that calls the frame that allocates, or NULL */
  size_t stacks;                   /* number of stacks; 1 unless is_site */
  const double *values;            /* value in each judged profile */
  double first, last;
  /* Mean growth from one profile to the next, and per hour; NaN if unknown. */
  double per_interval, per_hour;
};

/* All profiles of one kind, such as "heap" or "goroutine". */
struct leak_kind {
  struct leak_collection stacks;
  size_t profiles; /* number of all profiles of this kind */
  /* Number of profiles dropped at the beginning, because they are warm-up or precede a restart. */
  size_t left_out;
  size_t judged;         /* number of judged profiles; 0 if there are too few */
  bool restarted;        /* true if the allocated total fell: the program restarted */
  bool timed;            /* true if the profiles are sorted by their times */
  const char **names;    /* names of the profiles, in the order in which they are judged */
  double *t;             /* time of each judged profile: seconds since the first, or 0, 1, 2 ... */
  double interval;       /* mean seconds between two profiles; NaN if not known */
  struct leak_row *rows; /* rows, leaks first, then by growth */
  size_t row_count;
  size_t counts[LEAK_VERDICTS]; /* number of stacks with each verdict */
  size_t tested;                /* number of series in the correction of the p-values */
  /* smallest growth of one stack that the test would report as a leak; 0: unknown */
  double visible;
};

struct leaks {
  const pprofc_allocator *mem;
  struct arena arena;
  struct leak_options options;
  struct regex_set names;  /* names of the lists (leak_names_init) */
  struct leak_kind *kinds; /* kinds ("heap" ...), in the order of their first profiles */
  size_t kind_count, kind_capacity;
  size_t leaks;  /* number of rows that are leaks */
  size_t judged; /* number of kinds ("heap" ...) with enough profiles */
};

/* Judges the profiles, which the caller may free afterwards. Returns PPROFC_E_INVALID for a profile
 * that cannot show leaks (see leak_source_of). The caller frees *leaks, also after an error. */
pprofc_status leaks_judge(struct leaks *leaks, const pprofc_allocator *mem,
                          const struct leak_options *options, const struct leak_input *inputs,
                          size_t count, pprofc_error *error);
void leaks_free(struct leaks *leaks);

/* Both functions return the name of a verdict: leak_verdict_name for texts ("cache that stopped"),
 * leak_verdict_code for JSON ("stopped"). */
const char *leak_verdict_name(enum leak_verdict verdict);
const char *leak_verdict_code(enum leak_verdict verdict);

#endif
