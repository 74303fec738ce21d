/* Makes a profile from other profiles: merge, difference, scaling, filters, granularity.
 *
 * Input profiles do not change. The result is a new profile, which the caller releases with
 * pprofc_profile_release. It shares unchanged columns with its sources and may outlive them. Any
 * number of threads may call these functions at once, even with the same profile. */
#ifndef PPROFC_TRANSFORM_H
#define PPROFC_TRANSFORM_H

#include "pprofc/profile.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Adds up `count` profiles, at least one, like pprof. Equal stacks with equal labels become one
 * sample. The result has the sample types that all profiles have, in the finest unit. A single
 * profile is returned unchanged. The caller releases the result. Errors: PPROFC_E_INVALID for
 * profiles without a common sample type, PPROFC_E_NOMEM, PPROFC_E_LIMIT. */
PPROFC_API pprofc_status pprofc_merge(const pprofc_profile *const *profiles, size_t count,
                                      pprofc_profile **merged, pprofc_error *error);

/* Type of difference, named after an option of pprofc. */
typedef enum pprofc_diff_kind {
  PPROFC_SUBTRACT, /* same as -base: values of equal stacks are subtracted; percentages refer to the
                      remaining total */
  PPROFC_COMPARE   /* same as -diff_base: base samples get the label pprof::base=true; percentages
                      refer to the base total */
} pprofc_diff_kind;

/* Computes head - base. If `normalize` is true, first scales each sample type of head so that its
 * total equals the total of base. The caller releases the result. Errors: PPROFC_E_INVALID for
 * profiles without a common sample type, PPROFC_E_NOMEM, PPROFC_E_LIMIT. */
PPROFC_API pprofc_status pprofc_diff(const pprofc_profile *head, const pprofc_profile *base,
                                     pprofc_diff_kind kind, bool normalize,
                                     pprofc_profile **difference, pprofc_error *error);

/* Multiplies every value of sample type i by ratios[i], rounds half away from zero, and drops
 * samples whose values are all 0. `ratios` has one entry for each sample type. The caller releases
 * the result. Errors: PPROFC_E_NOMEM, PPROFC_E_LIMIT. */
PPROFC_API pprofc_status pprofc_scale(const pprofc_profile *profile, const double *ratios,
                                      pprofc_profile **scaled, pprofc_error *error);

/* ---- benchmarks */

/* Receives a benchmark's name, and its samples as a profile. The callback must retain the profile
 * to use it later. A status other than PPROFC_OK ends the iteration. */
typedef pprofc_status (*pprofc_benchmark_fn)(void *context, pprofc_str name,
                                             pprofc_profile *profile, pprofc_error *error);

/* Calls `take` for each benchmark, in the order of the samples. Skips samples without the label
 * PPROFC_BENCHMARK. Returns the status of the last call of `take`. Errors: PPROFC_E_NOMEM,
 * PPROFC_E_LIMIT. */
PPROFC_API pprofc_status pprofc_benchmarks(const pprofc_profile *profile, pprofc_benchmark_fn take,
                                           void *context, pprofc_error *error);

/* ---- filters */

/* Filters that pprof does not have. Each row is a field at the end of pprofc_filter_options and of
 * pprofc_report_options. */
#define PPROFC_ADDED_FILTERS(FILTER)

/* Declares the field of a row. */
#define PPROFC_FILTER_FIELD(index, name, ...) const char *name;

/* Filters of a profile. The names and meanings of the fields are the same as in pprof. NULL and ""
 * filter nothing. The caller owns the strings during the call. Expressions are Go regular
 * expressions. */
typedef struct pprofc_filter_options {
  size_t struct_size; /* set by pprofc_filter_options_init */

  /* label keys, joined by ','. The values of tagroot become additional frames at the root, and the
   * values of tagleaf at the leaf. The filters also match these frames. */
  const char *tagroot, *tagleaf;
  const char *unit; /* unit of numbers in tagroot and tagleaf frames: "minimum", "auto" or a unit */

  const char *focus, *ignore; /* focus: keep only samples with a matching frame; ignore: drop
                                 samples with a matching frame */
  const char *hide, *show;    /* hide: remove matching frames; show: keep only matching frames */
  const char *show_from;      /* remove all callers of the matching frame nearest to the root */
  const char *prune_from; /* remove the frames called by the matching frame nearest to the leaf */
  /* tagfocus: keep only samples with a matching label; tagignore: drop samples with a matching
   * label. Examples: "key=regexp", "bytes=1kb:2mb" */
  const char *tagfocus, *tagignore;
  const char *tagshow, *taghide; /* tagshow: label keys to keep; taghide: label keys to remove */

  /* Receives each warning ("Focus expression matched no samples") as one line without newline,
   * on the caller's thread. May be NULL. */
  void (*warn)(void *warn_context, const char *message);
  void *warn_context; /* first argument of `warn` */

  PPROFC_ADDED_FILTERS(PPROFC_FILTER_FIELD)
} pprofc_filter_options;

/* Sets all fields to their defaults: no filter. */
PPROFC_API void pprofc_filter_options_init(pprofc_filter_options *options);

/* Filters samples, frames and labels in pprof's order. Equal samples stay separate; pprofc_merge
 * can add them up afterwards. `options` may be NULL. An expression that matches nothing gives a
 * warning. The caller releases the result. Errors: PPROFC_E_INVALID for an invalid expression
 * ("parsing focus regexp: ..."), options of size 0 and a profile without sample types;
 * PPROFC_E_NOMEM; PPROFC_E_LIMIT. */
PPROFC_API pprofc_status pprofc_filter(const pprofc_profile *profile,
                                       const pprofc_filter_options *options,
                                       pprofc_profile **filtered, pprofc_error *error);

/* ---- granularity */

/* Granularity of frames. */
typedef struct pprofc_aggregate_options {
  size_t struct_size;      /* set by pprofc_aggregate_options_init */
  const char *granularity; /* "functions", "filefunctions", "files", "lines" or "addresses";
                              NULL and "" mean functions */
  bool noinlines;          /* true: join an inlined function with its caller */
  bool showcolumns;        /* true: keep column numbers, for the granularities lines and
                              addresses */
} pprofc_aggregate_options;

/* Sets all fields to their defaults: functions, with inlined functions as separate frames. */
PPROFC_API void pprofc_aggregate_options_init(pprofc_aggregate_options *options);

/* Clears the properties of frames that the granularity ignores: files, lines, columns or addresses.
 * The number of samples stays the same; pprofc_merge can add up equal samples afterwards. `options`
 * may be NULL. The caller releases the result. Errors: PPROFC_E_INVALID for an unknown granularity
 * and options of size 0; PPROFC_E_NOMEM; PPROFC_E_LIMIT. */
PPROFC_API pprofc_status pprofc_aggregate(const pprofc_profile *profile,
                                          const pprofc_aggregate_options *options,
                                          pprofc_profile **aggregated, pprofc_error *error);

#ifdef __cplusplus
}
#endif
#endif
