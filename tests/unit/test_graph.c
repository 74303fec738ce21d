/* Tests the steps of building a call graph: names, paths, sums, edges, colours. */
#include "graph/graph.h"
#include "profile_text.h"
#include "report/report.h"
#include "unit.h"

static void expect_text(pprofc_str got, const char *expected) {
  pprofc_str wanted = str_of(expected);
  if (!str_equal(got, wanted))
    printf("\nexpected %s, got %.*s\n", expected ? expected : "", (int)got.size,
           got.size ? got.data : "");
  CU_ASSERT(str_equal(got, wanted));
}

/* ---- names ------------------------------------------- */

TEST(test_function_names_are_shortened_as_pprof_does) {
  static const char *const names[][2] = {
      {"github.com/a/b/v3.F", "b.F"},
      {"github.com/a/b/v1.F", "v1.F"},
      {"github.com/a/b/v10/c.F", "c.F"},
      {"github.com/a/b/v01.F", "v01.F"},
      {"gopkg.in/yaml.v2.(*D).x", "yaml.v2.(*D).x"},
      {"java.util.HashMap.put", "HashMap.put"},
      {"com.foo.Bar$1.baz(int)", "Bar$1.baz"},
      {"com.foo.Bar.<init>", "Bar.<init>"},
      {"com.foo.Bar.<init>(int)", "Bar.<init>"},
      {"com.foo.bar", "com.foo.bar"},
      {"ns::sub::Cls::m<int>", "Cls::m<int>"},
      {"ns::Cls::m<a<b> > tail", "Cls::m<a<b> >"},
      {"std::_Vector_base::_M_allocate", "_Vector_base::_M_allocate"},
      {"ns::Foo::operator()", "Foo::operator"},
      {"ns::Foo::~Foo", "Foo::~Foo"},
      {"(anonymous namespace)::x::Foo::bar", "Foo::bar"},
      {"a::b::c", "a::b::c"},
      {"ns::Cls", "ns::Cls"},
      {"ns::Foo<int>::bar", "ns::Foo<int>::bar"},
      {"x/y", "x/y"},
      {"a/b.c/d.F", "d.F"},
      {"a/b/c.d/.e", "c.d/.e"},
      {"a/b.\nc", "a/b.\nc"},
      {"main", "main"},
      {"", ""},
      {".", "."},
      {"/v2.", "."},
      {"a/v2", "a/v2"},
      {"a.b\n/v2.c", "a.b\n/v2.c"},
  };
  struct arena arena;
  arena_init(&arena, &mem_default);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    pprofc_str got = shorten_function_name(str_of(names[i][0]), &arena);
    expect_text(got, names[i][1]);
  }
  arena_free(&arena);
}

/* An algorithm with quadratic time would take minutes. */
TEST(test_a_name_of_a_million_folders_is_shortened) {
  struct buffer name;
  buffer_init(&name, &mem_default, SIZE_MAX);
  for (size_t i = 0; i < 1000000; i++) buffer_add_text(&name, "a/");
  buffer_add_text(&name, "b.c");
  struct arena arena;
  arena_init(&arena, &mem_default);
  expect_text(shorten_function_name(buffer_str(&name), &arena), "b.c");
  arena_free(&arena);
  buffer_free(&name);
}

TEST(test_source_paths_are_trimmed) {
  static const struct {
    const char *path, *trim_path, *source_path, *expected;
  } cases[] = {
      {"/home/u/proj/sub/b.go", "", "/x/proj", "sub/b.go"},
      {"/home/u/proj/sub/b.go", "", "/x/other:/y/u/", "proj/sub/b.go"},
      {"/home/u/proj/sub/b.go", "", "", "/home/u/proj/sub/b.go"},
      {"/home/u/proj/sub/b.go", "/home/u", "/x/proj", "proj/sub/b.go"},
      {"/home/u/proj/sub/b.go", "/nope:/home/", "", "u/proj/sub/b.go"},
      {"/home/user/b.go", "/home/u", "", "/home/user/b.go"},
      {"/home/b.go", ":", "", "home/b.go"},
      {"/proc/self/cwd/./z/b.go", "", "", "z/b.go"},
      {"/proc/self/cwd/z/b.go", "/home", "", "z/b.go"},
      {"/s/", "/s", "", ""},
      {"", "", "/x", ""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    pprofc_str got =
        trim_source_path(str_of(cases[i].path), cases[i].trim_path, cases[i].source_path);
    expect_text(got, cases[i].expected);
  }
}

TEST(test_printed_names) {
  static const struct {
    struct node_place place;
    const char *name, *file, *object, *expected;
  } cases[] = {
      {{.line = 6}, "malloc", "/s/l.c", "", "malloc /s/l.c:6"},
      {{.line = 6, .column = 3}, "malloc", "/s/l.c", "", "malloc /s/l.c:6:3"},
      {{.column = 3}, "malloc", "/s/l.c", "", "malloc /s/l.c"},
      {{.address = 0x1200, .line = 2}, "ainl", "/s/a.h", "", "0000000000001200 ainl /s/a.h:2"},
      {{.line = 0}, "", "", "/lib/libc.so", "[libc.so]"},
      {{.address = 0x77}, "", "", "", "0000000000000077 <unknown>"},
      {{.line = 7}, "foo", "", "", "foo :7"},
      {{.line = 0}, "", "/s/a.h", "/bin/x", "/s/a.h"},
      {{.line = 0}, "foo", "", "/bin/x", "foo"},
      {{.line = 0}, "", "", "", "<unknown>"},
  };
  struct arena arena;
  arena_init(&arena, &mem_default);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    pprofc_str got = frame_name_of(&cases[i].place, str_of(cases[i].name), str_of(cases[i].file),
                                   str_of(cases[i].object), STR(" "), &arena);
    expect_text(got, cases[i].expected);
  }
  arena_free(&arena);
}

/* ---- colours ----------------------------------------- */

TEST(test_colours) {
  static const struct {
    double part, total;
    const char *dark, *light;
  } cases[] = {
      {1, 1, "#b20000", "#edd5d5"},     {50, 70, "#b21100", "#edd7d5"},
      {40, 70, "#b21b00", "#edd9d5"},   {20, 70, "#b23700", NULL},
      {10, 70, "#b26b33", "#ede3dc"},   {10, 112, "#b28b62", "#ede8e2"},
      {0, 70, "#b2b2b2", NULL},         {-20, 110, "#51b210", "#e0edd7"},
      {-10, 110, "#8ab261", "#e7ede2"}, {5, 0, "#b20000", "#edd5d5"},
      {0, 0, "#b20000", "#ed00d5"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    for (int light = 0; light < 2; light++) {
      const char *expected = light ? cases[i].light : cases[i].dark;
      if (!expected) continue;
      struct output out;
      struct buffer text;
      pprofc_error error;
      buffer_init(&text, &mem_default, 100);
      output_init(&out, buffer_write, &text);
      dot_color(&out, cases[i].part / cases[i].total, light);
      CU_ASSERT_EQUAL(output_flush(&out, &error), PPROFC_OK);
      CU_ASSERT(str_equal(buffer_str(&text), str_of(expected)));
      buffer_free(&text);
    }
  }
}

/* ---- sums and edges, compared with a slow method ----- */

#define FUNCTIONS 12
#define SAMPLES   3000
#define DEPTH     9
#define ROOTS     150

/* A profile with one to three functions per location. Consecutive stacks share many, few or no
 * frames. */
struct random_profile {
  pprofc_profile *p;
  uint32_t lines[40][3], line_count[40];
  uint32_t stack[SAMPLES][DEPTH + ROOTS], depth[SAMPLES];
  int64_t value[SAMPLES];
};

static uint32_t random_below(uint64_t *state, uint32_t limit) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)((*state >> 33) % limit);
}

/* Creates stacks that all begin with the same `roots` frames. */
static void fill(struct random_profile *r, uint64_t state, uint32_t roots) {
  pprofc_builder *b = cpu_builder();
  for (uint32_t i = 0; i < FUNCTIONS; i++) {
    char name[8];
    snprintf(name, sizeof name, "f%02u", i);
    pprofc_builder_function(b, name, NULL, NULL, 0);
  }
  for (uint32_t i = 0; i < 40; i++) {
    pprofc_line lines[3];
    r->line_count[i] = 1u + (i % 4 == 0) + (i % 8 == 0);
    for (uint32_t k = 0; k < r->line_count[i]; k++)
      lines[k] = (pprofc_line){r->lines[i][k] = random_below(&state, FUNCTIONS), 0, 0};
    pprofc_builder_location(b, PPROFC_NONE, 0x1000 + i, lines, r->line_count[i]);
  }
  for (size_t i = 0; i < SAMPLES; i++) {
    uint32_t depth = random_below(&state, DEPTH + 1), shared = random_below(&state, depth + 1);
    if (i == 0 || shared > r->depth[i - 1] - roots) shared = 0;
    for (uint32_t k = 0; k < depth - shared; k++) r->stack[i][k] = random_below(&state, 40);
    for (uint32_t k = 0; k < shared; k++)
      r->stack[i][depth - shared + k] = r->stack[i - 1][r->depth[i - 1] - roots - shared + k];
    for (uint32_t k = 0; k < roots; k++) r->stack[i][depth + k] = k % 40;
    depth += roots;
    r->depth[i] = depth;
    r->value[i] = (int64_t)random_below(&state, 7) - 1;
    pprofc_builder_sample(b, r->stack[i], depth, &r->value[i]);
  }
  r->p = finish(b);
}

struct slow_edge {
  int64_t weight;
  bool exists, residual, is_inline;
};

struct slow {
  int64_t flat[FUNCTIONS], cum[FUNCTIONS];
  struct slow_edge edges[FUNCTIONS][FUNCTIONS];
};

/* Computes the sums sample by sample: a function counts once in its total, also if it recurses. */
static void sum_slowly(const struct random_profile *r, const bool *kept, struct slow *s) {
  memset(s, 0, sizeof *s);
  for (size_t i = 0; i < SAMPLES; i++) {
    bool seen[FUNCTIONS] = {false}, seen_edge[FUNCTIONS][FUNCTIONS] = {{false}}, residual = false;
    uint32_t before = NONE;
    if (!r->value[i]) continue;
    for (uint32_t k = r->depth[i]; k-- > 0;) {
      uint32_t location = r->stack[i][k], count = r->line_count[location];
      for (uint32_t l = count; l-- > 0;) {
        uint32_t node = r->lines[location][l];
        if (!kept[node]) {
          residual = true;
          continue;
        }
        if (!seen[node]) s->cum[node] += r->value[i];
        seen[node] = true;
        if (before != NONE && before != node && !seen_edge[before][node]) {
          struct slow_edge *e = &s->edges[before][node];
          e->is_inline = (!e->exists || e->is_inline) && l != count - 1;
          e->residual |= residual;
          e->exists = seen_edge[before][node] = true;
          e->weight += r->value[i];
        }
        before = node;
        residual = false;
      }
    }
    if (before != NONE && !residual) s->flat[before] += r->value[i];
  }
}

static uint32_t function_of(const struct graph *g, uint32_t node) {
  pprofc_str name = g->frames.texts.items[g->frames.infos[node].name];
  return (uint32_t)((name.data[1] - '0') * 10 + (name.data[2] - '0'));
}

static void compare_with_slow(const struct graph *g, const bool *kept, const struct slow *s) {
  for (uint32_t i = 0; i < g->node_count; i++) {
    uint32_t function = function_of(g, i);
    if (!kept[function]) continue;
    CU_ASSERT_EQUAL(g->nodes[i].flat, s->flat[function]);
    CU_ASSERT_EQUAL(g->nodes[i].cum, s->cum[function]);
  }
  size_t expected = 0;
  for (size_t i = 0; i < FUNCTIONS; i++)
    for (size_t k = 0; k < FUNCTIONS; k++) expected += s->edges[i][k].exists;
  CU_ASSERT_EQUAL(g->edge_count, expected);
  for (size_t i = 0; i < g->edge_count; i++) {
    const struct graph_edge *e = &g->edges[i];
    const struct slow_edge *slow = &s->edges[function_of(g, e->source)][function_of(g, e->target)];
    CU_ASSERT_EQUAL(e->weight, slow->weight);
    CU_ASSERT_EQUAL(e->is_inline, slow->is_inline);
    CU_ASSERT_EQUAL(e->residual, slow->residual);
  }
}

TEST(test_sums_and_edges_are_those_of_the_definition) {
  static struct random_profile r;
  static struct slow slow;
  pprofc_error error;
  for (uint64_t seed = 1; seed < 12; seed++) {
    fill(&r, seed, 0);
    /* Locations have no addresses, as in the profiles that reports by function use. */
    uint64_t no_address[40] = {0};
    r.p->locations.address = no_address;
    struct graph_options options = {.want_edges = true, .threads = 1};
    struct graph g;
    CU_ASSERT_EQUAL_FATAL(graph_build(&g, r.p, &options, &error), PPROFC_OK);
    bool kept[FUNCTIONS];
    for (size_t i = 0; i < FUNCTIONS; i++) kept[i] = true;
    sum_slowly(&r, kept, &slow);
    compare_with_slow(&g, kept, &slow);

    uint8_t kept_nodes[FUNCTIONS];
    for (uint32_t i = 0; i < g.node_count; i++)
      kept_nodes[i] = kept[function_of(&g, i)] = (seed + function_of(&g, i)) % 3 != 0;
    CU_ASSERT_EQUAL(graph_find_edges(&g, &(struct edge_choice){kept_nodes, NULL, NULL}, &error),
                    PPROFC_OK);
    sum_slowly(&r, kept, &slow);
    for (size_t i = 0; i < FUNCTIONS; i++)
      slow.flat[i] = 0; /* the graph has all nodes, also
                           without self values */
    for (uint32_t i = 0; i < g.node_count; i++) g.nodes[i].flat = 0;
    compare_with_slow(&g, kept, &slow);
    graph_free(&g);
    pprofc_profile_release(r.p);
  }
}

/* ---- marks of inlined calls -------------------------- */

static unsigned mark_slowly(const struct slow *s, uint32_t function, int64_t cutoff) {
  bool has_inline = false, has_plain = false;
  for (size_t i = 0; i < FUNCTIONS; i++) {
    const struct slow_edge *e = &s->edges[i][function];
    if (!e->exists || number_abs(e->weight) < cutoff) continue;
    has_inline |= e->is_inline;
    has_plain |= !e->is_inline;
  }
  if (!has_inline) return MARK_NONE;
  return has_plain ? MARK_PARTIAL : MARK_INLINE;
}

static void compare_marks(const struct random_profile *r, const struct graph_options *options) {
  static struct slow slow;
  struct graph g;
  pprofc_error error;
  CU_ASSERT_EQUAL_FATAL(graph_build(&g, r->p, options, &error), PPROFC_OK);
  bool kept[FUNCTIONS] = {false};
  for (size_t i = 0; i < g.shown_count; i++) kept[function_of(&g, g.shown[i])] = true;
  sum_slowly(r, kept, &slow);
  for (size_t i = 0; i < g.shown_count; i++) {
    uint32_t function = function_of(&g, g.shown[i]);
    CU_ASSERT_EQUAL(g.marks[g.shown[i]], mark_slowly(&slow, function, g.edge_cutoff));
  }
  graph_free(&g);
}

/* Compares the marks with their definition, for short and long stacks. */
TEST(test_marks_are_those_of_the_definition) {
  static struct random_profile r;
  const double fractions[] = {0.01, 0.03, 0.08, 0.2};
  for (unsigned k = 0; k < 24; k++) {
    fill(&r, k / 2 + 1, k % 2 ? ROOTS : 0);
    uint64_t no_address[40] = {0};
    r.p->locations.address = no_address;
    struct graph_options options = {.want_inline_marks = true,
                                    .nodefraction = k % 3 ? 0.4 : 0,
                                    .edgefraction = fractions[k / 2 % 4],
                                    .threads = 1};
    compare_marks(&r, &options);
    pprofc_profile_release(r.p);
  }
}

TEST(test_flat_of_kept_nodes_does_not_depend_on_what_is_kept) {
  static struct random_profile r;
  static struct slow all, some;
  fill(&r, 99, 0);
  bool kept[FUNCTIONS];
  for (size_t i = 0; i < FUNCTIONS; i++) kept[i] = true;
  sum_slowly(&r, kept, &all);
  for (size_t i = 0; i < FUNCTIONS; i++) kept[i] = i % 2;
  sum_slowly(&r, kept, &some);
  for (size_t i = 1; i < FUNCTIONS; i += 2) {
    CU_ASSERT_EQUAL(all.flat[i], some.flat[i]);
    CU_ASSERT_EQUAL(all.cum[i], some.cum[i]);
  }
  pprofc_profile_release(r.p);
}
