/* Tests trees with more nodes than a page can show: the nodes that are merged, and the totals,
 * which must not change. */
#include "pprofc/builder.h"
#include "profile_text.h"
#include "stacks/layout.h"
#include "unit.h"

#define NARROW_NAMES 12

/* Returns random stacks. With `difference`, a third of the samples belongs to a base, with values
 * of both signs. */
static pprofc_profile *narrow_profile(bool difference, uint64_t seed) {
  pprofc_builder *b = pprofc_builder_new(NULL);
  uint32_t names[NARROW_NAMES], frames[12];
  pprofc_builder_type(b, "samples", "count");
  pprofc_builder_type(b, "cpu", "nanoseconds");
  for (uint32_t i = 0; i < NARROW_NAMES; i++)
    names[i] = pprofc_builder_frame(b, (char[]){(char)('a' + i), 0}, "f.c", 0);
  for (uint32_t i = 0; i < 3000; i++) {
    uint32_t depth = unit_random(&seed) % 12;
    for (uint32_t k = 0; k < depth; k++) frames[k] = names[unit_random(&seed) % NARROW_NAMES];
    int64_t value = 1 + unit_random(&seed) % 9;
    bool base = difference && unit_random(&seed) % 3 == 0;
    pprofc_builder_sample(b, frames, depth, (int64_t[]){base ? -1 : 1, base ? -value : value});
    if (base) pprofc_builder_label(b, "pprof::base", "true");
  }
  return finish(b);
}

static struct flame_graph narrow_graph(const pprofc_profile *profile, bool reverse, size_t most) {
  struct flame_graph_options options = {.reverse = reverse, .most_nodes = most};
  CU_ASSERT_FATAL(granularity_parse("addresses", false, false, &options.granularity));
  struct flame_graph graph;
  CU_ASSERT_EQUAL_FATAL(flame_graph_build(profile, &options, &mem_default, &graph, NULL),
                        PPROFC_OK);
  return graph;
}

static bool narrow_is_folded(const struct flame_tree *t, uint32_t node) {
  return node && str_starts(t->frames->items[t->frame[node]].name, STR(FLAME_FOLDED));
}

static uint32_t narrow_child(const struct flame_tree *t, uint32_t parent, uint32_t frame) {
  uint32_t i = parent + 1;
  while (i < t->end[parent] && t->frame[i] != frame) i = t->end[i];
  return i < t->end[parent] ? i : NONE;
}

/* Compares each node of the reduced tree with the same node of the whole tree. Returns the number
 * of nodes. */
static size_t narrow_compare(const struct flame_tree *narrow, const struct flame_tree *whole) {
  static uint32_t same[1 << 16];
  size_t real = 0, wrong = 0;
  CU_ASSERT_FATAL(narrow->count < sizeof same / sizeof *same);
  for (uint32_t i = 0; i < narrow->count; i++) {
    if (narrow_is_folded(narrow, i)) {
      wrong += narrow->end[i] != narrow->end[narrow->parent[i]]; /* a node of merged nodes must be
                                                                    the last child */
      continue;
    }
    same[i] = i ? narrow_child(whole, same[narrow->parent[i]], narrow->frame[i]) : 0;
    CU_ASSERT_FATAL(same[i] != NONE);
    for (size_t c = 0; c < whole->columns; c++) {
      wrong += narrow->total[i * whole->columns + c] != whole->total[same[i] * whole->columns + c];
      wrong += narrow->self[i * whole->columns + c] != whole->self[same[i] * whole->columns + c];
    }
    wrong += narrow->depth[i] != whole->depth[same[i]];
    real++;
  }
  CU_ASSERT_EQUAL(wrong, 0);
  return real;
}

/* Checks that the tree has exactly the nodes that are wide enough. */
static void narrow_check_bound(const struct flame_tree *t) {
  size_t wrong = 0;
  for (uint32_t i = 1; i < t->count; i++) {
    bool wide = false;
    for (size_t c = 0; c < t->columns; c++) {
      double whole = (double)t->total[c], part = (double)t->total[i * t->columns + c];
      wide = wide || (whole > 0 && part / whole >= t->least);
    }
    wrong += !narrow_is_folded(t, i) && !wide;
  }
  CU_ASSERT_EQUAL(wrong, 0);
}

TEST(test_totals_stay_when_nodes_are_folded) {
  for (unsigned kind = 0; kind < 4; kind++) {
    pprofc_profile *profile = narrow_profile(kind & 1, 3 + kind);
    struct flame_graph whole = narrow_graph(profile, kind & 2, 0);
    CU_ASSERT_EQUAL(whole.tree.folded, 0);
    for (size_t most = 4; most < whole.tree.count; most *= 3) {
      struct flame_graph narrow = narrow_graph(profile, kind & 2, most);
      size_t real = narrow_compare(&narrow.tree, &whole.tree);
      CU_ASSERT(real <= most / 4 + 1);
      CU_ASSERT_EQUAL(real + narrow.tree.folded, whole.tree.count);
      narrow_check_bound(&narrow.tree);
      flame_graph_free(&narrow);
    }
    struct flame_graph all = narrow_graph(profile, kind & 2, whole.tree.count);
    CU_ASSERT_EQUAL(all.tree.count, whole.tree.count);
    CU_ASSERT_EQUAL(all.tree.folded, 0);
    flame_graph_free(&all);
    flame_graph_free(&whole);
    pprofc_profile_release(profile);
  }
}
