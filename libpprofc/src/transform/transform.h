/* Edits of profiles that reports use. Each edit returns a new profile that shares unchanged columns
 * with the source, and does not change the source. */
#ifndef PPROFC_TRANSFORM_TRANSFORM_H
#define PPROFC_TRANSFORM_TRANSFORM_H

#include "profile/times.h"
#include "regex/regex.h"

/* ---- names: focus, ignore, hide, show; show_from; prune_from  */

/* Compiled expressions; NULL if the option is not set. */
struct name_filters {
  struct regex *focus, *ignore, *hide, *show;
  bool keep_frameless; /* true to keep samples without frames if only `hide` is set; pprof drops
                          these samples */
};

/* True for each filter whose expression matched anything. The caller warns about a filter without a
 * match. */
struct name_matches {
  bool focus, ignore, hide, show;
};

pprofc_status transform_names(const pprofc_profile *source, const struct name_filters *filters,
                              struct name_matches *matched, pprofc_profile **out,
                              pprofc_error *error);
pprofc_status transform_show_from(const pprofc_profile *source, struct regex *show_from,
                                  bool *matched, pprofc_profile **out, pprofc_error *error);
pprofc_status transform_prune_from(const pprofc_profile *source, struct regex *prune_from,
                                   pprofc_profile **out, pprofc_error *error);

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
    /* A key, and the unit to show for its values. For a key without units, the unit is "bytes" or
     * the key itself. */
    pprofc_str key, unit;
  } * items; /* keys and units in order of first use */
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

/* Keeps the samples that match `focus` and do not match `ignore`. A NULL filter has no effect. */
pprofc_status transform_tags(const pprofc_profile *source, const struct label_units *units,
                             const struct tag_filter *focus, const struct tag_filter *ignore,
                             bool *focus_matched, bool *ignore_matched, pprofc_profile **out,
                             pprofc_error *error);

/* Applies tagshow and taghide: keeps or removes labels by key. */
pprofc_status transform_tag_keys(const pprofc_profile *source, struct regex *show,
                                 struct regex *hide, bool *show_matched, bool *hide_matched,
                                 pprofc_profile **out, pprofc_error *error);

/* Applies tagroot and tagleaf: adds pseudo frames made from labels (docs/spec/pprof.md, 15). `unit`
 * is the unit option. */
pprofc_status transform_tag_frames(const pprofc_profile *source, const char *tagroot,
                                   const char *tagleaf, const char *unit, bool *root_matched,
                                   bool *leaf_matched, pprofc_profile **out, pprofc_error *error);

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

/* Keeps the part of each sample that is in a range of time. The profile must have times. A sample
 * that is a sum of events (times at which it ran) keeps the shares of the events in the range; an
 * event that is partly in the range counts in proportion. Values in adjacent ranges add up exactly.
 * Drops samples without events. The profile gets the start and the duration of the range. */
pprofc_status transform_time_range(const pprofc_profile *source, struct time_range range,
                                   pprofc_profile **out, pprofc_error *error);

/* Computes which share of a sample type's total in the range is an estimate, from 0 to 1. Values of
 * samples that are partly in the range are estimates, unless they are durations. The profile must
 * have times. */
pprofc_status transform_time_estimated(const pprofc_profile *source, struct time_range range,
                                       size_t type, double *share, pprofc_error *error);

/* ---- values and selection ---------------------------- */

/* Keeps the samples i with keep[i] != 0, with their stacks and labels. Locations and functions that
 * no sample uses stay in the tables. */
pprofc_status transform_select(const pprofc_profile *source, const uint8_t *keep,
                               pprofc_profile **out, pprofc_error *error);

/* Multiplies the values of all types by `ratio` and truncates them (divide_by of -proto). */
pprofc_status transform_divide(const pprofc_profile *source, double ratio, pprofc_profile **out,
                               pprofc_error *error);

#endif
