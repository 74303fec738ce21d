/* Caches the trees of flame graphs, because a zoom needs the same tree again. At its size limit,
 * the cache removes the tree whose last use is longest ago. */
#ifndef PPROFC_WEB_TREES_H
#define PPROFC_WEB_TREES_H

#include "core/budget.h"
#include "pprofc/report.h"
#include "report/stacks/flame_kept.h"
#include "web/query.h"

struct web_trees;

/* A tree and its data. The thread that builds the tree sets the fields below `key`. */
struct web_tree {
  struct web_tree *next;
  int references;
  bool building;
  char *key;
  struct arena arena;     /* memory for the texts of the query */
  struct web_query query; /* query of the request; `options` points into it */
  pprofc_report_options options;
  struct budget *budget;   /* budget of the building request, to which the tree keeps a reference */
  pprofc_profile *profile; /* profile of the tree; its memory belongs to that budget */
  struct flame_kept *graph;
};

/* Returns a new cache with a limit in bytes, or NULL when out of memory. */
struct web_trees *trees_new(uint64_t bytes);
void trees_free(struct web_trees *trees);

/* Returns the tree of a key. Sets *mine if it is new: build it and call trees_built. Otherwise
 * waits until it is built. The caller releases the tree. NULL: out of memory. */
struct web_tree *trees_take(struct web_trees *trees, pprofc_str key, bool *mine);

/* Ends the build of a tree and wakes the waiting callers. If `good` is false, removes the tree from
 * the cache. The caller must still release the tree. */
void trees_built(struct web_trees *trees, struct web_tree *tree, bool good);
void trees_release(struct web_trees *trees, struct web_tree *tree);

#endif
