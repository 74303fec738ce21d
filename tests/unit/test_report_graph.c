/* Tests the reports of the call graph on one small program, byte for byte: top, tree, peek, dot,
 * callgrind. */
#include "report_text.h"
#include "unit.h"

/* Returns a profile: main calls B and C; B calls B, A and C; Cinl is inlined into C. */
static pprofc_profile *program(void) {
  setenv("TZ", "UTC", 1); /* the reports print local time */
  pprofc_builder *b = pprofc_builder_new(NULL);
  pprofc_builder_type(b, "samples", "count");
  pprofc_builder_type(b, "cpu", "nanoseconds");
  pprofc_builder_time(b, 1700000000123456789, 10000000000);
  pprofc_builder_comment(b, "hello");
  pprofc_builder_comment(b, "#hidden");
  pprofc_builder_doc_url(b, "http://example.com/x");
  uint32_t map = pprofc_builder_mapping(b, 0x400000, 0x500000, 0, "/bin/prog", "abcdef", 15);
  uint32_t fa = pprofc_builder_function(b, "A", NULL, "/src/a.go", 0);
  uint32_t fb = pprofc_builder_function(b, "B", NULL, "/src/b.go", 0);
  uint32_t fc = pprofc_builder_function(b, "C", NULL, "/src/c.go", 0);
  uint32_t fi = pprofc_builder_function(b, "Cinl", NULL, "/src/c.go", 0);
  uint32_t fm = pprofc_builder_function(b, "main", NULL, "/src/main.go", 0);
  uint32_t a = pprofc_builder_location(b, map, 0x400100, &(pprofc_line){fa, 10, 0}, 1);
  uint32_t bb = pprofc_builder_location(b, map, 0x400200, &(pprofc_line){fb, 20, 0}, 1);
  uint32_t c =
      pprofc_builder_location(b, map, 0x400300, (pprofc_line[]){{fi, 5, 0}, {fc, 30, 0}}, 2);
  uint32_t m = pprofc_builder_location(b, map, 0x400400, &(pprofc_line){fm, 3, 0}, 1);
  pprofc_builder_sample(b, (uint32_t[]){a, bb, m}, 3, (int64_t[]){1, 10000000});
  pprofc_builder_label(b, "key", "v1");
  pprofc_builder_number_label(b, "bytes", 1024, "bytes");
  pprofc_builder_sample(b, (uint32_t[]){c, bb, m}, 3, (int64_t[]){2, 20000000});
  pprofc_builder_label(b, "key", "v2");
  pprofc_builder_sample(b, (uint32_t[]){c, m}, 2, (int64_t[]){3, 30000000});
  pprofc_builder_sample(b, (uint32_t[]){bb, bb, m}, 3, (int64_t[]){1, 10000000});
  return finish(b);
}

#define HEAD                                                                                       \
  "File: prog\n"                                                                                   \
  "Build ID: abcdef\n"                                                                             \
  "hello\n"                                                                                        \
  "Type: cpu\n"                                                                                    \
  "Doc: http://example.com/x\n"                                                                    \
  "Time: 2023-11-14 22:13:20 UTC\n"                                                                \
  "Duration: 10s, Total samples = 70ms (  0.7%)\n"
#define SHOWING "Showing nodes accounting for 70ms, 100% of 70ms total\n"
#define LINE    "----------------------------------------------------------+-------------\n"
#define COLUMNS "      flat  flat%   sum%        cum   cum%   calls calls% + context \t \t \n"

TEST(test_top) {
  pprofc_profile *p = program();
  pprofc_report_options o = report_options("top");
  expect_report(p, &o,
                HEAD SHOWING "      flat  flat%   sum%        cum   cum%\n"
                             "      50ms 71.43% 71.43%       50ms 71.43%  Cinl (inline)\n"
                             "      10ms 14.29% 85.71%       10ms 14.29%  A\n"
                             "      10ms 14.29%   100%       40ms 57.14%  B\n"
                             "         0     0%   100%       50ms 71.43%  C\n"
                             "         0     0%   100%       70ms   100%  main\n");
  o.compact_labels = true;
  o.sort = "cum";
  o.nodecount = 2;
  o.focus = "A";
  expect_report(p, &o,
                "Active filters:\n"
                "   focus=A\n"
                "Showing nodes accounting for 10ms, 14.29% of 70ms total\n"
                "Showing top 2 nodes out of 3\n"
                "      flat  flat%   sum%        cum   cum%\n"
                "      10ms 14.29% 14.29%       10ms 14.29%  A\n"
                "         0     0% 14.29%       10ms 14.29%  B\n");
  pprofc_profile_release(p);
}

TEST(test_tree) {
  pprofc_profile *p = program();
  pprofc_report_options o = report_options("tree");
  expect_report(p, &o,
                HEAD SHOWING LINE COLUMNS LINE
                "                                              50ms   100% |   C (inline)\n"
                "      50ms 71.43% 71.43%       50ms 71.43%                | Cinl\n" LINE
                "                                              10ms   100% |   B\n"
                "      10ms 14.29% 85.71%       10ms 14.29%                | A\n" LINE
                "                                              40ms   100% |   main\n"
                "      10ms 14.29%   100%       40ms 57.14%                | B\n"
                "                                              20ms 50.00% |   C\n"
                "                                              10ms 25.00% |   A\n" LINE
                "                                              30ms 60.00% |   main\n"
                "                                              20ms 40.00% |   B\n"
                "         0     0%   100%       50ms 71.43%                | C\n"
                "                                              50ms   100% |   Cinl (inline)\n" LINE
                "         0     0%   100%       70ms   100%                | main\n"
                "                                              40ms 57.14% |   B\n"
                "                                              30ms 42.86% |   C\n" LINE);
  pprofc_profile_release(p);
}

TEST(test_peek_shows_what_matches_and_its_neighbours) {
  pprofc_profile *p = program();
  pprofc_report_options o = report_options("peek");
  o.argument = "A|Cinl";
  o.compact_labels = true;
  expect_report(p, &o,
                SHOWING LINE COLUMNS LINE
                "                                              50ms   100% |   C (inline)\n"
                "      50ms 71.43% 71.43%       50ms 71.43%                | Cinl\n" LINE
                "                                              10ms   100% |   B\n"
                "      10ms 14.29% 85.71%       10ms 14.29%                | A\n" LINE);
  o.argument = "nobody";
  struct buffer text;
  buffer_init(&text, &mem_default, 1 << 20);
  pprofc_error error = {0};
  pprofc_status status = pprofc_report(p, &o, buffer_write, &text, &error);
  expect_message(status, PPROFC_E_NO_MATCH, &error, "no matches found for regexp: nobody");
  CU_ASSERT_EQUAL(text.size, 0);
  buffer_free(&text);
  pprofc_profile_release(p);
}

TEST(test_dot) {
  pprofc_profile *p = program();
  pprofc_report_options o = report_options("dot");
  expect_report(
      p, &o,
      "digraph \"prog\" {\n"
      "node [style=filled fillcolor=\"#f8f8f8\"]\n"
      "subgraph cluster_L { \"File: prog\" [shape=box fontsize=16 label=\"File: prog\\lBuild ID: "
      "abcdef\\lhello\\lType: cpu\\lDoc: http://example.com/x\\lTime: 2023-11-14 22:13:20 UTC\\l"
      "Duration: 10s, Total samples = 70ms (  0.7%)\\lShowing nodes accounting for 70ms, 100% of "
      "70ms total\\l\\lSee https://git.io/JfYMW for how to read the graph\\l\" tooltip=\"prog\"] "
      "}\n"
      "N1 [label=\"main\\n0 of 70ms (100%)\" id=\"node1\" fontsize=8 shape=box tooltip=\"main "
      "(70ms)\" color=\"#b20000\" fillcolor=\"#edd5d5\"]\n"
      "N2 [label=\"Cinl\\n50ms (71.43%)\" id=\"node2\" fontsize=24 shape=box tooltip=\"Cinl "
      "(50ms)\" color=\"#b21100\" fillcolor=\"#edd7d5\"]\n"
      "N2_0 [label = \"key:v2\" id=\"N2_0\" fontsize=8 shape=box3d tooltip=\"20ms\"]\n"
      "N2 -> N2_0 [label=\" 20ms\" weight=100 tooltip=\"20ms\" labeltooltip=\"20ms\"]\n"
      "N3 [label=\"B\\n10ms (14.29%)\\nof 40ms (57.14%)\" id=\"node3\" fontsize=16 shape=box "
      "tooltip=\"B (40ms)\" color=\"#b21b00\" fillcolor=\"#edd9d5\"]\n"
      "N4 [label=\"C\\n0 of 50ms (71.43%)\" id=\"node4\" fontsize=8 shape=box tooltip=\"C (50ms)\" "
      "color=\"#b21100\" fillcolor=\"#edd7d5\"]\n"
      "N5 [label=\"A\\n10ms (14.29%)\" id=\"node5\" fontsize=16 shape=box tooltip=\"A (10ms)\" "
      "color=\"#b26b33\" fillcolor=\"#ede3dc\"]\n"
      "N5_0 [label = \"key:v1\" id=\"N5_0\" fontsize=8 shape=box3d tooltip=\"10ms\"]\n"
      "N5 -> N5_0 [label=\" 10ms\" weight=100 tooltip=\"10ms\" labeltooltip=\"10ms\"]\n"
      "NN5_0_0 [label = \"1kB\" id=\"NN5_0_0\" fontsize=8 shape=box3d tooltip=\"10ms\"]\n"
      "N5_0 -> NN5_0_0 [label=\" 10ms\" weight=100 tooltip=\"10ms\" labeltooltip=\"10ms\"]\n"
      "N4 -> N2 [label=\" 50ms\\n (inline)\" weight=72 penwidth=4 color=\"#b21100\" tooltip=\"C -> "
      "Cinl (50ms)\" labeltooltip=\"C -> Cinl (50ms)\"]\n"
      "N1 -> N3 [label=\" 40ms\" weight=58 penwidth=3 color=\"#b21b00\" tooltip=\"main -> B "
      "(40ms)\" labeltooltip=\"main -> B (40ms)\"]\n"
      "N1 -> N4 [label=\" 30ms\" weight=43 penwidth=3 color=\"#b22800\" tooltip=\"main -> C "
      "(30ms)\" labeltooltip=\"main -> C (30ms)\"]\n"
      "N3 -> N4 [label=\" 20ms\" weight=29 penwidth=2 color=\"#b23700\" tooltip=\"B -> C (20ms)\" "
      "labeltooltip=\"B -> C (20ms)\"]\n"
      "N3 -> N5 [label=\" 10ms\" weight=15 color=\"#b26b33\" tooltip=\"B -> A (10ms)\" "
      "labeltooltip=\"B -> A (10ms)\"]\n"
      "}\n");
  pprofc_profile_release(p);
}

TEST(test_callgrind) {
  pprofc_profile *p = program();
  pprofc_report_options o = report_options("callgrind");
  expect_report(p, &o,
                "positions: instr line\n"
                "events: cpu(ms)\n"
                "\nob=(1) /bin/prog\nfl=(1) /src/c.go\nfn=(1) Cinl\n0x400300 5 50\n"
                "\nob=(1)\nfl=(2) /src/a.go\nfn=(2) A\n-512 10 10\n"
                "\nob=(1)\nfl=(3) /src/b.go\nfn=(3) B\n+256 20 10\n"
                "cfl=(1)\ncfn=(4) C\ncalls=0 +512 30\n* * 20\n"
                "cfl=(2)\ncfn=(2)\ncalls=0 * 10\n* * 10\n"
                "\nob=(1)\nfl=(1)\nfn=(4)\n+256 30 0\n"
                "cfl=(1)\ncfn=(1)\ncalls=0 +256 5\n* * 50\n"
                "\nob=(1)\nfl=(4) /src/main.go\nfn=(5) main\n+256 3 0\n"
                "cfl=(3)\ncfn=(3)\ncalls=0 -256 20\n* * 40\n"
                "cfl=(1)\ncfn=(4)\ncalls=0 * 30\n* * 30\n");
  pprofc_profile_release(p);
}

TEST(test_topproto) {
  pprofc_profile *p = program(), *top = NULL;
  pprofc_report_options o = report_options("topproto");
  struct buffer bytes;
  pprofc_error error;
  buffer_init(&bytes, &mem_default, 1 << 20);
  CU_ASSERT_EQUAL_FATAL(pprofc_report(p, &o, buffer_write, &bytes, &error), PPROFC_OK);
  CU_ASSERT_EQUAL_FATAL(pprofc_profile_read_memory(bytes.data, bytes.size, NULL, &top, &error),
                        PPROFC_OK);
  expect_samples(top, "50 50: 1 | Cinl\n"
                      "10 10: 2 | A\n"
                      "40 10: 3 | B\n"
                      "50 0: 4 | C\n"
                      "70 0: 5 | main\n");
  CU_ASSERT(str_equal(pprofc_profile_type(top, 0).type, STR("cum")));
  CU_ASSERT(str_equal(pprofc_profile_type(top, 1).type, STR("flat")));
  CU_ASSERT(str_equal(pprofc_profile_type(top, 1).unit, STR("ms")));
  pprofc_profile_release(top);
  pprofc_profile_release(p);
  buffer_free(&bytes);
}

TEST(test_call_tree_keeps_paths_apart) {
  pprofc_profile *p = program();
  pprofc_report_options o = report_options("dot");
  o.call_tree = true;
  /* The C called by main and the C called by B are separate boxes. */
  expect_in_report(p, &o, "C\\n0 of 30ms (42.86%)", true);
  expect_in_report(p, &o, "C\\n0 of 20ms (28.57%)", true);
  expect_in_report(p, &o, "C\\n0 of 50ms", false);
  /* The option has no effect on top. */
  o.format = "top";
  expect_in_report(p, &o, "         0     0%   100%       50ms 71.43%  C\n", true);
  pprofc_profile_release(p);
}

TEST(test_every_thread_count_gives_the_same) {
  pprofc_builder *b = cpu_builder();
  for (int64_t i = 0; i < 20000; i++) {
    char stack[80];
    snprintf(stack, sizeof stack, "l%d m%d m%d n%d main", (int)(i * 7919 % 31), (int)(i % 5),
             (int)(i * 31 % 6), (int)(i / 6000));
    sample(b, stack, i % 97 - 20, 0);
    if (i % 3 == 0) pprofc_builder_label(b, "k", i % 2 ? "odd" : "even");
  }
  pprofc_profile *p = finish(b);
  static const char *const formats[] = {"top", "tree", "dot", "callgrind"};
  struct buffer expected;
  buffer_init(&expected, &mem_default, 1 << 24);
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
    pprofc_report_options o = report_options(formats[i]);
    report_into(&expected, p, &o);
    for (o.threads = 2; o.threads < 6; o.threads += 3) expect_report(p, &o, expected.data);
  }
  buffer_free(&expected);
  pprofc_profile_release(p);
}

TEST(test_errors) {
  static const struct {
    const char *format, *sample_index, *argument, *granularity, *sort;
    double divide_by;
    const char *message;
  } cases[] = {
      {"nothing", "", "", "", "flat", 1, "unknown report format \"nothing\""},
      {"top", "9", "", "", "flat", 1, "sample_index 9 is outside the range [0..1]"},
      {"top", "-1", "", "", "flat", 1, "sample_index -1 is outside the range [0..1]"},
      {"top", "bad", "", "", "flat", 1, "sample_index \"bad\" must be one of: [samples cpu]"},
      {"top", "", "", "", "flat", 0, "zero divisor specified"},
      {"top", "", "", "bad", "flat", 1, "invalid \"granularity\" value \"bad\""},
      {"top", "", "", "", "zzz", 1, "invalid \"sort\" value \"zzz\""},
      {"peek", "", "(", "", "flat", 1,
       "parsing argument regexp (: error parsing regexp: missing closing ): `(`"},
  };
  pprofc_profile *p = program();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    pprofc_report_options o = report_options(cases[i].format);
    o.sample_index = cases[i].sample_index;
    o.argument = cases[i].argument;
    o.granularity = cases[i].granularity;
    o.sort = cases[i].sort;
    o.divide_by = cases[i].divide_by;
    struct buffer text;
    buffer_init(&text, &mem_default, 1 << 20);
    pprofc_error error = {0};
    pprofc_status status = pprofc_report(p, &o, buffer_write, &text, &error);
    expect_message(status, PPROFC_E_INVALID, &error, cases[i].message);
    CU_ASSERT_EQUAL(text.size, 0);
    buffer_free(&text);
  }
  pprofc_profile_release(p);
}

/* Makes a stack of locations with 2,048 inlined calls each. */
static void inlined_stack(pprofc_builder *b, uint32_t *stack, size_t depth) {
  static pprofc_line lines[2048];
  uint32_t f = pprofc_builder_function(b, "f", NULL, NULL, 0);
  for (size_t i = 0; i < 2048; i++) lines[i] = (pprofc_line){f, 0, 0};
  uint32_t location = pprofc_builder_location(b, PPROFC_NONE, 0, lines, 2048);
  for (size_t i = 0; i < depth; i++) stack[i] = location;
}

/* Each stack is permitted, but all together have 40 million frames, from 20 kB. */
TEST(test_too_many_inlined_frames_in_total_are_refused) {
  static uint32_t stack[501];
  pprofc_builder *b = cpu_builder();
  inlined_stack(b, stack, 500);
  for (unsigned i = 0; i < 40; i++) {
    stack[500] = pprofc_builder_frame(b, (char[]){(char)('A' + i), 0}, "f.c", 1);
    pprofc_builder_sample(b, stack, 501, &(int64_t){1});
  }
  pprofc_profile *p = finish(b);
  static const char *const formats[] = {"top", "traces", "dot", "flame", "folded"};
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
    pprofc_report_options o = report_options(formats[i]);
    pprofc_error error = {0};
    struct buffer text;
    buffer_init(&text, &mem_default, 1 << 20);
    CU_ASSERT_EQUAL(pprofc_report(p, &o, buffer_write, &text, &error), PPROFC_E_LIMIT);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.message, "frames in total (-noinlines drops"));
    CU_ASSERT_EQUAL(text.size, 0);
    buffer_free(&text);
  }
  pprofc_profile_release(p);
}

TEST(test_a_million_inlined_frames_are_refused) {
  static uint32_t stack[600];
  pprofc_builder *b = cpu_builder();
  inlined_stack(b, stack, 600);
  pprofc_builder_sample(b, stack, 500, &(int64_t){1});
  pprofc_profile *p = finish(b);
  pprofc_report_options o = report_options("top");
  expect_in_report(p, &o, "       1ns   100%   100%        1ns   100%  f\n", true);
  pprofc_profile_release(p);

  b = cpu_builder();
  inlined_stack(b, stack, 600);
  pprofc_builder_sample(b, stack, 600, &(int64_t){1});
  p = finish(b);
  pprofc_error error = {0};
  struct buffer text;
  buffer_init(&text, &mem_default, 1 << 20);
  static const char *const formats[] = {"top", "traces"};
  for (size_t i = 0; i < 2; i++) {
    o = report_options(formats[i]);
    pprofc_status status = pprofc_report(p, &o, buffer_write, &text, &error);
    expect_message(status, PPROFC_E_LIMIT, &error,
                   "a stack has more than 1048576 frames, inlined ones included");
    CU_ASSERT_EQUAL(text.size, 0);
  }
  buffer_free(&text);
  pprofc_profile_release(p);
}
