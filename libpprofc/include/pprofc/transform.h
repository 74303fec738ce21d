/* Making one profile from others: merge, difference, scaling, filters and granularity.
 *
 * The profiles that go in stay as they are. What comes out is a profile of its own, to be given
 * back with pprofc_profile_release; it shares the columns that did not change and may outlive its
 * sources. Any number of threads may call these functions at once, with one profile, too. */
#ifndef PPROFC_TRANSFORM_H
#define PPROFC_TRANSFORM_H

#include "pprofc/profile.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Adds up `count` profiles (at least one) as `pprof` does: equal stacks with equal labels become
 * one sample, sample types that all have stay, units are converted to the finest. One profile comes
 * back as it is. PPROFC_E_INVALID when they have nothing in common. */
PPROFC_API pprofc_status pprofc_merge(const pprofc_profile *const *profiles, size_t count,
                                      pprofc_profile **merged, pprofc_error *error);

typedef enum pprofc_diff_kind {
  PPROFC_SUBTRACT, /* -base: equal stacks cancel; percentages of what is left */
  PPROFC_COMPARE /* -diff_base: base samples get the label pprof::base=true; percentages of the base
                  */
} pprofc_diff_kind;

/* head - base. With `normalize`, head is first scaled so that each of its sums equals that of the
 * base. */
PPROFC_API pprofc_status pprofc_diff(const pprofc_profile *head, const pprofc_profile *base,
                                     pprofc_diff_kind kind, bool normalize,
                                     pprofc_profile **difference, pprofc_error *error);

/* Multiplies every value of sample type i by ratios[i], rounding half away from zero; samples whose
 * scaled values all become 0 are dropped. `ratios` has one entry per sample type. */
PPROFC_API pprofc_status pprofc_scale(const pprofc_profile *profile, const double *ratios,
                                      pprofc_profile **scaled, pprofc_error *error);

/* ---- filters */

/* What stays of a profile. Names and meanings are those of pprof's options; NULL and "" are the
 * same, and filter nothing. Strings are borrowed for the length of the call. Expressions are Go's.
 */
typedef struct pprofc_filter_options {
  size_t struct_size; /* set by pprofc_filter_options_init */

  /* Pseudo frames for the values of labels, keys with ',' between: at the root and at the leaf.
   * They are added before the filters, which see them. */
  const char *tagroot, *tagleaf;
  const char *unit; /* of numbers in these frames: "minimum", "auto" or a unit */

  const char *focus, *ignore;       /* samples with such a frame: only these; none of these */
  const char *hide, *show;          /* frames that are taken out; frames that stay */
  const char *show_from;            /* frames above the highest match are taken out */
  const char *prune_from;           /* frames below the match are taken out */
  const char *tagfocus, *tagignore; /* samples by label: "key=regexp", "bytes=1kb:2mb" ... */
  const char *tagshow, *taghide;    /* label keys that stay; that are taken out */

  /* Told of each warning ("Focus expression matched no samples"), one line without newline, on the
   * thread of the caller. May be NULL. */
  void (*warn)(void *warn_context, const char *message);
  void *warn_context;
} pprofc_filter_options;

PPROFC_API void pprofc_filter_options_init(pprofc_filter_options *options);

/* Filters samples, frames and labels in the order of pprof. Equal samples stay apart; pprofc_merge
 * of the one result adds them up. `options` may be NULL. Errors: PPROFC_E_INVALID for an expression
 * that does not compile (the message begins with "parsing focus regexp: "), options of size 0 and a
 * profile without sample types; PPROFC_E_NOMEM; PPROFC_E_LIMIT. An expression that matches nothing
 * is a warning. */
PPROFC_API pprofc_status pprofc_filter(const pprofc_profile *profile,
                                       const pprofc_filter_options *options,
                                       pprofc_profile **filtered, pprofc_error *error);

/* ---- granularity */

/* What frames differ by. */
typedef struct pprofc_aggregate_options {
  size_t struct_size;      /* set by pprofc_aggregate_options_init */
  const char *granularity; /* "functions", "filefunctions", "files", "lines", "addresses"; NULL and
                              "" are functions */
  bool noinlines;          /* an inlined function becomes part of its caller */
  bool showcolumns;        /* with lines and addresses: columns stay */
} pprofc_aggregate_options;

PPROFC_API void pprofc_aggregate_options_init(pprofc_aggregate_options *options);

/* Blanks what frames do not differ by: files, lines, columns, addresses. Samples stay as many as
 * they are; pprofc_merge of the one result adds up those that have become equal. `options` may be
 * NULL. Errors: PPROFC_E_INVALID for an unknown granularity and options of size 0; PPROFC_E_NOMEM;
 * PPROFC_E_LIMIT. */
PPROFC_API pprofc_status pprofc_aggregate(const pprofc_profile *profile,
                                          const pprofc_aggregate_options *options,
                                          pprofc_profile **aggregated, pprofc_error *error);

#ifdef __cplusplus
}
#endif
#endif
