/* Makes the verdicts for a flame graph. A frame gets the verdict on its function. */
#ifndef PPROFC_REPORT_STACKS_FLAME_VERDICTS_H
#define PPROFC_REPORT_STACKS_FLAME_VERDICTS_H

#include "flame/verdicts.h"
#include "pprofc/verdict.h"

/* Fills in `out` for the tree of a difference. `verdicts` must come from the same profiles and
 * filters as the tree. `type` is the judged sample type. If `reversed` is true, the tree begins at
 * the leaves, so the parent of a node is its callee. Copies all data into the arena, so the caller
 * may free the verdicts. */
pprofc_status flame_verdicts_make(const struct flame_tree *tree, size_t type, bool reversed,
                                  const pprofc_verdicts *verdicts, struct arena *arena,
                                  struct flame_verdicts *out, pprofc_error *error);

#endif
