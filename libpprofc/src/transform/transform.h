/* Every edit of a profile that the reports use. Each returns a new profile that shares unchanged
 * columns with the source, and does not change the source. Section numbers are those of the
 * behaviour notes in docs/COMPAT.md. */
#ifndef PPROFC_TRANSFORM_TRANSFORM_H
#define PPROFC_TRANSFORM_TRANSFORM_H

#include "core/error.h"
#include "profile/profile.h"
#include "regex/regex.h"

/* ---- names: focus, ignore, hide, show; show_from; prune_from  */

/* Compiled expressions; NULL where none is set. */
struct name_filters {
  struct regex *focus, *ignore, *hide, *show;
};

/* Which of them matched anything, for the warnings. */
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

/* drop_frames and keep_frames of the profile itself. An expression that does not compile prunes
 * nothing. */
pprofc_status transform_drop_frames(const pprofc_profile *source, pprofc_profile **out,
                                    pprofc_error *error);

/* ---- labels ------------------------------------------ */

/* The unit of each numeric label key (12.5). */
struct label_units {
  const pprofc_allocator *mem;
  size_t count;
  struct label_unit {
    pprofc_str key, unit; /* unit as shown; for keys without any: "bytes" or the key itself */
  } * items;              /* in order of first use */
};

/* Finds the units; `warn` gets one line per key with several. */
pprofc_status label_units_find(const pprofc_profile *profile, void (*warn)(void *, const char *),
                               void *warn_context, struct label_units *units, pprofc_error *error);
void label_units_free(struct label_units *units);
/* The unit of `key`, or "" for a key that is not there. */
pprofc_str label_units_get(const struct label_units *units, pprofc_str key);

/* tagfocus and tagignore, as typed (14). Compiled once, since compiling prints the "Interpreted as
 * range" notices. */
struct tag_filter;
pprofc_status tag_filter_compile(const pprofc_allocator *mem, const char *option_name,
                                 const char *text, void (*warn)(void *, const char *),
                                 void *warn_context, struct tag_filter **filter,
                                 pprofc_error *error);
void tag_filter_free(struct tag_filter *filter);

/* Keeps samples that match `focus` (or all) and not `ignore` (or none). */
pprofc_status transform_tags(const pprofc_profile *source, const struct label_units *units,
                             const struct tag_filter *focus, const struct tag_filter *ignore,
                             bool *focus_matched, bool *ignore_matched, pprofc_profile **out,
                             pprofc_error *error);

/* tagshow and taghide: on label keys. */
pprofc_status transform_tag_keys(const pprofc_profile *source, struct regex *show,
                                 struct regex *hide, bool *show_matched, bool *hide_matched,
                                 pprofc_profile **out, pprofc_error *error);

/* tagroot and tagleaf: pseudo frames from labels (15). `unit` is the unit option. */
pprofc_status transform_tag_frames(const pprofc_profile *source, const char *tagroot,
                                   const char *tagleaf, const char *unit, bool *root_matched,
                                   bool *leaf_matched, pprofc_profile **out, pprofc_error *error);

/* ---- granularity (16) -------------------------------- */

struct granularity {
  bool function, file, line, address, column;
  bool inlines; /* false: keep only the outermost line of each location */
};

/* What a granularity name keeps: "" and "functions", "filefunctions", "files", "lines",
 * "addresses". False for an unknown name. */
bool granularity_parse(const char *name, bool noinlines, bool showcolumns,
                       struct granularity *granularity);

/* Clears the columns that are not kept. Samples do not change. */
pprofc_status transform_granularity(const pprofc_profile *source,
                                    const struct granularity *granularity, pprofc_profile **out,
                                    pprofc_error *error);

/* ---- values and selection ---------------------------- */

/* Keeps samples i with keep[i] != 0, their stacks and labels; what no sample uses stays in the
 * tables. For the other edits. */
pprofc_status transform_select(const pprofc_profile *source, const uint8_t *keep,
                               pprofc_profile **out, pprofc_error *error);

/* Multiplies values of all types by `ratio`, truncating (divide_by of -proto). */
pprofc_status transform_divide(const pprofc_profile *source, double ratio, pprofc_profile **out,
                               pprofc_error *error);

/* The checks of 4.3, in their order: the message of the first that fails ("sample has nil
 * location"). */
pprofc_status profile_check(const pprofc_profile *profile, pprofc_error *error);

#endif
