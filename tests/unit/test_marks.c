/* Compares two methods for the marks of inlined calls: without all edges, and from all edges. */
#include "counting.h"
#include "graph/graph.h"
#include "pprofc/builder.h"
#include "profile_text.h"
#include "unit.h"

#define FUNCTIONS 600
#define LOCATIONS 3000
#define DEPTH     12

/* Parameters of a profile. It has many functions, which makes the code use counters in addition to
 * edges. */
struct kind {
  const char *name;
  uint32_t samples, recursion; /* recursion: one in this many frames is one of a few functions; 0:
                                  no such frames */
  bool negative, common_callers, huge;
};

static void add_locations(pprofc_builder *b, uint64_t *seed, uint32_t *locations) {
  for (uint32_t i = 0; i < FUNCTIONS; i++) {
    char name[16];
    snprintf(name, sizeof name, "f%u", i);
    pprofc_builder_function(b, name, NULL, "f.c", 1);
  }
  for (uint32_t i = 0; i < LOCATIONS; i++) {
    pprofc_line lines[6];
    size_t count = unit_random(seed) % 3 ? 1 : 2 + unit_random(seed) % 5;
    for (size_t k = 0; k < count; k++)
      lines[k] = (pprofc_line){unit_random(seed) % FUNCTIONS, 1, 0};
    locations[i] = pprofc_builder_location(b, PPROFC_NONE, 4096 + i, lines, count);
  }
}

static int64_t marks_value(const struct kind *kind, uint64_t *seed) {
  int64_t value = unit_random(seed) % 20;
  if (kind->huge) value *= INT64_MAX / 64;
  return kind->negative && unit_random(seed) % 3 == 0 ? -value : value;
}

static pprofc_profile *marks_profile_in(const pprofc_allocator *mem, const struct kind *kind,
                                        uint64_t seed) {
  static uint32_t locations[LOCATIONS];
  pprofc_builder *b = pprofc_builder_new(mem);
  pprofc_builder_type(b, "samples", "count");
  pprofc_builder_type(b, "cpu", "nanoseconds");
  add_locations(b, &seed, locations);
  uint32_t frames[DEPTH] = {0};
  for (uint32_t i = 0; i < kind->samples; i++) {
    size_t fresh = kind->common_callers && i % 50 ? 1 + unit_random(&seed) % 6 : DEPTH;
    for (size_t k = 0; k < fresh; k++) {
      bool again = kind->recursion && unit_random(&seed) % kind->recursion == 0;
      frames[k] = locations[unit_random(&seed) % (again ? 7 : LOCATIONS)];
    }
    int64_t value = marks_value(kind, &seed);
    pprofc_builder_sample(b, frames, DEPTH, (int64_t[]){value ? 1 + value % 3 : 0, value});
  }
  return finish(b);
}

static pprofc_profile *marks_profile(const struct kind *kind, uint64_t seed) {
  return marks_profile_in(NULL, kind, seed);
}

/* Sets the marks of the nodes from the edges of a graph. */
static void mark_by_edges(const struct graph *g, enum inline_mark *marks) {
  static bool is_inline[FUNCTIONS], is_plain[FUNCTIONS];
  for (size_t i = 0; i < FUNCTIONS; i++) is_inline[i] = is_plain[i] = false;
  for (size_t i = 0; i < g->edge_count; i++) {
    const struct graph_edge *e = &g->edges[i];
    if (e->dead) continue;
    is_inline[e->target] |= e->is_inline;
    is_plain[e->target] |= !e->is_inline;
  }
  for (size_t i = 0; i < FUNCTIONS; i++) {
    marks[i] = is_inline[i] ? MARK_INLINE : MARK_NONE;
    if (is_inline[i] && is_plain[i]) marks[i] = MARK_PARTIAL;
  }
}

/* Compares all marks. Returns their number. */
static size_t compare_marks(const pprofc_profile *profile, struct graph_options options) {
  static const struct granularity functions = {.function = true, .inlines = true};
  options.frames.granularity = &functions;
  struct graph marked, whole;
  options.want_inline_marks = true;
  CU_ASSERT_EQUAL_FATAL(graph_build(&marked, profile, &options, NULL), PPROFC_OK);
  options.want_inline_marks = false;
  options.want_edges = true;
  CU_ASSERT_EQUAL_FATAL(graph_build(&whole, profile, &options, NULL), PPROFC_OK);
  CU_ASSERT_EQUAL_FATAL(marked.shown_count, whole.shown_count);
  enum inline_mark expected[FUNCTIONS];
  mark_by_edges(&whole, expected);
  size_t wrong = 0, marks = 0;
  for (size_t i = 0; i < whole.shown_count; i++) {
    uint32_t node = whole.shown[i];
    wrong += marked.marks[node] != expected[node];
    marks += expected[node] != MARK_NONE;
  }
  CU_ASSERT_EQUAL(wrong, 0);
  graph_free(&marked);
  graph_free(&whole);
  return marks;
}

static const struct kind kinds[] = {
    {"random", 500, 0, false, false, false},
    {"two workers", 16400, 0, false, false, false},
    {"recursive", 500, 9, false, false, false},
    {"with common callers", 1000, 5, false, true, false},
    {"negative", 500, 0, true, false, false},
    {"negative, recursive, with common callers", 1000, 5, true, true, false},
    {"sums that wrap around", 500, 9, true, false, true},
};

TEST(test_marks_are_those_of_all_edges) {
  static const struct {
    double nodes, edges;
  } fractions[] = {{0, 0}, {0, 0.0002}, {0, 0.001}, {0.005, 0.001}, {0.06, 0.003}, {0.08, 0.001}};
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    pprofc_profile *profile = marks_profile(&kinds[k], 1 + k);
    size_t marks = 0;
    size_t step = kinds[k].samples > 1000 ? 3 : 1;
    for (size_t i = 0; i < sizeof fractions / sizeof *fractions; i += step) {
      struct graph_options options = {.value_index = 1,
                                      .nodefraction = fractions[i].nodes,
                                      .edgefraction = fractions[i].edges,
                                      .nodecount = i % 3 == 2 ? 400 : 0,
                                      .threads = 2};
      marks += compare_marks(profile, options);
    }
    if (!marks) printf("\n%s: no marks\n", kinds[k].name);
    CU_ASSERT(marks > 0);
    pprofc_profile_release(profile);
  }
}

TEST(test_marks_of_means) {
  pprofc_profile *profile = marks_profile(&kinds[2], 77);
  struct graph_options options = {.value_index = 1, .mean = true, .edgefraction = 0.001};
  compare_marks(profile, options);
  pprofc_profile_release(profile);
}
