/* Edits of profiles that reports use. Each edit returns a new profile that shares unchanged columns
 * with the source, and does not change the source. */
#ifndef PPROFC_TRANSFORM_TRANSFORM_H
#define PPROFC_TRANSFORM_TRANSFORM_H

#include "pprofc/transform.h"
#include "profile/stack.h"
#include "profile/sum.h"
#include "profile/times.h"
#include "regex/regex.h"

/* ---- filters ----------------------------------------- */

/* Filters in the order in which the header of a report lists them. */
enum filter_index {
  FILTER_FOCUS,
  FILTER_IGNORE,
  FILTER_HIDE,
  FILTER_SHOW,
  FILTER_SHOW_FROM,
  FILTER_PRUNE_FROM,
  FILTER_TAGFOCUS,
  FILTER_TAGIGNORE,
  FILTER_TAGSHOW,
  FILTER_TAGHIDE,
  FILTER_TAGROOT,
  FILTER_TAGLEAF,
#define FILTER_INDEX(index, ...) FILTER_##index,
  PPROFC_ADDED_FILTERS(FILTER_INDEX) FILTER_COUNT
};

/* A filter of a report. All fields are NULL if the filter is not set. */
struct filter_term {
  const char *text;
  struct regex *regex; /* the text as a regular expression, or NULL if it is not an expression */
  struct tag_filter *tags; /* the text of tagfocus or tagignore */
};

/* The filters of a report, and the options that they need. */
struct filter_terms {
  struct filter_term items[FILTER_COUNT];
  const struct label_units *units; /* units of the labels, for tagfocus and tagignore */
  const char *unit;                /* the option unit, for tagroot and tagleaf */
  bool keep_frameless; /* true to keep samples without frames if only `hide` is set; pprof drops
                          these samples */
};

/* Applies one or more filters to a profile. Adds to *matched the bit 1 << FILTER_... of each filter
 * that matched anything. The caller sets *matched to 0 before, and warns about a filter without a
 * match. */
typedef pprofc_status filter_step(const pprofc_profile *source, const struct filter_terms *terms,
                                  unsigned *matched, pprofc_profile **out, pprofc_error *error);

/* Steps for tagroot and tagleaf; focus, ignore, hide and show; show_from; tagfocus and tagignore;
 * tagshow and taghide; prune_from (docs/spec/pprof.md, 13 to 15). */
filter_step transform_tag_frames, transform_names, transform_show_from, transform_tags,
    transform_tag_keys, transform_prune_from;
#define FILTER_STEP(index, name, title, step, ...) filter_step transform_##step;
PPROFC_ADDED_FILTERS(FILTER_STEP)

/* Applies the expressions drop_frames and keep_frames of the profile. An expression that does not
 * compile prunes nothing. Sets *unsupported to true if the expression is valid, but this build
 * cannot match it. The caller then prints DROP_FRAMES_UNSUPPORTED. */
pprofc_status transform_drop_frames(const pprofc_profile *source, pprofc_profile **out,
                                    bool *unsupported, pprofc_error *error);
#define DROP_FRAMES_UNSUPPORTED                                                                    \
  "drop_frames of the profile is not applied: this build does not support the expression"

/* ---- labels ------------------------------------------ */

/* The units of the numeric label keys (docs/spec/pprof.md, 12.5). */
struct label_units {
  const pprofc_allocator *mem;
  size_t count, capacity;
  struct label_unit {
    /* A key, and the unit to show for its values. If no label of the key has a unit, the unit is
     * "bytes" for the keys "alignment" and "request", else the key itself. */
    pprofc_str key, unit;
  } * items;   /* keys and units in order of first use */
  bool differ; /* true if two labels with the same key have different units */
};

/* Finds the units of all keys. Calls `warn` for each key with several units. */
pprofc_status label_units_find(const pprofc_profile *profile, void (*warn)(void *, const char *),
                               void *warn_context, struct label_units *units, pprofc_error *error);
void label_units_free(struct label_units *units);
/* Returns the unit of `key`, or "" if no label has this key. */
pprofc_str label_units_get(const struct label_units *units, pprofc_str key);

/* A compiled tagfocus or tagignore (docs/spec/pprof.md, 14). The text must outlive the filter. The
 * caller compiles each filter only once, because compiling prints the "Interpreted as range"
 * notices. */
struct tag_filter;
pprofc_status tag_filter_compile(const pprofc_allocator *mem, const char *option_name,
                                 const char *text, void (*warn)(void *, const char *),
                                 void *warn_context, struct tag_filter **filter,
                                 pprofc_error *error);
void tag_filter_free(struct tag_filter *filter);

/* ---- granularity (docs/spec/pprof.md, 16) ------------- */

struct granularity {
  bool function, file, line, address, column;
  bool inlines; /* false: keep only the outermost line of each location */
};

/* Parses a granularity: "functions" (also ""), "filefunctions", "files", "lines", "addresses".
 * Returns false for an unknown name. */
bool granularity_parse(const char *name, bool noinlines, bool showcolumns,
                       struct granularity *granularity);

/* Clears the columns that the granularity does not keep. Samples do not change. */
pprofc_status transform_granularity(const pprofc_profile *source,
                                    const struct granularity *granularity, pprofc_profile **out,
                                    pprofc_error *error);

/* ---- benchmarks -------------------------------------- */

/* Keeps the samples of all benchmarks whose names match the regular expression. Fails if no name
 * matches. */
pprofc_status transform_benchmarks(const pprofc_profile *source, const char *pattern,
                                   pprofc_profile **out, pprofc_error *error);

/* ---- time -------------------------------------------- */

/* Keeps the part of each sample that is in a range of time. The profile must have times. If a
 * sample is a sum of events (times at which it ran), keeps the share of the events in the range. An
 * event that is partly in the range counts in proportion. Values in adjacent ranges add up exactly.
 * Drops samples without events. The profile gets the start and the duration of the range. */
pprofc_status transform_time_range(const pprofc_profile *source, struct time_range range,
                                   pprofc_profile **out, pprofc_error *error);

/* Computes which share of a sample type's total in the range is an estimate, from 0 to 1. If a
 * sample is partly in the range, its value is an estimate, unless it is a duration. The profile
 * must have times. */
pprofc_status transform_time_estimated(const pprofc_profile *source, struct time_range range,
                                       size_t type, double *share, pprofc_error *error);

/* ---- values and selection ---------------------------- */

/* Keeps the samples i with keep[i] != 0, with their stacks and labels. Locations and functions that
 * no sample uses stay in the tables. */
pprofc_status transform_select(const pprofc_profile *source, const uint8_t *keep,
                               pprofc_profile **out, pprofc_error *error);

/* Multiplies the values of all types by `ratio`, which is 1 / divide_by, and truncates them. */
pprofc_status transform_divide(const pprofc_profile *source, double ratio, pprofc_profile **out,
                               pprofc_error *error);

/* Functions that all edits use. An edit is a function that returns a changed copy of a profile. The
 * edit changes a copy made by profile_edit, which shares unchanged columns with the source; new
 * columns are in the region (memory) of the copy. profile/stack.h explains this copy-on-write. */

/* Minimum number of samples per thread. */
#define EDIT_GRAIN THRESHOLD((size_t)16384)

/* Returns the result of an edit that changes nothing: the source itself. */
static inline pprofc_profile *edit_same(const pprofc_profile *source) {
  return pprofc_profile_retain((pprofc_profile *)source);
}

/* Multiplies by -1 like pprof, which converts to double and back. The result is exact for values up
 * to 2^53. */
static inline int64_t edit_negate(int64_t value) {
  const int64_t exact = (int64_t)1 << 53;
  return value >= -exact && value <= exact ? -value : number_from_double(-(double)value);
}

/* Ends an edit: stores the copy in *out, or releases it when the edit failed. */
static inline pprofc_status edit_finish(pprofc_status status, pprofc_profile *copy,
                                        pprofc_profile **out) {
  if (copy) copy->lender = NULL;
  if (status == PPROFC_OK)
    *out = copy;
  else
    pprofc_profile_release(copy);
  return status;
}

/* Returns the memory for a new version of a column: the old column if nothing else refers to it,
 * else new memory of the same size. The edit must write entries in ascending order, and read each
 * old entry before it writes the new entry (profile/stack.h). Returns NULL when out of memory. */
static inline void *edit_column(pprofc_profile *copy, const void *column, size_t count,
                                size_t size) {
  void *own = region_own(copy->region, copy->lender, column, count * size);
  return own ? own : arena_array(&copy->region->arena, count, size);
}

/* Keeps only the samples i with keep[i] != 0. */
pprofc_status edit_keep_samples(pprofc_profile *copy, const uint8_t *keep, pprofc_error *error);

/* Keeps only the lines i with keep[i] != 0. A location may lose all its lines. */
pprofc_status edit_keep_lines(pprofc_profile *copy, const uint8_t *keep, pprofc_error *error);

/* Removes the locations i with hidden[i] != 0 from all stacks. */
pprofc_status edit_hide(pprofc_profile *copy, const uint8_t *hidden, pprofc_error *error);

/* Function that cuts one stack: sets `leaf` and `root` to the ends of the part to keep. Returns
 * false to drop the sample. Several threads call the function at once. */
typedef bool (*edit_cut_fn)(const void *context, struct packed_stack *stack);
pprofc_status edit_cut_stacks(pprofc_profile *copy, edit_cut_fn cut, const void *context,
                              pprofc_error *error);

/* ---- comparable profiles ---------------------------- */

/* Makes profiles comparable before they are merged: keeps the sample types that all profiles have,
 * in one order and one unit. */

/* Makes profiles compatible and stores them in out[0 .. count - 1]. The caller releases each of
 * them; after a failure there is nothing to release (docs/spec/pprof.md, 6.1 and 6.2). */
pprofc_status compatible_profiles(const pprofc_profile *const *profiles, size_t count,
                                  pprofc_profile **out, pprofc_error *error);

/* Returns an error if the period type or a sample type of the two profiles differs. */
pprofc_status compatible_check(const pprofc_profile *a, const pprofc_profile *b,
                               pprofc_error *error);

#endif
