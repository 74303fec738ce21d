/* Compares the code of base and head: machine code of programs, and the diff of sources. */
#ifndef PPROFCI_RUN_CODE_H
#define PPROFCI_RUN_CODE_H

#include "report/source/lookup.h"
#include "report/source/revisions.h"
#include "run/judging.h"
#include "symbolize/code.h"

/* Definition of a function or class in a Python file. */
struct def {
  pprofc_str name;     /* qualified name, as in frames: "Store.top", "parse.<locals>.inner" */
  int64_t first, last; /* lines of the definition with its decorators */
};

/* Closes the programs and sources that code_open opened (run.h). */
void code_close(struct ci_run *run);

/* Returns the sources of base and head, or NULL if git does not know the base. */
struct revisions *code_sources(const struct ci_run *run);

/* Removes ".<locals>.<lambda>" from a Python name, because a lambda counts as a part of the
 * function around it. */
pprofc_str code_def_name(pprofc_str name);

/* Finds the lines of a function in the version `side` of a changed file. If function->first is
 * known, stores this line and the last line in *one, and sets *extents to `one`. Otherwise finds a
 * Python function by its name, and sets *extents to an array of its definitions. Returns the length
 * of this array, which is above 1 if the file defines the function several times. */
size_t code_extents(struct ci_run *run, enum diff_side side, const struct changed_file *file,
                    const struct def *function, const struct def **extents, struct def *one);

/* Sets the field `code` of each function in the comparisons of the pair. Moves functions with
 * changed code to the front of `because` (functions that grew). Also sets pair->built, and
 * `same_code`, `moved` and `differs` of the first comparison. */
void code_describe(struct ci_run *run, struct run_pair *pair, const struct judged *judged);

/* Returns a phrase that compares a function's code in head and base: "same", "in this diff",
 * "inlines this diff", "changed", "inlined elsewhere" or "unknown". Returns "" if neither programs
 * nor sources are known. */
const char *code_word(struct ci_run *run, const struct run_pair *pair, const struct judged *judged,
                      pprofc_str name);

/* True if the programs are known and the function has the same machine code in both. */
bool code_is_same(struct ci_run *run, const struct run_pair *pair, pprofc_str name);

/* True if no sampled function of a pair of profiles changed, so that only the layout of the code
 * can explain a longer time. If true, appends this reason and the differences between the builds to
 * `why`. */
bool code_excuses(const struct ci_run *run, const struct run_pair *pair, struct buffer *why);

/* Appends the properties that differ between the programs, then the names of the equal
 * properties. */
void built_compare(const struct ci_run *run, const struct built sides[SIDES], struct buffer *out);

#endif
