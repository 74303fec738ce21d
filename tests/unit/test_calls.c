/* Calls of nodes, which are found without a table of edges, against those that the edges give. */
#include "graph/graph.h"
#include "pprofc/builder.h"
#include "unit.h"

#define CALLS_LOCATIONS 400
#define CALLS_DEEPEST   3000

struct calls_kind {
  const char *name;
  uint32_t samples, functions, depth;
  bool negative, common_callers;
};

static uint32_t calls_random(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(*state >> 33);
}

/* Several functions have one name, and a location in three has inlined calls. */
static void calls_add_locations(pprofc_builder *b, const struct calls_kind *kind, uint64_t *seed,
                                uint32_t *locations) {
  for (uint32_t i = 0; i < kind->functions; i++) {
    char name[16], file[16];
    snprintf(name, sizeof name, "f%u", i / 3);
    snprintf(file, sizeof file, "%u.c", i);
    pprofc_builder_function(b, name, NULL, file, 1);
  }
  for (uint32_t i = 0; i < CALLS_LOCATIONS; i++) {
    pprofc_line lines[4];
    size_t count = calls_random(seed) % 3 ? 1 : 2 + calls_random(seed) % 3;
    for (size_t k = 0; k < count; k++)
      lines[k] = (pprofc_line){calls_random(seed) % kind->functions, 1, 0};
    locations[i] = pprofc_builder_location(b, PPROFC_NONE, 4096 + i, lines, count);
  }
}

static pprofc_profile *calls_finished(pprofc_builder *b) {
  pprofc_profile *profile = NULL;
  CU_ASSERT_EQUAL_FATAL(pprofc_builder_finish(b, &profile, NULL), PPROFC_OK);
  pprofc_builder_free(b);
  return profile;
}

static pprofc_profile *calls_profile(const struct calls_kind *kind, uint64_t seed) {
  static uint32_t locations[CALLS_LOCATIONS], frames[CALLS_DEEPEST];
  pprofc_builder *b = pprofc_builder_new(NULL);
  pprofc_builder_type(b, "samples", "count");
  calls_add_locations(b, kind, &seed, locations);
  for (uint32_t i = 0; i < kind->samples; i++) {
    size_t fresh = kind->common_callers && i % 50 ? 1 + calls_random(&seed) % 8 : kind->depth;
    for (size_t k = 0; k < fresh; k++) frames[k] = locations[calls_random(&seed) % CALLS_LOCATIONS];
    int64_t value = calls_random(&seed) % 5;
    if (kind->negative && calls_random(&seed) % 2) value = -value;
    pprofc_builder_sample(b, frames, kind->depth, &value);
  }
  return calls_finished(b);
}

/* Compares lists, and returns whether there were calls in place of edges. */
static bool calls_compare_with_edges(const pprofc_profile *profile, unsigned threads) {
  struct graph_options options = {.want_edges = true, .threads = threads};
  struct graph edges, calls;
  CU_ASSERT_EQUAL_FATAL(graph_build(&edges, profile, &options, NULL), PPROFC_OK);
  options.want_calls = true;
  CU_ASSERT_EQUAL_FATAL(graph_build(&calls, profile, &options, NULL), PPROFC_OK);
  CU_ASSERT_EQUAL_FATAL(calls.node_count, edges.node_count);
  size_t wrong = 0, met = 0;
  for (size_t i = 0; calls.calls && i < edges.node_count; i++) {
    const struct graph_call *list = calls.calls + calls.call_lists[i].from;
    uint32_t count = edges.out_from[i + 1] - edges.out_from[i];
    wrong += calls.call_lists[i].count != count;
    for (uint32_t k = 0; k < count && k < calls.call_lists[i].count; k++, met++) {
      const struct graph_edge *e = &edges.edges[edges.out[edges.out_from[i] + k]];
      wrong += e->target != list[k].target || e->weight != list[k].weight;
    }
  }
  CU_ASSERT_EQUAL(wrong, 0);
  bool made = calls.calls != NULL;
  CU_ASSERT_EQUAL(made ? met : calls.edge_count, edges.edge_count);
  graph_free(&edges);
  graph_free(&calls);
  return made;
}

static void test_calls_are_those_of_the_edges(void) {
  static const struct calls_kind kinds[] = {
      {"random", 2000, 120, 30, false, false},      {"few functions", 500, 4, 30, false, false},
      {"two workers", 20000, 120, 8, false, false}, {"common callers", 5000, 60, 30, false, true},
      {"sums of zero", 2000, 30, 10, true, true},   {"no samples", 0, 30, 10, false, false},
  };
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    pprofc_profile *profile = calls_profile(&kinds[k], 7 + k);
    CU_ASSERT(calls_compare_with_edges(profile, 1));
    CU_ASSERT(calls_compare_with_edges(profile, 2));
    pprofc_profile_release(profile);
  }
}

/* Then no node is shown, and none has a name. */
static void test_calls_of_which_every_sum_is_zero(void) {
  pprofc_builder *b = pprofc_builder_new(NULL);
  pprofc_builder_type(b, "samples", "count");
  uint32_t a = pprofc_builder_frame(b, "a", "", 0), callees[2];
  callees[0] = pprofc_builder_frame(b, "b", "", 0);
  callees[1] = pprofc_builder_frame(b, "c", "", 0);
  for (size_t i = 0; i < 4; i++)
    pprofc_builder_sample(b, (uint32_t[]){callees[i % 2], a}, 2, (int64_t[]){i < 2 ? 1 : -1});
  pprofc_profile *profile = calls_finished(b);
  CU_ASSERT(calls_compare_with_edges(profile, 1));
  pprofc_profile_release(profile);
}

/* Stacks in which every second frame is the same function, called from a different one each time.
 */
static void test_edges_are_made_where_a_search_of_calls_would_take_long(void) {
  static uint32_t frames[CALLS_DEEPEST];
  pprofc_builder *b = pprofc_builder_new(NULL);
  pprofc_builder_type(b, "samples", "count");
  for (uint32_t i = 0; i < CALLS_DEEPEST / 2 + 1; i++) {
    char name[16];
    snprintf(name, sizeof name, "f%u", i);
    pprofc_line line = {pprofc_builder_function(b, name, NULL, "f.c", 1), 1, 0};
    pprofc_builder_location(b, PPROFC_NONE, 4096 + i, &line, 1);
  }
  for (uint32_t i = 0; i < CALLS_DEEPEST; i++) frames[i] = i % 2 ? 0 : 1 + i / 2;
  for (uint32_t i = 0; i < 20; i++) {
    frames[0] = 1 + i;
    frames[CALLS_DEEPEST - 1] = 1 + i;
    pprofc_builder_sample(b, frames, CALLS_DEEPEST, (int64_t[]){1});
  }
  pprofc_profile *profile = calls_finished(b);
  CU_ASSERT(!calls_compare_with_edges(profile, 1));
  pprofc_profile_release(profile);
}

UNIT_MAIN("calls", UNIT(test_calls_are_those_of_the_edges),
          UNIT(test_calls_of_which_every_sum_is_zero),
          UNIT(test_edges_are_made_where_a_search_of_calls_would_take_long))
