/* Trees of flame graphs that were built: a zoom into a large one writes a part of it, and need not
 * build it again. Those used last are kept, within a number of bytes. */
#ifndef PPROFC_WEB_TREES_H
#define PPROFC_WEB_TREES_H

#include "core/budget.h"
#include "pprofc/report.h"
#include "report/stacks/flame_kept.h"
#include "web/query.h"

struct web_trees;

/* A tree and all that it points into. The builder sets what follows the key. */
struct web_tree {
  struct web_tree *next;
  int references;
  bool building;
  char *key;
  struct arena arena;     /* of the query */
  struct web_query query; /* the options point into it */
  pprofc_report_options options;
  struct budget *budget;   /* of the first question, that paid for everything; held */
  pprofc_profile *profile; /* lent with that budget */
  struct flame_kept *graph;
};

/* NULL when out of memory. */
struct web_trees *trees_new(uint64_t bytes);
void trees_free(struct web_trees *trees);

/* The tree with a key, to be released. Where there is none *mine is true: the caller builds it and
 * calls trees_built; others that ask for it wait until then. NULL when out of memory. */
struct web_tree *trees_take(struct web_trees *trees, pprofc_str key, bool *mine);

/* The tree is complete, or could not be built and is forgotten. The caller still has to release
 * it. */
void trees_built(struct web_trees *trees, struct web_tree *tree, bool good);
void trees_release(struct web_trees *trees, struct web_tree *tree);

#endif
