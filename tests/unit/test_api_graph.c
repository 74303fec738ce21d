/* Tests the call graph as data. Its rows must be the rows of the report "top", and its edges must
 * be the edges of "tree". */
#include "failing.h"
#include "pprofc/graph.h"
#include "report_text.h"
#include "unit.h"

static pprofc_error error;

static pprofc_graph *graph_of(const pprofc_profile *p, const pprofc_report_options *options) {
  pprofc_graph *graph = NULL;
  CU_ASSERT_EQUAL_FATAL(pprofc_graph_new(p, options, &graph, &error), PPROFC_OK);
  return graph;
}

/* Returns a profile in which main calls a and b, and a calls b. */
static pprofc_profile *small_profile(void) {
  pprofc_builder *b = cpu_builder();
  sample(b, "b a main", 40, 0);
  sample(b, "a main", 30, 0);
  sample(b, "b main", 20, 0);
  sample(b, "main", 9, 0);
  sample(b, "rare main", 1, 0);
  return finish(b);
}

static bool node_is(const pprofc_graph_node *n, const char *name, int64_t flat, int64_t cum) {
  return str_equal(n->name, str_of(name)) && str_equal(n->function, str_of(name)) &&
         n->flat == flat && n->cum == cum;
}

static bool edge_is(const pprofc_graph *graph, size_t edge, const char *source, const char *target,
                    int64_t weight) {
  size_t nodes, edges;
  const pprofc_graph_node *n = pprofc_graph_nodes(graph, &nodes);
  const pprofc_graph_edge *e = pprofc_graph_edges(graph, &edges);
  return edge < edges && e[edge].source < nodes && e[edge].target < nodes &&
         str_equal(n[e[edge].source].name, str_of(source)) &&
         str_equal(n[e[edge].target].name, str_of(target)) && e[edge].weight == weight;
}

TEST(test_nodes_edges_and_totals) {
  pprofc_profile *p = small_profile();
  pprofc_graph *graph = graph_of(p, NULL);
  pprofc_profile_release(p); /* the graph has copies of the profile's data */
  size_t count;
  const pprofc_graph_node *n = pprofc_graph_nodes(graph, &count);
  CU_ASSERT_EQUAL_FATAL(count, 4);
  CU_ASSERT(node_is(&n[0], "b", 60, 60));
  CU_ASSERT(node_is(&n[1], "a", 30, 70));
  CU_ASSERT(node_is(&n[2], "main", 9, 100));
  CU_ASSERT(node_is(&n[3], "rare", 1, 1));
  (void)pprofc_graph_edges(graph, &count);
  CU_ASSERT_EQUAL(count, 4);
  CU_ASSERT(edge_is(graph, 0, "main", "a", 70));
  CU_ASSERT(edge_is(graph, 1, "a", "b", 40));
  CU_ASSERT(edge_is(graph, 2, "main", "b", 20));
  pprofc_graph_totals t = pprofc_graph_totals_of(graph);
  CU_ASSERT(str_equal(t.type, STR("cpu")) && str_equal(t.unit, STR("nanoseconds")));
  CU_ASSERT(t.total == 100 && t.shown == 100 && t.nodes_before == 4 && t.dropped_nodes == 0);
  pprofc_graph_free(graph);
  pprofc_graph_free(NULL);
}

/* Function a moves cost from b to c. The change cancels in a, which then has no row. */
TEST(test_edges_lead_from_row_to_row) {
  pprofc_builder *builder = cpu_builder();
  sample(builder, "b a main", -50, 0);
  sample(builder, "c a main", 50, 0);
  sample(builder, "d c", 7, 0);
  pprofc_profile *p = finish(builder);
  pprofc_report_options options = report_options("top");
  options.nodefraction = options.edgefraction = 0;
  pprofc_graph *graph = graph_of(p, &options);
  size_t nodes, edges;
  (void)pprofc_graph_nodes(graph, &nodes);
  (void)pprofc_graph_edges(graph, &edges);
  CU_ASSERT_EQUAL(nodes, 3);
  CU_ASSERT_EQUAL(edges, 1);
  CU_ASSERT(edge_is(graph, 0, "c", "d", 7));
  pprofc_graph_free(graph);
  pprofc_profile_release(p);
}

TEST(test_options_apply) {
  pprofc_profile *p = small_profile();
  pprofc_report_options options = report_options("top");
  size_t count;
  options.sort = "cum";
  options.nodefraction = 0.05;
  options.nodecount = 2;
  options.divide_by = 10;
  pprofc_graph *graph = graph_of(p, &options);
  const pprofc_graph_node *n = pprofc_graph_nodes(graph, &count);
  pprofc_graph_totals t = pprofc_graph_totals_of(graph);
  CU_ASSERT_EQUAL_FATAL(count, 2);
  CU_ASSERT(node_is(&n[0], "main", 0, 10) && node_is(&n[1], "a", 3, 7));
  CU_ASSERT(t.total == 10 && t.shown == 3 && t.nodes_before == 3 && t.dropped_nodes == 1);
  pprofc_graph_free(graph);
  options.trim = false;
  graph = graph_of(p, &options);
  (void)pprofc_graph_nodes(graph, &count);
  CU_ASSERT_EQUAL(count, 4);
  pprofc_graph_free(graph);
  pprofc_profile_release(p);
}

/* An edge that replaces a path through removed nodes is marked as residual. */
TEST(test_residual_edges) {
  pprofc_builder *b = cpu_builder();
  sample(b, "leaf thin main", 3, 0);
  for (int i = 0; i < 40; i++) sample(b, i % 2 ? "leaf main" : "main", 100, 0);
  pprofc_profile *p = finish(b);
  size_t count;
  pprofc_graph *graph = graph_of(p, NULL);
  (void)pprofc_graph_nodes(graph, &count);
  CU_ASSERT_EQUAL(count, 2);
  const pprofc_graph_edge *e = pprofc_graph_edges(graph, &count);
  CU_ASSERT_EQUAL_FATAL(count, 1);
  CU_ASSERT(e[0].weight == 2003 && e[0].residual && !e[0].inlined);
  pprofc_graph_free(graph);
  pprofc_profile_release(p);
}

TEST(test_files_and_lines) {
  pprofc_builder *b = cpu_builder();
  uint32_t stack[] = {pprofc_builder_frame(b, "f", "/src/a.c", 7)};
  int64_t value = 5;
  pprofc_builder_sample(b, stack, 1, &value);
  pprofc_profile *p = finish(b);
  pprofc_report_options options = report_options("top");
  size_t count;
  options.granularity = "lines";
  options.trim_path = "/src";
  pprofc_graph *graph = graph_of(p, &options);
  const pprofc_graph_node *n = pprofc_graph_nodes(graph, &count);
  CU_ASSERT_EQUAL_FATAL(count, 1);
  CU_ASSERT(str_equal(n->name, STR("f a.c:7")) && str_equal(n->function, STR("f")));
  CU_ASSERT(str_equal(n->file, STR("a.c")) && n->line == 7 && n->address == 0);
  pprofc_graph_free(graph);
  pprofc_profile_release(p);
}

/* Returns the inline mark of a line of -top: "(inline)" or "(partial-inline)". */
static pprofc_graph_inlined mark_of(pprofc_str *line) {
  static const char *const marks[] = {
      [PPROFC_GRAPH_INLINED] = " (inline)", [PPROFC_GRAPH_PARTLY_INLINED] = " (partial-inline)"};
  for (int i = PPROFC_GRAPH_INLINED; i <= PPROFC_GRAPH_PARTLY_INLINED; i++)
    if (str_ends(*line, str_of(marks[i]))) {
      line->size -= strlen(marks[i]);
      return (pprofc_graph_inlined)i;
    }
  return PPROFC_GRAPH_NOT_INLINED;
}

/* Compares the rows with the lines of -top, which end with the names of the nodes. */
static void expect_rows_of_top(const char *path, const pprofc_report_options *options) {
  pprofc_profile *p = NULL;
  struct buffer text;
  size_t count, i = 0;
  CU_ASSERT_EQUAL_FATAL(pprofc_profile_read_file(path, NULL, &p, &error), PPROFC_OK);
  pprofc_graph *graph = graph_of(p, options);
  const pprofc_graph_node *n = pprofc_graph_nodes(graph, &count);
  buffer_init(&text, &mem_default, 1 << 24);
  report_into(&text, p, options);
  pprofc_str rest = {text.data, text.size - 1}, line;
  while (str_next_line(&rest, &line) && !str_starts(line, STR("      flat")))
    ;
  for (; str_next_line(&rest, &line) && line.size; i++) {
    pprofc_graph_inlined mark = mark_of(&line);
    CU_ASSERT_FATAL(i < count);
    CU_ASSERT(str_ends(line, n[i].name) && mark == n[i].inlined);
  }
  CU_ASSERT_EQUAL(i, count);
  CU_ASSERT(count > 3);
  buffer_free(&text);
  pprofc_graph_free(graph);
  pprofc_profile_release(p);
}

TEST(test_rows_are_those_of_top) {
  static const char *const files[] = {TESTDATA "/generator_cpu.prof", TESTDATA "/server_cpu.pb.gz",
                                      TESTDATA "/server_heap.pb.gz"};
  static const char *const granularities[] = {"", "files", "lines", "addresses"};
  for (size_t i = 0; i < 12; i++) {
    pprofc_report_options options = report_options("top");
    options.granularity = granularities[i % 4];
    options.sort = i % 2 ? "cum" : "flat";
    expect_rows_of_top(files[i / 4], &options);
  }
}

TEST(test_options_without_meaning) {
  pprofc_profile *p = small_profile();
  pprofc_graph *graph = NULL;
  pprofc_report_options options = report_options("top");
  options.sort = "name";
  CU_ASSERT_EQUAL(pprofc_graph_new(p, &options, &graph, &error), PPROFC_E_INVALID);
  CU_ASSERT_STRING_EQUAL(error.message, "invalid \"sort\" value \"name\"");
  options.struct_size = 0;
  CU_ASSERT_EQUAL(pprofc_graph_new(p, &options, &graph, &error), PPROFC_E_INVALID);
  CU_ASSERT_PTR_NULL(graph);
  pprofc_profile_release(p);
}

TEST(test_a_profile_without_samples) {
  pprofc_profile *p = finish(cpu_builder());
  size_t count = 9;
  pprofc_graph *graph = graph_of(p, NULL);
  (void)pprofc_graph_nodes(graph, &count);
  CU_ASSERT_EQUAL(count, 0);
  (void)pprofc_graph_edges(graph, &count);
  CU_ASSERT_EQUAL(count, 0);
  CU_ASSERT_EQUAL(pprofc_graph_totals_of(graph).total, 0);
  pprofc_graph_free(graph);
  pprofc_profile_release(p);
}

static pprofc_status make_graph(struct faults *faults, const pprofc_allocator *mem) {
  pprofc_builder *b = pprofc_builder_new(mem);
  pprofc_builder_type(b, "cpu", "nanoseconds");
  sample(b, "b a main", 40, 0);
  sample(b, "a main", 30, 0);
  pprofc_profile *p = finish(b);
  pprofc_report_options options = report_options("top");
  pprofc_graph *graph = NULL;
  options.unit = "ms";
  failing_arm(faults);
  pprofc_status status = pprofc_graph_new(p, &options, &graph, &error);
  CU_ASSERT_EQUAL(status == PPROFC_OK, graph != NULL);
  pprofc_profile_release(p);
  pprofc_graph_free(graph);
  return status;
}

TEST(test_an_allocation_that_fails_is_an_error) {
  CU_ASSERT(failing_each(make_graph) > 10);
}
