/* Builds and frees the tree of a flame graph for tests. */
#ifndef PPROFC_TESTS_FLAME_GRAPH_H
#define PPROFC_TESTS_FLAME_GRAPH_H

#include "flame/flame.h"
#include "unit.h"

struct graph {
  struct stack_frames frames;
  struct stack_set set;
  struct flame_tree tree;
};

static inline void build_turned(struct graph *g, const pprofc_profile *profile, bool reverse) {
  static const struct stack_policy policy = {.inlines = true, .function = true};
  CU_ASSERT_EQUAL_FATAL(stack_frames_build(profile, &policy, &mem_default, &g->frames, NULL),
                        PPROFC_OK);
  struct stack_selection selection = {.from_leaf = reverse};
  CU_ASSERT_EQUAL_FATAL(stack_set_build(&g->frames, &selection, &mem_default, &g->set, NULL),
                        PPROFC_OK);
  CU_ASSERT_EQUAL_FATAL(flame_tree_build(&g->frames, &g->set, &mem_default, &g->tree, NULL),
                        PPROFC_OK);
}

static inline void destroy(struct graph *g) {
  flame_tree_free(&g->tree);
  stack_set_free(&g->set);
  stack_frames_free(&g->frames);
}

#endif
