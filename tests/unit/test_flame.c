/* Flame graphs: the tree conserves what base and head spent, and so do the boxes that are drawn. */
#include "unit.h"

#include "core/str.h"
#include "flame/flame.h"
#include "pprofc/pprofc.h"
#include "report_text.h"

#include <math.h>

struct graph {
  struct stack_frames frames;
  struct stack_set set;
  struct flame_tree tree;
};

static void build_turned(struct graph *g, const pprofc_profile *profile, bool reverse) {
  static const struct stack_policy policy = {.inlines = true, .function = true};
  CU_ASSERT_EQUAL_FATAL(stack_frames_build(profile, &policy, &mem_default, &g->frames, NULL),
                        PPROFC_OK);
  CU_ASSERT_EQUAL_FATAL(stack_set_build(&g->frames, NULL, &mem_default, &g->set, NULL), PPROFC_OK);
  CU_ASSERT_EQUAL_FATAL(
      flame_tree_build(&g->frames, &g->set, reverse, &mem_default, &g->tree, NULL), PPROFC_OK);
}

static void build(struct graph *g, const pprofc_profile *profile) {
  build_turned(g, profile, false);
}

static void destroy(struct graph *g) {
  flame_tree_free(&g->tree);
  stack_set_free(&g->set);
  stack_frames_free(&g->frames);
}

static uint32_t next_random(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(*state >> 33);
}

/* Random stacks of a few functions; with `with_base`, half of the samples are a base. */
static pprofc_profile *random_profile(uint64_t seed, bool with_base) {
  pprofc_builder *b = pprofc_builder_new(NULL);
  pprofc_builder_type(b, "cpu", "nanoseconds");
  for (int i = 0; i < 400; i++) {
    uint32_t frames[12];
    size_t depth = 1 + next_random(&seed) % 12;
    for (size_t d = 0; d < depth; d++) {
      char name[16];
      snprintf(name, sizeof name, "f%u", next_random(&seed) % 7);
      frames[d] = pprofc_builder_frame(b, name, "f.c", 1);
    }
    bool base = with_base && next_random(&seed) % 2;
    int64_t value = next_random(&seed) % 1000;
    if (base) value = -value;
    pprofc_builder_sample(b, frames, depth, &value);
    if (base) pprofc_builder_label(b, "pprof::base", "true");
  }
  pprofc_profile *profile = NULL;
  CU_ASSERT_EQUAL_FATAL(pprofc_builder_finish(b, &profile, NULL), PPROFC_OK);
  pprofc_builder_free(b);
  return profile;
}

static void check_tree(const struct flame_tree *t) {
  for (size_t i = 0; i < t->count; i++) {
    int64_t head = flame_self_head(t, i, 0), base = flame_self_base(t, i, 0);
    for (uint32_t child = (uint32_t)i + 1; child < t->end[i]; child = t->end[child]) {
      CU_ASSERT_EQUAL(t->parent[child], i);
      head += flame_head(t, child, 0);
      base += flame_base(t, child, 0);
    }
    CU_ASSERT_EQUAL(head, flame_head(t, i, 0));
    CU_ASSERT_EQUAL(base, flame_base(t, i, 0));
  }
}

/* Children, self and the box of what is hidden are their parent, in width, head and base. */
static void check_boxes(const struct flame_tree *t, const struct flame_boxes *boxes,
                        enum flame_width how) {
  for (uint32_t i = 0; i < boxes->count; i++) {
    const struct flame_box *box = &boxes->items[i];
    if (box->node == NONE) continue;
    int64_t head = flame_self_head(t, box->node, 0), base = flame_self_base(t, box->node, 0);
    double h = (double)head, b = (double)base;
    double width = how == FLAME_HEAD   ? h
                   : how == FLAME_BASE ? b
                   : how == FLAME_SUM  ? h + b
                                       : fmax(h, b);
    for (uint32_t k = i + 1; k < boxes->count; k++) {
      if (boxes->items[k].parent != i) continue;
      CU_ASSERT(boxes->items[k].x >= box->x - 1e-6);
      CU_ASSERT(boxes->items[k].x + boxes->items[k].width <= box->x + box->width + 1e-6);
      width += boxes->items[k].width;
      head += boxes->items[k].head;
      base += boxes->items[k].base;
    }
    CU_ASSERT_DOUBLE_EQUAL(width, box->width, 1e-6 * (1 + box->width));
    if (how == FLAME_SUM || how == FLAME_MAX) {
      CU_ASSERT_EQUAL(head, box->head);
      CU_ASSERT_EQUAL(base, box->base);
    }
  }
}

static void test_widths_are_conserved_on_random_profiles(void) {
  static const enum flame_width hows[] = {FLAME_HEAD, FLAME_BASE, FLAME_MAX, FLAME_SUM};
  for (uint64_t seed = 1; seed <= 12; seed++) {
    pprofc_profile *profile = random_profile(seed, seed % 2);
    struct graph g;
    build(&g, profile);
    check_tree(&g.tree);
    for (size_t i = 0; i < 4; i++)
      for (int coarse = 0; coarse < 2; coarse++) {
        struct flame_boxes boxes;
        CU_ASSERT_EQUAL(flame_place(&g.tree, 0, hows[i], coarse ? 0.01 : 0, &boxes, NULL),
                        PPROFC_OK);
        check_boxes(&g.tree, &boxes, hows[i]);
      }
    destroy(&g);
    pprofc_profile_release(profile);
  }
}

static void test_siblings_stand_by_value_and_in_a_diff_by_name(void) {
  pprofc_profile *profile;
  pprofc_builder *b = pprofc_builder_new(NULL);
  pprofc_builder_type(b, "n", "count");
  uint32_t a = pprofc_builder_frame(b, "a", "", 0), z = pprofc_builder_frame(b, "z", "", 0);
  int64_t one = 1, nine = 9;
  pprofc_builder_sample(b, &a, 1, &one);
  pprofc_builder_sample(b, &z, 1, &nine);
  CU_ASSERT_EQUAL_FATAL(pprofc_builder_finish(b, &profile, NULL), PPROFC_OK);
  pprofc_builder_free(b);
  struct graph g;
  struct flame_boxes boxes;
  build(&g, profile);
  CU_ASSERT_EQUAL(flame_place(&g.tree, 0, FLAME_HEAD, 0, &boxes, NULL), PPROFC_OK);
  CU_ASSERT_EQUAL(boxes.items[1].width, 9);
  destroy(&g);
  pprofc_profile *diff;
  CU_ASSERT_EQUAL_FATAL(pprofc_diff(profile, profile, PPROFC_COMPARE, false, &diff, NULL),
                        PPROFC_OK);
  build(&g, diff);
  CU_ASSERT_EQUAL(flame_place(&g.tree, 0, FLAME_MAX, 0, &boxes, NULL), PPROFC_OK);
  CU_ASSERT_EQUAL(boxes.items[1].width, 1);
  CU_ASSERT_EQUAL(flame_status(boxes.items[1].head, boxes.items[1].base), FLAME_UNCHANGED);
  destroy(&g);
  pprofc_profile_release(diff);
  pprofc_profile_release(profile);
}

/* Reversed, every total is conserved, and the children of the root are the functions that spend. */
static void test_reversed_trees_begin_at_the_leaf(void) {
  for (uint64_t seed = 1; seed <= 4; seed++) {
    pprofc_profile *profile = random_profile(seed, seed % 2);
    struct graph g, reversed;
    build(&g, profile);
    build_turned(&reversed, profile, true);
    check_tree(&reversed.tree);
    CU_ASSERT_EQUAL(flame_head(&reversed.tree, 0, 0), flame_head(&g.tree, 0, 0));
    CU_ASSERT_EQUAL(flame_base(&reversed.tree, 0, 0), flame_base(&g.tree, 0, 0));
    const struct flame_tree *t = &reversed.tree;
    for (uint32_t child = 1; child < t->count; child = t->end[child]) {
      int64_t self = 0;
      for (size_t i = 1; i < g.tree.count; i++)
        if (g.tree.frame[i] == t->frame[child]) self += flame_self_head(&g.tree, i, 0);
      CU_ASSERT_EQUAL(flame_head(t, child, 0), self);
    }
    destroy(&reversed);
    destroy(&g);
    pprofc_profile_release(profile);
  }
}

/* main calls a and b; the sum of their values does not fit int64. */
static pprofc_profile *profile_that_overflows(void) {
  pprofc_builder *b = pprofc_builder_new(NULL);
  pprofc_builder_type(b, "cpu", "nanoseconds");
  uint32_t root = pprofc_builder_frame(b, "main", "f.c", 1);
  uint32_t a[] = {pprofc_builder_frame(b, "a", "f.c", 1), root};
  uint32_t other[] = {pprofc_builder_frame(b, "b", "f.c", 1), root};
  pprofc_builder_sample(b, a, 2, (int64_t[]){INT64_MAX});
  pprofc_builder_sample(b, other, 2, (int64_t[]){2});
  pprofc_profile *profile = NULL;
  CU_ASSERT_EQUAL_FATAL(pprofc_builder_finish(b, &profile, NULL), PPROFC_OK);
  pprofc_builder_free(b);
  return profile;
}

static void test_sums_wrap_in_flame_graphs_as_in_call_graphs(void) {
  CU_ASSERT_EQUAL(sum_add(INT64_MAX, 1), INT64_MIN);
  CU_ASSERT_EQUAL(sum_add(INT64_MIN, -1), INT64_MAX);
  CU_ASSERT_EQUAL(sum_subtract(INT64_MIN, 1), INT64_MAX);
  CU_ASSERT_EQUAL(sum_subtract(0, INT64_MIN), INT64_MIN);
  pprofc_profile *profile = profile_that_overflows();
  struct graph flame;
  build(&flame, profile);
  CU_ASSERT_EQUAL(flame_head(&flame.tree, 0, 0), INT64_MIN + 1);
  destroy(&flame);
  /* -top prints a double, which has no more than 53 bits. */
  const char *const formats[] = {"top", "json", "folded"};
  const char *const sums[] = {"-9223372036854775808ns   100%  main", "-9223372036854775807",
                              "main;a 9223372036854775807"};
  for (size_t i = 0; i < 3; i++) {
    pprofc_report_options options = report_options(formats[i]);
    options.unit = "ns";
    expect_in_report(profile, &options, sums[i], true);
  }
  pprofc_profile_release(profile);
}

UNIT_MAIN("flame", UNIT(test_widths_are_conserved_on_random_profiles),
          UNIT(test_siblings_stand_by_value_and_in_a_diff_by_name),
          UNIT(test_reversed_trees_begin_at_the_leaf),
          UNIT(test_sums_wrap_in_flame_graphs_as_in_call_graphs))
