/* Explains a change: judges functions, and compares machine code of programs and the diff of
 * sources. */
#ifndef PPROFCI_RUN_CODE_H
#define PPROFCI_RUN_CODE_H

#include "core/json_tree.h"
#include "core/json_write.h"
#include "flame/flame.h"
#include "pipeline/pipeline.h"
#include "report/source/lookup.h"
#include "report/source/revisions.h"
#include "run/run.h"
#include "symbolize/code.h"
#include "verdict/print/print.h"

/* ---- verdicts (judging.c) ------------------------- */

/* Maximum number of compared sample types: a memory profile has two, bytes and objects. */
#define JUDGED_TYPES 2

/* The runs of a pair of profiles, and the verdicts on their functions. */
struct judged {
  struct budget *budget; /* memory budget for reading the profiles */
  struct noise_runs runs;
  /* Reports of the comparisons, one for each sample type. A report without verdicts is unused. */
  struct noise_report reports[JUDGED_TYPES];
};

/* Reads the runs of a pair of profiles, judges their functions, and fills in pair->comparisons and
 * pair->changes. A function that cannot be judged is not an error. Without base or head there are
 * no comparisons. The caller frees `judged`. */
void judging_run(struct ci_run *run, struct run_pair *pair, const pprofc_report_options *options,
                 struct judged *judged);
void judging_free(struct judged *judged);

/* Returns the numbers and the verdict of a function. */
struct change judged_estimate(const struct noise_report *report,
                              const pprofc_verdict_estimate *estimate);

/* Returns the numbers and the verdict of a function with its callees. Cost that moved here from
 * other functions does not count as growth, as with -fail-on='cum>5%'. */
struct change judged_with_callees(const struct noise_report *report, const pprofc_verdict_row *row);

void failing_find(struct ci_run *run, const struct run_pair *pair, const struct judged *judged);

/* ---- changes (changes.c) -------------------------- */

/* A profile prepared for drawing: the filtered profile, and its tree of frames. */
struct drawn {
  struct pipeline_result result;
  struct flame_graph graph;
  double least_pixels; /* minimum width of a frame in a picture, in pixels */
};

/* Applies the filters of the options and builds the tree of frames. After PPROFC_OK, the caller
 * must call drawn_close. */
pprofc_status drawn_open(const pprofc_profile *profile, const pprofc_report_options *options,
                         struct drawn *d, pprofc_error *error);
void drawn_close(struct drawn *d);

/* Values of a function: flat is its self value, cum is its total. A recursive call counts once. */
struct drawn_sum {
  int64_t flat[SIDES], cum[SIDES];
  double grown;   /* growth of the function's frame that grew most */
  uint32_t depth; /* depth of this frame in the tree */
  bool open;      /* true while the walk over the tree is inside the function */
};

/* Returns an array with a sum for each frame of the tree, or NULL when out of memory. */
struct drawn_sum *drawn_sums(struct drawn *d);

/* Draws the flame graph of a pair of profiles for the page. Also finds the user's function that led
 * to the growth, unless `judged` (the verdicts on functions) is NULL. `options` selects the
 * values. */
pprofc_status changes_find(struct ci_run *run, struct run_pair *pair, const pprofc_profile *profile,
                           const pprofc_report_options *options, const struct judged *judged,
                           pprofc_error *error);

/* Finds the hunks (blocks of changed source lines) that have a cost in `difference`, a difference
 * of profiles. Sorts the hunks by growth, largest first. Finds nothing if the sources are unknown.
 * `type` is the index of the sample type. */
void lines_find(struct ci_run *run, struct run_pair *pair, const pprofc_profile *difference,
                size_t type, const struct judged *judged);

/* Chooses at most `most` lines of a hunk to show, around the line that grew most. Returns the index
 * in hunk->lines of the first chosen line. */
size_t lines_window(const struct run_hunk *hunk, size_t most);

/* ---- JSON (comparisons.c) ------------------------- */

/* Writes the JSON members "comparisons" and "own" of a pair of profiles. */
void comparisons_write(struct json_writer *json, const struct run_pair *pair);

/* Reads the JSON members that comparisons_write writes. A missing member stays empty. */
void comparisons_read(struct ci_run *run, const struct node *from, struct run_pair *pair);

/* comparisons_write_fired writes the profiled functions that -fail-on found in a run.
 * comparisons_read_fired reads them from the manifest of the job `job`. */
void comparisons_write_fired(struct json_writer *json, const struct ci_run *run);
void comparisons_read_fired(struct ci_run *run, const struct node *root, const char *job);

/* Writes the JSON member "built": how the programs of base and head were built. */
void built_write(struct json_writer *json, const struct built sides[SIDES]);

/* Writes the JSON member "surroundings" if this run measured base and head. The member contains the
 * kernel, the processors, and the environment variables that change how programs run. */
void surroundings_write(struct json_writer *json, const struct ci_run *run);

/* same_write writes into a manifest the packages whose test binary is the same in base and head.
 * same_read reads these packages from the manifest of the job `job`. */
void same_write(struct json_writer *json, const struct ci_run *run);
void same_read(struct ci_run *run, const struct node *root, const char *job);

/* ---- code (code.c) -------------------------------- */

/* Definition of a function or class in a Python file. */
struct def {
  pprofc_str name;     /* qualified name, as in frames: "Store.top", "parse.<locals>.inner" */
  int64_t first, last; /* first and last line of the definition with its decorators */
};

/* Closes the programs and sources that code_open opened (run.h). */
void code_close(struct ci_run *run);

/* Returns the sources of base and head, or NULL if git does not know the base. */
struct revisions *code_sources(const struct ci_run *run);

/* Removes ".<locals>.<lambda>" from a Python name, because a lambda counts as a part of the
 * function around it. */
pprofc_str code_def_name(pprofc_str name);

/* Finds the lines of a function in the version `side` of a changed file. Stores an array of ranges
 * in *extents, and returns its length. If function->first is known, the array is *one. Otherwise it
 * has all definitions of the Python function with this name. */
size_t code_extents(struct ci_run *run, enum diff_side side, const struct changed_file *file,
                    const struct def *function, const struct def **extents, struct def *one);

/* Sets the field `code` of each function in the comparisons of the pair. Moves functions with
 * changed code to the front of `because` (functions that grew). Also sets pair->built, and
 * `same_code`, `moved` and `differs` of the first comparison. */
void code_describe(struct ci_run *run, struct run_pair *pair, const struct judged *judged);

enum compared_code code_compared(struct ci_run *run, const struct run_pair *pair,
                                 const struct judged *judged, pprofc_str name);

/* True if the programs are known and the function has the same machine code in base and head. */
bool code_is_same(struct ci_run *run, const struct run_pair *pair, pprofc_str name);

/* True if no sampled function of a pair of profiles changed, so that only the layout of the code
 * can explain a longer time. If true, appends this reason and the differences between the builds to
 * `why`. */
bool code_excuses(const struct ci_run *run, const struct run_pair *pair, struct buffer *why);

/* Appends the properties that differ between the programs, then the names of the equal
 * properties. */
void built_compare(const struct ci_run *run, const struct built sides[SIDES], struct buffer *out);

#endif
