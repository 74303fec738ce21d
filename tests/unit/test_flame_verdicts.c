/* Tests verdicts in flame graphs: the boxes that are displayed as changed, and the data of the
 * page. */
#include "flame_graph.h"

#include "flame/pack.h"
#include "pprofc/pprofc.h"
#include "report/stacks/flame_verdicts.h"
#include "report_text.h"

#include <zlib.h>

static void check_sums(const struct flame_tree *t) {
  for (size_t i = 0; i < t->count; i++) {
    int64_t head = flame_self_head(t, i, 0);
    for (uint32_t child = (uint32_t)i + 1; child < t->end[i]; child = t->end[child])
      head += flame_head(t, child, 0);
    CU_ASSERT_EQUAL(head, flame_head(t, i, 0));
  }
}

/* Returns one run of the functions `slow` and `same`. `slow` calls a function that is not judged
 * and has the value `value`. */
static pprofc_profile *judged_run(int64_t value, bool negative) {
  pprofc_builder *b = pprofc_builder_new(NULL);
  pprofc_builder_type(b, "instructions", "count");
  uint32_t main = pprofc_builder_frame(b, "main", "m.c", 1);
  uint32_t slow = pprofc_builder_frame(b, "slow", "m.c", 2);
  uint32_t same = pprofc_builder_frame(b, "same", "m.c", 3);
  uint32_t copy = pprofc_builder_frame(b, "runtime.asyncPreempt", "x.c", 4);
  const uint32_t stacks[3][3] = {{copy, slow, main}, {same, main, 0}, {copy, same, main}};
  const size_t depths[] = {3, 2, 3};
  for (size_t i = 0; i < 3; i++) {
    int64_t spent = i == 0 ? value : 1000;
    if (negative) spent = -spent;
    pprofc_builder_sample(b, stacks[i], depths[i], &spent);
    if (negative) pprofc_builder_label(b, "pprof::base", "true");
  }
  return finish(b);
}

struct judged {
  struct graph graph;
  pprofc_profile *difference;
  struct arena arena;
  struct flame_verdicts verdicts;
};

/* Judges two runs per side. In the head, slow has the value `value`. */
static void judge_graph(struct judged *j, int64_t value, bool reverse) {
  pprofc_profile *base = judged_run(1000, false), *head = judged_run(value, false), *both = NULL;
  pprofc_verdict_run runs[] = {
      {.profile = base}, {.profile = base}, {.profile = head}, {.profile = head}};
  pprofc_verdicts *made = NULL;
  pprofc_verdict_options options;
  pprofc_verdict_options_init(&options);
  options.normalize_by = PPROFC_EXPOSURE_NONE;
  options.no_common = true;
  CU_ASSERT_EQUAL_FATAL(pprofc_verdicts_new(runs, 2, runs + 2, 2, &options, &made, NULL),
                        PPROFC_OK);
  CU_ASSERT_EQUAL_FATAL(pprofc_diff(head, base, PPROFC_COMPARE, false, &both, NULL), PPROFC_OK);
  build_turned(&j->graph, both, reverse);
  arena_init(&j->arena, &mem_default);
  CU_ASSERT_EQUAL_FATAL(
      flame_verdicts_make(&j->graph.tree, 0, reverse, made, &j->arena, &j->verdicts, NULL),
      PPROFC_OK);
  pprofc_verdicts_free(made); /* `made` is not needed any more, because its data was copied */
  pprofc_profile_release(base);
  pprofc_profile_release(head);
  j->difference = both;
}

static void judged_free(struct judged *j) {
  arena_free(&j->arena);
  destroy(&j->graph);
  pprofc_profile_release(j->difference);
}

/* True if the node at the end of a path is displayed as changed. */
static bool path_is_real(const struct judged *j, const char *const *path) {
  const struct flame_tree *t = &j->graph.tree;
  uint32_t node = 0;
  for (; *path; path++) {
    uint32_t child = node + 1;
    while (child < t->end[node] &&
           !str_equal(t->frames->items[t->frame[child]].name, str_of(*path)))
      child = t->end[child];
    CU_ASSERT_FATAL(child < t->end[node]);
    node = child;
  }
  return flame_verdict_certainty(&j->verdicts, t, node, flame_head(t, node, 0),
                                 flame_base(t, node, 0)) != FLAME_QUIET;
}

#define PATH(...) ((const char *const[]){__VA_ARGS__, NULL})
#define COPY      "runtime.asyncPreempt"

TEST(test_a_frame_that_was_not_judged_follows_its_caller) {
  struct judged j;
  judge_graph(&j, 3000, false);
  CU_ASSERT_EQUAL(j.verdicts.head_scale, 1);
  CU_ASSERT(path_is_real(&j, PATH("main", "slow")));
  CU_ASSERT_PTR_NULL(flame_verdict_of(&j.verdicts, &j.graph.tree, 0));
  CU_ASSERT(path_is_real(&j, PATH("main", "slow", COPY)));
  CU_ASSERT_FALSE(path_is_real(&j, PATH("main", "same")));
  CU_ASSERT_FALSE(path_is_real(&j, PATH("main", "same", COPY)));
  judged_free(&j);
}

/* In a reversed tree, the parent of a node is its callee. The box must not show a verdict on the
 * callee's time for this caller. */
TEST(test_what_is_above_in_a_reversed_tree_is_no_caller) {
  struct judged j;
  judge_graph(&j, 3000, true);
  CU_ASSERT_FALSE(path_is_real(&j, PATH(COPY)));
  CU_ASSERT(path_is_real(&j, PATH(COPY, "slow")));
  judged_free(&j);
}

/* A path that shrank in a function that grew is not a real change. The opposite is not a real
 * change either. */
TEST(test_a_box_that_went_the_other_way_is_no_change) {
  struct judged j;
  judge_graph(&j, 3000, false);
  const struct flame_tree *t = &j.graph.tree;
  uint32_t slow = 1;
  while (!str_equal(t->frames->items[t->frame[slow]].name, STR("slow"))) slow++;
  CU_ASSERT_EQUAL(flame_verdict_certainty(&j.verdicts, t, slow, 20, 10), FLAME_OWN);
  CU_ASSERT_EQUAL(flame_verdict_certainty(&j.verdicts, t, slow, 10, 20), FLAME_QUIET);
  CU_ASSERT_EQUAL(flame_verdict_certainty(&j.verdicts, t, slow, 10, 10), FLAME_QUIET);
  /* The root has the verdict on the total. */
  CU_ASSERT_EQUAL(flame_verdict_certainty(&j.verdicts, t, 0, 20, 10), FLAME_OWN);
  CU_ASSERT_EQUAL(flame_verdict_certainty(&j.verdicts, t, 0, 10, 20), FLAME_QUIET);
  CU_ASSERT_EQUAL(flame_verdict_certainty(&j.verdicts, t, NONE, 20, 10), FLAME_QUIET);
  judged_free(&j);
}

/* The tree scales each value of the head. Totals must be the sums of the scaled values. */
TEST(test_a_scaled_tree_adds_up) {
  struct judged j;
  struct flame_tree scaled;
  judge_graph(&j, 3000, false);
  j.verdicts.head_scale = 1.0 / 3;
  CU_ASSERT_FATAL(flame_verdict_scale(&j.verdicts, &j.graph.tree, &scaled));
  check_sums(&scaled);
  CU_ASSERT_EQUAL(flame_head(&scaled, 0, 0), 1000 + 333 + 333);
  CU_ASSERT_EQUAL(flame_base(&scaled, 0, 0), 3000);
  CU_ASSERT_EQUAL(flame_head(&j.graph.tree, 0, 0), 5000);
  flame_verdict_scale_free(&scaled);
  judged_free(&j);
}

/* The page gets one verdict for each function, and the factors by which the displayed values are
 * scaled. */
TEST(test_data_have_the_verdicts) {
  struct judged j;
  struct buffer bytes;
  static struct output out;
  static char frames[1 << 16];
  judge_graph(&j, 3000, false);
  struct flame_page page = {
      .tree = &j.graph.tree, .title = STR("t"), .verdicts = &j.verdicts, .unit = STR("count")};
  buffer_init(&bytes, &mem_default, 1 << 20);
  output_init(&out, buffer_write, &bytes);
  CU_ASSERT_EQUAL_FATAL(flame_data(&page, (struct flame_data_range){0}, &out, NULL), PPROFC_OK);
  CU_ASSERT_EQUAL_FATAL(output_flush(&out, NULL), PPROFC_OK);
  const uint8_t *data = (const uint8_t *)bytes.data;
  size_t meta = data[4] | (size_t)data[5] << 8, packed = data[8] | (size_t)data[9] << 8;
  pprofc_str text = {bytes.data + 20, meta};
  CU_ASSERT(
      str_find(text, STR("\"verdicts\":{\"type\":0,\"ratio\":1,\"scale\":1,\"unit\":\"count\"")) <
      meta);
  CU_ASSERT(str_find(text, STR("\"runs\":[2,2],\"sentence\":\"")) < meta);
  uLongf made = sizeof frames;
  CU_ASSERT_EQUAL_FATAL(uncompress((Bytef *)frames, &made, data + 20 + meta, packed), Z_OK);
  pprofc_str sent = {frames, made};
  CU_ASSERT(str_find(sent, STR("\"verdicts\":[[")) < made);
  CU_ASSERT(str_find(sent, STR("[\"grew\",2,1000,2000,")) < made);
  buffer_free(&bytes);
  judged_free(&j);
}
