/* Makes the label groups for the page of -flame. A group has the samples that have a certain value
 * of a label key. */
#ifndef PPROFC_REPORT_STACKS_FLAME_GROUPS_H
#define PPROFC_REPORT_STACKS_FLAME_GROUPS_H

#include "core/map.h"
#include "flame/flame.h"
#include "report/report.h"

#define MAX_VALUES 24u /* maximum number of values of a label key that has groups */
#define MAX_GROUPS 96u

/* A value of a label key, and the samples that have the value. */
struct page_group {
  uint32_t key, value; /* ids of the key and the value in grouping.texts */
  uint32_t *samples;
  size_t count, capacity;
};

/* State while the label groups of the page are made. */
struct grouping {
  const struct report *report;
  const struct flame_graph *graph;
  struct arena arena;
  struct interner texts;
  struct page_group groups[MAX_GROUPS];
  size_t count;
  struct interner left_out; /* keys that have too many values and therefore get no groups */
  struct map children;      /* map from a node and a frame to the child with this frame */
  bool mapped;              /* true if `children` is complete */
};

void flame_groups_begin(struct grouping *grouping, const struct report *report,
                        const struct flame_graph *graph);
/* Makes the groups of the page in *groups. grouping->count is the number of groups. */
pprofc_status flame_groups_make(struct grouping *grouping, struct flame_group **groups,
                                pprofc_error *error);
void flame_groups_end(struct grouping *grouping);

/* ---- times ------------------------------------------ */

/* True if the page shows times. A difference has no times. */
static inline bool flame_has_times(const struct grouping *g) {
  const pprofc_profile *profile = g->report->result.profile;
  return profile->times && !g->graph->tree.has_base && !profile->samples.tree;
}

/* Makes an array that has, for each sample, the node at which its stack ends. The element is NONE
 * if the tree does not have this node. */
pprofc_status flame_times_make(struct grouping *grouping, const uint32_t **node_of,
                               pprofc_error *error);

/* ---- costs ------------------------------------------ */

#define FLAME_COSTS_MAX 32

/* Finds by name the sample types that an import of callgrind files makes. Sets the terms of the
 * cost estimate (struct flame_cost) for these types. Returns the number of terms, or 0 if the
 * profile has no instruction count. */
size_t flame_costs_find(const pprofc_profile *profile, struct flame_cost costs[FLAME_COSTS_MAX]);

#endif
