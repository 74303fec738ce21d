/* Tests peculiarities of pprof that the reports copy, and a few that they intentionally do not
 * copy. */
#include "report_text.h"
#include "unit.h"

/* Returns a builder with two sample types: samples and cpu. */
static pprofc_builder *two_types(const char *unit) {
  pprofc_builder *b = pprofc_builder_new(NULL);
  pprofc_builder_type(b, "samples", "count");
  pprofc_builder_type(b, "cpu", unit);
  return b;
}

static pprofc_report_options bare(const char *format) {
  pprofc_report_options o = report_options(format);
  o.compact_labels = true;
  return o;
}

TEST(test_no_samples) {
  pprofc_profile *p = finish(cpu_builder());
  pprofc_report_options o = bare("top");
  expect_report(p, &o,
                "Showing nodes accounting for 0, 0% of 0 total\n"
                "      flat  flat%   sum%        cum   cum%\n");
  o.format = "dot";
  expect_report(
      p, &o,
      "digraph \"unnamed\" {\n"
      "node [style=filled fillcolor=\"#f8f8f8\"]\n"
      "subgraph cluster_L { \"Type: cpu\" [shape=box fontsize=16 label=\"Type: cpu\\l"
      "Showing nodes accounting for 0, 0% of 0 total\\l\\lSee https://git.io/JfYMW for how "
      "to read the graph\\l\"] }\n"
      "}\n");
  pprofc_profile_release(p);
}

TEST(test_an_empty_stack_counts_in_the_total_only) {
  pprofc_builder *b = cpu_builder();
  sample(b, "", 5, 0);
  pprofc_profile *p = finish(b);
  pprofc_report_options o = bare("top");
  expect_report(p, &o,
                "Showing nodes accounting for 0, 0% of 5ns total\n"
                "      flat  flat%   sum%        cum   cum%\n");
  pprofc_profile_release(p);
}

TEST(test_recursion_counts_once_per_sample) {
  pprofc_builder *b = cpu_builder();
  sample(b, "a a b a", 5, 0);
  pprofc_profile *p = finish(b);
  pprofc_report_options o = bare("tree");
  expect_in_report(p, &o,
                   "                                               5ns   100% |   b\n"
                   "       5ns   100%   100%        5ns   100%                | a\n"
                   "                                               5ns   100% |   b\n",
                   true);
  pprofc_profile_release(p);
}

TEST(test_edge_values_ignore_mean) {
  pprofc_builder *b = two_types("ms");
  sample(b, "a main", 2, 20);
  pprofc_profile *p = finish(b);
  pprofc_report_options o = report_options("tree");
  o.mean = true;
  expect_in_report(p, &o, "Type: mean_cpu\nShowing nodes accounting for 10ms, 100% of 10ms total\n",
                   true);
  expect_in_report(p, &o, "                                              20ms 200.00% |   main\n",
                   true);
  pprofc_profile_release(p);
}

/* A node whose samples cancel is hidden, but its edges are not. */
TEST(test_edges_to_vanished_nodes_stay) {
  pprofc_builder *b = cpu_builder();
  sample(b, "gone main", 5, 0);
  sample(b, "gone main", -5, 0);
  sample(b, "a main", 7, 0);
  pprofc_profile *p = finish(b);
  pprofc_report_options o = bare("tree");
  expect_in_report(p, &o, "                                                 0     0% |   gone\n",
                   true);
  expect_in_report(p, &o, "| gone\n", false);
  o.format = "dot";
  expect_in_report(p, &o, " -> N0 [label=\" 0\" color=\"#b2b2b2\" tooltip=\"main -> gone (0)\"",
                   true);
  o.format = "callgrind";
  expect_in_report(p, &o, "cfl=\ncfn=\ncalls=0 * 0\n* * 0\n", true);
  pprofc_profile_release(p);
}

TEST(test_dropped_edges_are_told_of_only_without_a_node_count) {
  pprofc_builder *b = cpu_builder();
  for (int i = 0; i < 3; i++) {
    char stack[32];
    snprintf(stack, sizeof stack, "leaf callee%d main", i);
    sample(b, stack, 1, 0);
  }
  sample(b, "leaf main", 100000, 0);
  pprofc_profile *p = finish(b);
  pprofc_report_options o = report_options("dot");
  o.nodefraction = 0;
  expect_in_report(p, &o, "Dropped", false);
  o.nodecount = 0;
  expect_in_report(p, &o, "\\lDropped 6 edges (freq <= 100ns)\\l", true);
  pprofc_profile_release(p);
}

/* An inlined function loses its mark if its callers are removed. A function that is inlined in only
 * some of its calls has the mark "partial". */
TEST(test_inline_marks_depend_on_callers_that_are_shown) {
  pprofc_builder *b = cpu_builder();
  uint32_t in = pprofc_builder_function(b, "in", NULL, NULL, 0);
  uint32_t out = pprofc_builder_function(b, "out", NULL, NULL, 0);
  uint32_t both =
      pprofc_builder_location(b, PPROFC_NONE, 0, (pprofc_line[]){{in, 0, 0}, {out, 0, 0}}, 2);
  uint32_t mainf = frame(b, "main");
  pprofc_builder_sample(b, (uint32_t[]){both, mainf}, 2, &(int64_t){5});
  pprofc_profile *p = finish(b);
  pprofc_report_options o = bare("top");
  expect_in_report(p, &o, "  in (inline)\n", true);
  o.nodecount = 1;
  expect_in_report(p, &o, "  in\n", true);
  pprofc_profile_release(p);

  b = cpu_builder();
  pprofc_builder_function(b, "in", NULL, NULL, 0);
  pprofc_builder_function(b, "out", NULL, NULL, 0);
  both = pprofc_builder_location(b, PPROFC_NONE, 0, (pprofc_line[]){{in, 0, 0}, {out, 0, 0}}, 2);
  uint32_t alone = frame(b, "in");
  mainf = frame(b, "main");
  pprofc_builder_sample(b, (uint32_t[]){both, mainf}, 2, &(int64_t){5});
  pprofc_builder_sample(b, (uint32_t[]){alone, mainf}, 2, &(int64_t){5});
  p = finish(b);
  o.nodecount = -1;
  expect_in_report(p, &o, "  in (partial-inline)\n", true);
  pprofc_profile_release(p);
}

TEST(test_residual_edges_are_dotted) {
  pprofc_builder *b = cpu_builder();
  sample(b, "leaf small hub", 150, 0);
  sample(b, "other", 1000, 0);
  sample(b, "small", -149, 0);
  pprofc_profile *p = finish(b);
  pprofc_report_options o = report_options("dot");
  o.nodefraction = 0.1;
  expect_in_report(
      p, &o,
      "tooltip=\"hub ... leaf (150ns)\" labeltooltip=\"hub ... leaf (150ns)\" style=\"dotted\"]",
      true);
  expect_in_report(p, &o, "small", false);
  pprofc_profile_release(p);
}

/* An edge of weight 0 has no logarithm. The score is then NaN, and the node is last. */
TEST(test_entropy_of_a_zero_edge) {
  pprofc_builder *b = cpu_builder();
  sample(b, "x main", 5, 0);
  sample(b, "x main", -5, 0);
  sample(b, "a main", 7, 0);
  pprofc_profile *p = finish(b);
  pprofc_report_options o = report_options("dot");
  expect_in_report(p, &o, "N1 [label=\"a\\n", true);
  expect_in_report(p, &o, "N2 [label=\"main\\n", true);
  pprofc_profile_release(p);
}

TEST(test_only_the_number_label_bytes_is_shown_and_collapsed) {
  pprofc_builder *b = cpu_builder();
  for (int64_t i = 0; i < 6; i++) {
    sample(b, "a", 10 - i, 0);
    pprofc_builder_number_label(b, "bytes", 16 << i, "bytes");
    pprofc_builder_number_label(b, "request", 5, "bytes");
  }
  pprofc_profile *p = finish(b);
  pprofc_report_options o = report_options("dot");
  expect_in_report(
      p, &o, "NN1_0 [label = \"128B..512B\" id=\"NN1_0\" fontsize=8 shape=box3d tooltip=\"18ns\"]",
      true);
  expect_in_report(p, &o, "\"5B\"", false);
  pprofc_profile_release(p);
}

/* dot joins labels with an escaped newline. The text of a label is escaped earlier, so it cannot
 * contain that escape. */
TEST(test_labels_are_escaped_before_they_are_joined) {
  static const struct {
    const char *a, *k, *joined;
  } cases[] = {{"1", "q\"x", "a:1\\nk:q\\\"x"},
               {"c:\\new", "q\"x", "a:c:\\new\\nk:q\\\"x"},
               {"1\"", "c:\\n", "a:1\\\"\\nk:c:\\n"},
               {"c:\\", "z", "a:c:\\\\\\nk:z"},
               {"1", "c:\\", "a:1\\nk:c:\\\\"},
               {"1\n2", "z", "a:1\\l2\\nk:z"},
               {"c:\\new", "d:\\lib", "a:c:\\new\\nk:d:\\lib"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char line[200];
    pprofc_builder *b = cpu_builder();
    sample(b, "f", 7, 0);
    pprofc_builder_label(b, "k", cases[i].k);
    pprofc_builder_label(b, "a", cases[i].a);
    pprofc_profile *p = finish(b);
    pprofc_report_options o = report_options("dot");
    snprintf(line, sizeof line, "N1_0 [label = \"%s\" id=\"N1_0\"", cases[i].joined);
    expect_in_report(p, &o, line, true);
    pprofc_profile_release(p);
  }
}

/* The unit of a value or of a numeric label must not end a quoted text of dot. */
TEST(test_units_stay_inside_quotes) {
  pprofc_builder *b = two_types("u\" URL=\"x");
  sample(b, "f", 3, 4);
  pprofc_builder_number_label(b, "bytes", 7, "v\"]; N9 [x=\"\\");
  pprofc_profile *p = finish(b);
  pprofc_report_options o = bare("dot");
  expect_in_report(p, &o, "N1 [label=\"f\\n4u\\\" URL=\\\"x (100%)\" id=", true);
  expect_in_report(p, &o, "\" URL=\"x", false);
  expect_in_report(p, &o, "]; N9 [x=\"", false);
  pprofc_profile_release(p);
}

/* Names of kernel modules contain a tab: "receive_buf\t[virtio_net]". */
TEST(test_tabs_are_printed_as_they_are) {
  static const char *const formats[] = {"top", "tree", "traces", "raw", "callgrind", "dot", "tags"};
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
    pprofc_builder *b = two_types("u\tnit");
    sample(b, "receive_buf\t[virtio_net] main", 3, 4);
    pprofc_builder_label(b, "key", "of\ta tag");
    pprofc_profile *p = finish(b);
    pprofc_report_options o = bare(formats[i]);
    bool is_tags = strcmp(formats[i], "tags") == 0;
    expect_in_report(p, &o, is_tags ? "of\ta tag" : "receive_buf\t[virtio_net]", true);
    expect_in_report(p, &o, "\\x09", false);
    pprofc_profile_release(p);
  }
}

TEST(test_divide_by_changes_values_but_no_percentages) {
  pprofc_builder *b = cpu_builder();
  pprofc_builder_time(b, 0, 10000000000);
  sample(b, "a", 70000000, 0);
  pprofc_profile *p = finish(b);
  pprofc_report_options o = report_options("top");
  o.divide_by = 2;
  expect_in_report(p, &o, "Duration: 10s, Total samples = 35ms (  0.7%)\n", true);
  expect_in_report(p, &o, "      35ms   100%   100%       35ms   100%  a\n", true);
  o.divide_by = -2; /* has no effect, because it is negative */
  expect_in_report(p, &o, "      70ms   100%   100%       70ms   100%  a\n", true);
  pprofc_profile_release(p);
}

TEST(test_units) {
  pprofc_builder *b = two_types("nanoseconds");
  sample(b, "a", 7, 79000);
  sample(b, "b", 1, 1891700);
  pprofc_profile *p = finish(b);
  pprofc_report_options o = bare("top");
  expect_in_report(p, &o, "Showing nodes accounting for 1970.70us, 100% of 1970.70us total\n",
                   true);
  o.unit = "auto";
  expect_in_report(p, &o, "Showing nodes accounting for 1.97ms, 100% of 1.97ms total\n", true);
  expect_in_report(p, &o, "      79us  4.01%   100%       79us  4.01%  a\n", true);
  o.sample_index = "samples";
  o.unit = "ms"; /* a unit for values that have no unit */
  expect_in_report(p, &o, "       7ms 87.50% 87.50%        7ms 87.50%  a\n", true);
  pprofc_profile_release(p);
}

TEST(test_negative_values) {
  pprofc_builder *b = two_types("count");
  sample(b, "a", 1, 5);
  sample(b, "b", 1, -5);
  pprofc_profile *p = finish(b);
  pprofc_report_options o = bare("top");
  expect_report(p, &o,
                "Showing nodes accounting for 0, 0% of 10 total\n"
                "      flat  flat%   sum%        cum   cum%\n"
                "         5 50.00% 50.00%          5 50.00%  a\n"
                "        -5 50.00%     0%         -5 50.00%  b\n");
  o.drop_negative = true;
  expect_in_report(p, &o, "  b\n", false);
  pprofc_profile_release(p);
}

TEST(test_filters_in_the_legend_are_cut) {
  pprofc_builder *b = cpu_builder();
  sample(b, "a", 5, 0);
  pprofc_profile *p = finish(b);
  pprofc_report_options o = bare("top");
  o.focus =
      "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa|a";
  o.ignore = "zz";
  o.tagfocus = "";
  expect_in_report(
      p, &o,
      "Active filters:\n   focus=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
      "aaaaaaaaaaaa\xE2\x80\xA6\n   ignore=zz\nShowing",
      true);
  pprofc_profile_release(p);
}

/* A file that nameless functions of two mappings use must be two rows. */
TEST(test_files_are_repeated_per_mapping) {
  pprofc_builder *b = cpu_builder();
  uint32_t m1 = pprofc_builder_mapping(b, 0x1000, 0x2000, 0, "/bin/x", NULL, 15);
  uint32_t m2 = pprofc_builder_mapping(b, 0x3000, 0x4000, 0, "/lib/y", NULL, 15);
  uint32_t f = pprofc_builder_function(b, "f", NULL, "/s/a.c", 0);
  uint32_t one = pprofc_builder_location(b, m1, 0x1000, &(pprofc_line){f, 1, 0}, 1);
  uint32_t two = pprofc_builder_location(b, m2, 0x3000, &(pprofc_line){f, 1, 0}, 1);
  pprofc_builder_sample(b, &one, 1, &(int64_t){5});
  pprofc_builder_sample(b, &two, 1, &(int64_t){5});
  pprofc_profile *p = finish(b);
  pprofc_report_options o = bare("top");
  o.granularity = "files";
  expect_in_report(p, &o,
                   "       5ns 50.00% 50.00%        5ns 50.00%  /s/a.c\n"
                   "       5ns 50.00%   100%        5ns 50.00%  /s/a.c\n",
                   true);
  pprofc_profile_release(p);
}

TEST(test_callgrind_numbers_names_and_tells_namesakes_apart) {
  pprofc_builder *b = cpu_builder();
  uint32_t m1 = pprofc_builder_mapping(b, 0x1000, 0x2000, 0, "/bin/x", NULL, 15);
  uint32_t m2 = pprofc_builder_mapping(b, 0x3000, 0x4000, 0, "/lib/y", NULL, 15);
  uint32_t f = pprofc_builder_function(b, "f", NULL, "", 0);
  uint32_t g = pprofc_builder_function(b, "g", NULL, "", 0);
  uint32_t one = pprofc_builder_location(b, m1, 0x1000, &(pprofc_line){f, 1, 0}, 1);
  uint32_t two = pprofc_builder_location(b, m2, 0x3000, &(pprofc_line){f, 1, 0}, 1);
  uint32_t root = pprofc_builder_location(b, m1, 0x1100, &(pprofc_line){g, 9, 0}, 1);
  pprofc_builder_sample(b, (uint32_t[]){one, root}, 2, &(int64_t){7});
  pprofc_builder_sample(b, (uint32_t[]){two, root}, 2, &(int64_t){5});
  pprofc_profile *p = finish(b);
  pprofc_report_options o = report_options("callgrind");
  expect_report(p, &o,
                "positions: instr line\nevents: cpu(ns)\n"
                "\nob=(1) /bin/x\nfl=\nfn=(1) f\n0x1000 1 7\n"
                "\nob=(2) /lib/y\nfl=\nfn=(1)\n+8192 1 5\n"
                "\nob=(1)\nfl=\nfn=(2) g\n-7936 9 0\n"
                "cfl=\ncfn=(3) f [1/2]\ncalls=0 -8192 1\n* * 7\n"
                "cfl=\ncfn=(4) f [2/2]\ncalls=0 * 1\n* * 5\n");
  pprofc_profile_release(p);
}

/* ---- intentional differences from pprof -------------- */

TEST(test_names_cannot_drive_a_terminal) {
  pprofc_builder *b = cpu_builder();
  uint32_t bad = pprofc_builder_frame(b, "a\x1b[31m\nb\xff", NULL, 0);
  pprofc_builder_sample(b, &bad, 1, &(int64_t){5});
  pprofc_builder_label(b, "k", "\"quoted\" \x07");
  pprofc_profile *p = finish(b);
  pprofc_report_options o = bare("top");
  expect_in_report(p, &o, "  a\\x1b[31m\\x0ab\\xff\n", true);
  o.format = "tree";
  expect_in_report(p, &o, "| a\\x1b[31m\\x0ab\\xff\n", true);
  o.format = "callgrind";
  expect_in_report(p, &o, "fn=(1) a\\x1b[31m\\x0ab\\xff\n", true);
  o.format = "dot";
  expect_in_report(p, &o, "tooltip=\"a\\\\x1b[31m\\lb\\\\xff (5ns)\"", true);
  expect_in_report(p, &o, "[label = \"k:\\\"quoted\\\" \\\\x07\"", true);
  pprofc_profile_release(p);
}

TEST(test_units_cannot_drive_a_terminal) {
  pprofc_builder *b = pprofc_builder_new(NULL);
  pprofc_builder_type(b, "t\x1b", "u\x1b");
  sample(b, "a", 5, 0);
  pprofc_profile *p = finish(b);
  pprofc_report_options o = report_options("top");
  expect_in_report(p, &o, "\x1b", false);
  expect_in_report(
      p, &o, "Type: t\\x1b\nShowing nodes accounting for 5u\\x1b, 100% of 5u\\x1b total", true);
  pprofc_profile_release(p);
}

/* Appends text, and shortens each sequence of 'n' to one character. */
static int collect_short(void *buffer, const void *data, size_t size) {
  struct buffer *out = buffer;
  const char *text = data;
  for (size_t i = 0; i < size; i++) {
    buffer_add_char(out, text[i]);
    for (; i + 65 < size && text[i] == 'n' && memcmp(text + i, text + i + 1, 64) == 0; i += 64) {
    }
    while (i + 1 < size && text[i] == 'n' && text[i + 1] == 'n') i++;
  }
  return out->failed;
}

/* Writes ten lines of a function, in ten samples with two frames each. */
static void traces_of_name(const char *name, struct buffer *out) {
  pprofc_builder *b = cpu_builder();
  uint32_t function = pprofc_builder_function(b, name, name, "a.c", 1), frames[11];
  for (uint32_t i = 0; i < 11; i++)
    frames[i] = pprofc_builder_location(b, PPROFC_NONE, 0, &(pprofc_line){function, i + 1, 0}, 1);
  for (size_t i = 0; i < 10; i++) pprofc_builder_sample(b, frames + i, 2, &(int64_t){1});
  pprofc_profile *p = finish(b);
  pprofc_report_options o = report_options("traces");
  buffer_init(out, &mem_default, 1 << 16);
  CU_ASSERT_EQUAL(pprofc_report(p, &o, collect_short, out, NULL), PPROFC_OK);
  pprofc_profile_release(p);
}

/* The report stores at most 64 MiB of rendered frames. It renders all other frames again for each
 * sample. */
TEST(test_traces_of_a_long_name_keep_few_texts) {
  size_t size = 7 << 20;
  char *name = malloc(size + 1);
  CU_ASSERT_PTR_NOT_NULL_FATAL(name);
  memset(name, 'n', size);
  name[size] = '\0';
  struct buffer small, large;
  traces_of_name("n", &small);
  traces_of_name(name, &large);
  CU_ASSERT(small.size > 500 && str_equal(buffer_str(&small), buffer_str(&large)));
  buffer_free(&small);
  buffer_free(&large);
  free(name);
}
