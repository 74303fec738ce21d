/* Cache of flame graph trees, so that a zoom need not build its tree again. Within a limit of
 * bytes, the trees used least recently are dropped first. */
#ifndef PPROFC_WEB_TREES_H
#define PPROFC_WEB_TREES_H

#include "core/budget.h"
#include "pprofc/report.h"
#include "report/stacks/flame_kept.h"
#include "web/query.h"

struct web_trees;

/* A tree and everything it points into. The builder sets the fields after the key. */
struct web_tree {
  struct web_tree *next;
  int references;
  bool building;
  char *key;
  struct arena arena;     /* arena for the texts of the query */
  struct web_query query; /* query, to which the options point */
  pprofc_report_options options;
  struct budget
      *budget; /* budget of the first question, which limits the tree; the tree holds a reference */
  pprofc_profile *profile; /* profile of the tree, lent with that budget */
  struct flame_kept *graph;
};

/* Returns a new cache of trees; NULL when out of memory. */
struct web_trees *trees_new(uint64_t bytes);
void trees_free(struct web_trees *trees);

/* Returns the tree with a key, which the caller releases. If it is new, *mine is true: the
 * caller builds it and calls trees_built, and other callers wait until then. NULL when out of
 * memory. */
struct web_tree *trees_take(struct web_trees *trees, pprofc_str key, bool *mine);

/* Publishes a finished tree, or drops a failed one. The caller still releases it. */
void trees_built(struct web_trees *trees, struct web_tree *tree, bool good);
void trees_release(struct web_trees *trees, struct web_tree *tree);

#endif
