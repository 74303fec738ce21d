/* Tests the report pipeline without a report: its options, and the edited profile, values and graph
 * that it returns. */
#include "pipeline/pipeline.h"
#include "profile_text.h"
#include "report/report.h"
#include "unit.h"

/* Returns a profile in which main calls A and B, and B calls C. */
static pprofc_profile *calls(void) {
  pprofc_builder *b = pprofc_builder_new(NULL);
  pprofc_builder_type(b, "samples", "count");
  pprofc_builder_type(b, "cpu", "nanoseconds");
  sample(b, "A main", 1, 10000000);
  pprofc_builder_label(b, "key", "v1");
  sample(b, "B main", 1, 20000000);
  sample(b, "C B main", 2, 40000000);
  pprofc_builder_label(b, "key", "v2");
  return finish(b);
}

static pprofc_report_options defaults(void) {
  pprofc_report_options options;
  pprofc_report_options_init(&options);
  options.threads = 1;
  return options;
}

/* Runs a pipeline and requires success. */
static void run(const pprofc_profile *p, const pprofc_report_options *options,
                const struct pipeline_overrides *overrides, struct pipeline_result *result) {
  pprofc_error error = {.message = ""};
  pprofc_status status = pipeline_run(p, options, overrides, result, &error);
  if (status) printf("\n%s\n", error.message);
  CU_ASSERT_EQUAL_FATAL(status, PPROFC_OK);
}

/* Checks the message of a pipeline that must fail. The test must be able to free its result. */
static void expect_refused(const pprofc_profile *p, const pprofc_report_options *options,
                           const struct pipeline_overrides *overrides, const char *message) {
  struct pipeline_result result;
  pprofc_error error = {.message = ""};
  pprofc_status status = pipeline_run(p, options, overrides, &result, &error);
  expect_message(status, PPROFC_E_INVALID, &error, message);
  pipeline_free(&result);
}

/* Checks the nodes in order: "name flat/cum", separated by spaces. */
static void expect_nodes(const struct graph *g, const char *expected) {
  struct buffer text;
  buffer_init(&text, &mem_default, 1 << 20);
  for (size_t i = 0; i < g->shown_count; i++) {
    const struct graph_node *n = &g->nodes[g->shown[i]];
    pprofc_str name = graph_name(g, g->shown[i]);
    buffer_printf(&text, "%s%.*s %" PRId64 "/%" PRId64, i ? " " : "", STR_ARG(name), node_flat(n),
                  node_cum(n));
  }
  buffer_add_char(&text, '\0');
  CU_ASSERT_STRING_EQUAL(text.data, expected);
  buffer_free(&text);
}

static const struct pipeline_overrides nothing;

TEST(test_defaults_show_the_last_value) {
  pprofc_profile *p = calls();
  pprofc_report_options o = defaults();
  struct pipeline_result r;
  run(p, &o, &nothing, &r);
  CU_ASSERT_EQUAL(r.value_index, 1);
  CU_ASSERT_EQUAL(r.total, 70000000);
  CU_ASSERT(str_equal(r.type, STR("cpu")));
  CU_ASSERT(str_equal(r.sample_unit, STR("nanoseconds")));
  CU_ASSERT(str_equal(r.output_unit, STR("minimum")));
  CU_ASSERT_EQUAL(r.nodecount, 80);
  CU_ASSERT(r.granularity.function && !r.granularity.address);
  CU_ASSERT_PTR_NULL(r.argument);
  pipeline_free(&r);
  pprofc_profile_release(p);
}

TEST(test_filters_come_before_or_after_the_total) {
  pprofc_profile *p = calls();
  pprofc_report_options o = defaults();
  struct pipeline_result r;
  o.focus = "B";
  o.tagfocus = "v2";
  o.hide = "main";
  run(p, &o, &nothing, &r);
  CU_ASSERT_EQUAL(r.total, 70000000);
  CU_ASSERT_EQUAL(r.profile->samples.count, 1);
  pipeline_free(&r);
  o.relative_percentages = true;
  run(p, &o, &nothing, &r);
  CU_ASSERT_EQUAL(r.total, 40000000);
  expect_samples(r.profile, "2 40000000: 4 3 | C B | key=v2\n");
  pipeline_free(&r);
  CU_ASSERT_EQUAL(p->samples.count, 3); /* the source did not change */
  pprofc_profile_release(p);
}

TEST(test_a_profile_without_edits_is_not_copied) {
  pprofc_profile *p = calls();
  pprofc_report_options o = defaults();
  struct pipeline_overrides addresses = {.granularity = "addresses"};
  struct pipeline_result r;
  run(p, &o, &addresses, &r);
  CU_ASSERT_PTR_EQUAL(r.profile, p);
  pipeline_free(&r);
  addresses.inlines = INLINES_HIDDEN;
  run(p, &o, &addresses, &r);
  CU_ASSERT_PTR_NOT_EQUAL(r.profile, p);
  pipeline_free(&r);
  pprofc_profile_release(p);
}

TEST(test_overrides_decide_over_the_options) {
  pprofc_profile *p = calls();
  pprofc_report_options o = defaults();
  struct pipeline_result r;
  o.granularity = "files";
  o.noinlines = true;
  struct pipeline_overrides lines = {
      .granularity = "lines", .inlines = INLINES_SHOWN, .no_trim = true, .aggregates = true};
  run(p, &o, &lines, &r);
  CU_ASSERT(r.granularity.line && r.granularity.inlines);
  CU_ASSERT_EQUAL(r.nodecount, 0);
  CU_ASSERT_EQUAL(r.nodefraction, 0);
  CU_ASSERT_PTR_EQUAL(r.profile, p);
  pipeline_free(&r);

  struct pipeline_overrides preferred = {.default_granularity = "lines", .all_nodes = true};
  run(p, &o, &preferred, &r);
  CU_ASSERT(r.granularity.file && !r.granularity.line && !r.granularity.inlines);
  CU_ASSERT_EQUAL(r.nodecount, 0);
  CU_ASSERT_EQUAL(r.nodefraction, 0.005);
  pipeline_free(&r);
  o.granularity = NULL;
  o.nodecount = 7;
  run(p, &o, &preferred, &r);
  CU_ASSERT(r.granularity.line);
  CU_ASSERT_EQUAL(r.nodecount, 7);
  pipeline_free(&r);
  pprofc_profile_release(p);
}

TEST(test_the_graph_has_the_unit_of_its_smallest_value) {
  pprofc_profile *p = calls();
  pprofc_report_options o = defaults();
  struct pipeline_result r;
  struct graph g;
  pprofc_str unit;
  pprofc_error error;
  run(p, &o, &nothing, &r);
  CU_ASSERT_EQUAL_FATAL(pipeline_graph(&r, PIPELINE_EDGES, &g, &unit, &error), PPROFC_OK);
  expect_nodes(&g, "C 40000000/40000000 B 20000000/60000000 A 10000000/10000000 main 0/70000000");
  CU_ASSERT(str_equal(unit, STR("ms")));
  CU_ASSERT_EQUAL(g.sorted_count, 3);
  struct graph_summary summary = pipeline_summary(&g);
  CU_ASSERT_EQUAL(summary.shown, 70000000);
  CU_ASSERT_EQUAL(summary.nodes, 4);
  graph_free(&g);
  pipeline_free(&r);

  o.unit = "s";
  o.sort = "cum";
  o.nodecount = 2;
  run(p, &o, &nothing, &r);
  CU_ASSERT_EQUAL_FATAL(pipeline_graph(&r, 0, &g, &unit, &error), PPROFC_OK);
  expect_nodes(&g, "main 0/70000000 B 20000000/60000000");
  CU_ASSERT(str_equal(unit, STR("s")));
  CU_ASSERT_EQUAL(pipeline_summary(&g).nodes_before, 4);
  graph_free(&g);
  pipeline_free(&r);
  pprofc_profile_release(p);
}

TEST(test_the_argument_chooses_edges) {
  pprofc_profile *p = calls();
  pprofc_report_options o = defaults();
  const struct pipeline_overrides peek = {.no_trim = true, .takes_argument = true};
  struct pipeline_result r;
  struct graph g;
  pprofc_str unit;
  pprofc_error error;
  o.argument = "C";
  run(p, &o, &peek, &r);
  CU_ASSERT_PTR_NOT_NULL(r.argument);
  CU_ASSERT_EQUAL_FATAL(pipeline_graph(&r, PIPELINE_EDGES_OF_MATCH, &g, &unit, &error), PPROFC_OK);
  CU_ASSERT_EQUAL(g.sorted_count, 1);
  graph_free(&g);
  pipeline_free(&r);
  o.argument = "(";
  expect_refused(p, &o, &peek,
                 "parsing argument regexp (: error parsing regexp: missing closing ): `(`");
  pprofc_profile_release(p);
}

static void collect_warning(void *context, const char *message) {
  buffer_add_text(context, message);
  buffer_add_char(context, '\n');
}

TEST(test_warnings_come_in_the_order_of_the_steps) {
  pprofc_profile *p = calls();
  struct buffer warnings;
  buffer_init(&warnings, &mem_default, 1 << 20);
  pprofc_report_options o = defaults();
  struct pipeline_result r;
  o.warn = collect_warning;
  o.warn_context = &warnings;
  o.tagroot = "nokey";
  o.ignore = "nothing";
  o.tagignore = "novalue";
  o.taghide = "nokey";
  run(p, &o, &nothing, &r);
  buffer_add_char(&warnings, '\0');
  CU_ASSERT_STRING_EQUAL(warnings.data, "TagRoot expression matched no samples\n"
                                        "Ignore expression matched no samples\n"
                                        "TagIgnore expression matched no samples\n"
                                        "TagHide expression matched no samples\n");
  pipeline_free(&r);
  buffer_free(&warnings);
  pprofc_profile_release(p);
}

TEST(test_bad_options_are_refused) {
  pprofc_profile *p = calls();
  static const struct {
    const char *granularity, *sort, *focus, *taghide, *sample_index;
    double divide_by;
    const char *message;
  } cases[] = {
      {"bad", "flat", "", "", "", 1, "invalid \"granularity\" value \"bad\""},
      {"", "bad", "", "", "", 1, "invalid \"sort\" value \"bad\""},
      {"", "", "(", "", "", 1,
       "parsing focus regexp: error parsing regexp: missing closing ): `(`"},
      {"", "", "A", "(", "", 1,
       "parsing taghide regexp: error parsing regexp: missing closing ): `(`"},
      {"", "", "", "", "2", 1, "sample_index 2 is outside the range [0..1]"},
      {"", "", "", "", "", 0, "zero divisor specified"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    pprofc_report_options o = defaults();
    o.granularity = cases[i].granularity;
    o.sort = cases[i].sort;
    o.focus = cases[i].focus;
    o.taghide = cases[i].taghide;
    o.sample_index = cases[i].sample_index;
    o.divide_by = cases[i].divide_by;
    expect_refused(p, &o, &nothing, cases[i].message);
  }
  pprofc_profile_release(p);
}

TEST(test_units_of_the_profile_drive_no_terminal) {
  pprofc_builder *b = pprofc_builder_new(NULL);
  pprofc_builder_type(b, "t", "\033[2Jx");
  sample(b, "A", 10, 0);
  pprofc_profile *p = finish(b);
  pprofc_report_options o = defaults();
  struct pipeline_result r;
  o.mean = true;
  o.divide_by = 2;
  run(p, &o, &nothing, &r);
  CU_ASSERT(str_equal(r.sample_unit, STR("\\x1b[2Jx")));
  CU_ASSERT(str_equal(r.type, STR("mean_t")));
  CU_ASSERT_EQUAL(pipeline_ratio(&r, 10), 5);
  pipeline_free(&r);
  pprofc_profile_release(p);
}
