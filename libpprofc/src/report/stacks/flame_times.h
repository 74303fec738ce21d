/* Times for the page of -flame. For each sample, finds the node at which its stack ends. */
#ifndef PPROFC_REPORT_STACKS_FLAME_TIMES_H
#define PPROFC_REPORT_STACKS_FLAME_TIMES_H

#include "report/stacks/flame_groups.h"

/* True if the page shows times. A difference has no times. */
static inline bool flame_has_times(const struct grouping *g) {
  const pprofc_profile *profile = g->report->result.profile;
  return profile->times && !g->graph->tree.has_base && !profile->samples.tree;
}

/* Makes an array that has a node for each sample. It is NONE for a sample that the tree dropped. */
pprofc_status flame_times_make(struct grouping *grouping, const uint32_t **node_of,
                               pprofc_error *error);

#endif
