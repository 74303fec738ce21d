/* Finds the line of the user's code that explains why two profiles differ, and draws the difference
 * as a flame graph. */
#ifndef PPROFCI_RUN_CHANGES_H
#define PPROFCI_RUN_CHANGES_H

#include "flame/flame.h"
#include "pipeline/pipeline.h"
#include "run/judging.h"

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
  uint32_t depth; /* depth of the function's first frame in the tree */
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

/* Returns the index in hunk->lines of the first of at most `most` lines to show. These lines
 * surround the line that grew most. */
size_t lines_window(const struct run_hunk *hunk, size_t most);

#endif
