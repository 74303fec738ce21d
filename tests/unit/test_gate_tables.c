/* Tests the gate on comparison tables: each format that benchstat prints, and texts that are not
 * tables. */
#include "gate/judge.h"
#include "gate/print/print.h"
#include "gate/read/read.h"
#include "unit.h"

#include <math.h>
#include <stdlib.h>

#define TODAY "2026-11-20"
#define BAR   "\xE2\x94\x82"
#define PM    "\xC2\xB1"

/* ---- helpers ----------------------------------------- */

static void open_gate(struct gate *gate) {
  gate_init(gate, &mem_default);
}

/* Judges a file that contains `text`. Returns the exit status. */
static int judge(struct gate *gate, const char *text) {
  pprofc_error error;
  if (gate_read_tables(gate, STR("f.diff"), str_of(text), &error) != PPROFC_OK) return -1;
  if (gate_judge(gate, TODAY, &error) != PPROFC_OK) return -1;
  return gate_exit_status(gate);
}

static int status_of(const char *text) {
  struct gate gate;
  open_gate(&gate);
  int status = judge(&gate, text);
  gate_free(&gate);
  return status;
}

static bool says(const char *text, const char *problem) {
  struct gate gate;
  open_gate(&gate);
  int status = judge(&gate, text);
  bool found = str_find(buffer_str(&gate.problems), str_of(problem)) < gate.problems.size;
  if (!found) fprintf(stderr, "problems: %.*s", STR_ARG(buffer_str(&gate.problems)));
  gate_free(&gate);
  return found && status == 1;
}

static const struct gate_row *row_of(const struct gate *gate, const char *name) {
  size_t count;
  const struct gate_row *rows = gate_rows(gate, &count);
  for (size_t i = 0; i < count; i++)
    if (str_equal(rows[i].name, str_of(name))) return &rows[i];
  fprintf(stderr, "no row '%s'\n", name);
  abort();
}

#define HEADER                                                                                     \
  "        " BAR "   old.txt   " BAR "             new.txt              " BAR "\n"                 \
  "        " BAR "   sec/op    " BAR "   sec/op     vs base              " BAR "\n"

/* ---- current text ------------------------------------ */

TEST(test_text_table) {
  struct gate gate;
  open_gate(&gate);
  CU_ASSERT_EQUAL(judge(&gate, "goos: linux\npkg: a/b\n" HEADER "Slow      1.000m " PM
                               "  4%   1.215m " PM "  3%  +21.50% (p=0.001 n=10)\n"
                               "Same      1.000m " PM "  0%   1.000m " PM
                               "  0%        ~ (p=1.000 n=10) \xC2\xB9\n"
                               "Two ws    1.000m " PM "  0%   0.900m " PM
                               "  0%  -10.00% (p=0.000 n=10+9)\n"
                               "Gone      1.000m " PM "  0%\n"
                               "New                         1.000m " PM "  0%\n"
                               "geomean   1.000m        2.000m       +100.00%\n"
                               "\xC2\xB9 all samples are equal\n"),
                  2);
  const struct gate_row *slow = row_of(&gate, "Slow");
  CU_ASSERT_EQUAL(slow->verdict, PPROFC_GATE_REGRESSED);
  CU_ASSERT_EQUAL(slow->line, 5);
  CU_ASSERT_EQUAL(slow->base, 0.001);
  CU_ASSERT_EQUAL(slow->p, 0.001);
  CU_ASSERT(fabs(slow->delta - 0.215) < 1e-12);
  CU_ASSERT(str_equal(slow->group, STR("a/b")));
  CU_ASSERT_EQUAL(row_of(&gate, "Same")->verdict, PPROFC_GATE_UNCHANGED);
  CU_ASSERT_EQUAL(row_of(&gate, "Two ws")->verdict, PPROFC_GATE_IMPROVED);
  CU_ASSERT_EQUAL(row_of(&gate, "Two ws")->head_count, 9);
  CU_ASSERT_EQUAL(row_of(&gate, "Two ws")->p, 0.0005);
  CU_ASSERT_EQUAL(row_of(&gate, "Gone")->verdict, PPROFC_GATE_MISSING);
  CU_ASSERT_EQUAL(row_of(&gate, "New")->verdict, PPROFC_GATE_NEW);
  CU_ASSERT_EQUAL(gate.compared, 3);
  gate_free(&gate);
}

TEST(test_the_line_is_printed_as_it_stands) {
  struct gate gate;
  struct buffer out;
  buffer_init(&out, &mem_default, 1 << 20);
  open_gate(&gate);
  CU_ASSERT_EQUAL(judge(&gate, HEADER "Slow    1.000m " PM " 4%   1.215m " PM
                                      " 3%  +21.50% (p=0.001 n=10)\r\n"),
                  2);
  gate_print_text(&out, &gate, false);
  CU_ASSERT(str_starts(buffer_str(&out), STR("f.diff:3: Slow    1.000m " PM " 4%   1.215m " PM
                                             " 3%  +21.50% (p=0.001 n=10)\n")));
  CU_ASSERT(
      str_ends(buffer_str(&out), STR("\n1 compared, 1 significant, 1 regressed, 0 missing\n")));
  buffer_free(&out);
  gate_free(&gate);
}

TEST(test_a_benchmark_may_be_called_geomean) {
  CU_ASSERT_EQUAL(
      status_of(HEADER "geomean 1.000m " PM " 4%   1.215m " PM " 3%  +21.50% (p=0.001 n=10)\n"), 2);
}

TEST(test_the_geomean_is_no_row) {
  CU_ASSERT_EQUAL(status_of(HEADER "A       1.000m " PM " 4%   1.010m " PM
                                   " 3%   +1.00% (p=0.001 n=10)\n"
                                   "geomean 1.000m        1.500m       +50.00%\n"),
                  0);
  CU_ASSERT(says(HEADER "geomean 1.000m        1.500m       +50.00%\n", "nothing was compared"));
}

TEST(test_directions_of_text_units) {
  static const struct {
    const char *unit, *delta;
    int status;
  } cases[] = {{"B/s     ", "-24.45%", 2},
               {"B/s     ", "+24.45%", 0},
               {"B/op    ", "+24.45%", 2},
               {"ops/s   ", "-24.45%", 2},
               {"allocs/op", "-24.45%", 0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[1024];
    snprintf(text, sizeof text,
             "        " BAR "   old.txt   " BAR "             new.txt              " BAR "\n"
             "        " BAR "  %s " BAR "  %s     vs base       " BAR "\n"
             "T       195.0Mi " PM " 2%%   147.3Mi " PM " 2%%  %s (p=0.000 n=10)\n",
             cases[i].unit, cases[i].unit, cases[i].delta);
    CU_ASSERT_EQUAL(status_of(text), cases[i].status);
  }
}

TEST(test_unknown_units_are_informational) {
  struct gate gate;
  static const char text[] = "   " BAR "  old.txt  " BAR "         new.txt          " BAR "\n"
                             "   " BAR "  widgets  " BAR "  widgets   vs base       " BAR "\n"
                             "T    100.0 " PM " 2%   147.3 " PM " 2%  +47.30% (p=0.000 n=10)\n";
  CU_ASSERT(says(text, "nothing was compared"));
  open_gate(&gate);
  CU_ASSERT(gate_add_direction(&gate, STR("widgets"), -1));
  CU_ASSERT_EQUAL(judge(&gate, text), 2);
  gate_free(&gate);
}

TEST(test_change_from_zero) {
  CU_ASSERT_EQUAL(
      status_of("        " BAR "   old.txt   " BAR "             new.txt              " BAR "\n"
                "        " BAR "  allocs/op  " BAR "  allocs/op   vs base             " BAR "\n"
                "Zero    0.000  " PM " 0%   1.000  " PM " 0%  ? (p=0.000 n=10)\n"),
      2);
  /* A time of 0 is an error. */
  CU_ASSERT_EQUAL(
      status_of(HEADER "Zero    0.000  " PM " 0%   1.000  " PM " 0%  ? (p=0.000 n=10)\n"), 1);
}

TEST(test_missing_p_is_exact) {
  CU_ASSERT_EQUAL(status_of(HEADER "A       1.000m " PM " 0%   1.100m " PM " 0%  +10.00% (n=1)\n"),
                  2);
}

TEST(test_one_sample_in_a_table_is_no_pass) {
  CU_ASSERT(says(HEADER "A       1.000m " PM " \xE2\x88\x9E \xC2\xB9   9.100m " PM
                        " \xE2\x88\x9E \xC2\xB9  ~ (p=1.000 n=1) \xC2\xB2\n",
                 "no benchmark has 4 samples"));
}

TEST(test_the_threshold_as_printed_counts) {
  CU_ASSERT_EQUAL(
      status_of(HEADER "A       1.000m " PM " 0%   1.050m " PM " 0%  +5.00% (p=0.000 n=10)\n"), 2);
  CU_ASSERT_EQUAL(
      status_of(HEADER "A       1.000m " PM " 0%   1.050m " PM " 0%  +4.99% (p=0.000 n=10)\n"), 0);
  CU_ASSERT_EQUAL(
      status_of(HEADER "A       1.000m " PM " 0%   1.060m " PM " 0%  +6.00% (p=0.050 n=10)\n"), 2);
  CU_ASSERT_EQUAL(
      status_of(HEADER "A       1.000m " PM " 0%   1.060m " PM " 0%  +6.00% (p=0.051 n=10)\n"), 0);
}

TEST(test_p_values_of_a_table_are_corrected) {
  struct buffer text;
  buffer_init(&text, &mem_default, 1 << 20);
  buffer_add_text(&text, HEADER);
  buffer_add_text(&text, "A       1.000m " PM " 0%   1.060m " PM " 0%  +6.00% (p=0.030 n=10)\n");
  for (size_t i = 0; i < 9; i++)
    buffer_printf(&text, "B%zu      1.000m " PM " 0%%   1.001m " PM " 0%%   ~ (p=0.800 n=10)\n", i);
  buffer_add_char(&text, '\0');
  struct gate gate;
  open_gate(&gate);
  CU_ASSERT_EQUAL(judge(&gate, text.data), 0);
  CU_ASSERT_EQUAL(row_of(&gate, "A")->verdict, PPROFC_GATE_INCONCLUSIVE);
  CU_ASSERT(fabs(row_of(&gate, "A")->adjusted - 0.3) < 1e-12);
  gate_free(&gate);
  open_gate(&gate);
  gate.settings.correction = PPROFC_GATE_UNCORRECTED;
  CU_ASSERT_EQUAL(judge(&gate, text.data), 2);
  gate_free(&gate);
  buffer_free(&text);
}

TEST(test_more_than_two_columns) {
  struct gate gate;
  size_t count;
  static const char text[] =
      "        " BAR "      a      " BAR "                  b                   " BAR
      "                  c                  " BAR "\n"
      "        " BAR "   sec/op    " BAR "   sec/op     vs base                 " BAR
      "   sec/op     vs base                " BAR "\n"
      "A         1.006u " PM " 0%   1.006u " PM " 0%       ~ (p=1.000 n=10)     2.006u " PM
      " 0%  +99.45% (p=0.000 n=10)\n"
      "B         1.006u " PM " 0%                                          1.006u " PM
      " 0%        ~ (p=1.000 n=10)\n";
  open_gate(&gate);
  CU_ASSERT_EQUAL(judge(&gate, text), 2);
  const struct gate_row *rows = gate_rows(&gate, &count);
  CU_ASSERT_EQUAL_FATAL(count, 4);
  CU_ASSERT_EQUAL(rows[0].verdict, PPROFC_GATE_UNCHANGED);
  CU_ASSERT_EQUAL(rows[1].verdict, PPROFC_GATE_REGRESSED);
  CU_ASSERT(str_equal(rows[1].group, STR("c")));
  CU_ASSERT_EQUAL(rows[2].verdict, PPROFC_GATE_MISSING);
  CU_ASSERT_EQUAL(rows[3].verdict, PPROFC_GATE_UNCHANGED);
  gate_free(&gate);
}

TEST(test_a_table_of_one_column_among_others) {
  struct gate gate;
  open_gate(&gate);
  CU_ASSERT_EQUAL(judge(&gate,
                        HEADER "A       1.000m " PM " 4%   1.001m " PM " 3%   ~ (p=0.500 n=10)\n\n"
                               "    " BAR "  old.txt   " BAR "\n    " BAR "    B/op    " BAR "\n"
                               "Old    16.00 " PM " 0%\n\n"
                               "    " BAR "  new.txt   " BAR "\n    " BAR " allocs/op  " BAR "\n"
                               "New    16.00 " PM " 0%\n"),
                  0);
  CU_ASSERT_EQUAL(row_of(&gate, "Old")->verdict, PPROFC_GATE_MISSING);
  CU_ASSERT_EQUAL(row_of(&gate, "New")->verdict, PPROFC_GATE_NEW);
  gate_free(&gate);
}

TEST(test_colours_and_returns_are_ignored) {
  CU_ASSERT_EQUAL(status_of("\033[1m" HEADER "A       1.000m " PM " 0%   1.060m " PM
                            " 0%  \033[31m+6.00%\033[0m (p=0.000 n=10)\r\n"),
                  2);
}

/* ---- other formats ----------------------------------- */

TEST(test_csv_table) {
  struct gate gate;
  open_gate(&gate);
  CU_ASSERT_EQUAL(
      judge(&gate, "pkg: a\n,old,,new,,,\n,sec/op,CI,sec/op,CI,vs base,P\n"
                   "A,1e-06,2%,1.2e-06,1%,+20.00%,p=0.000 n=10\n"
                   "\"B,x\",1e-06,2%,1e-06,1%,~,p=0.783 n=10\nGone,5e-09,\xE2\x88\x9E\n"
                   "New,,,5e-09,\xE2\x88\x9E\ngeomean,4e-07,,4e-07,,+40.00%,\n\n"
                   ",old,,new,,,\n,B/s,CI,B/s,CI,vs base,P\nT,10,0%,5,0%,-50.00%,p=0.000 n=10\n"),
      2);
  CU_ASSERT_EQUAL(gate.regressed, 2);
  CU_ASSERT_EQUAL(gate.compared, 3);
  CU_ASSERT_EQUAL(row_of(&gate, "Gone")->verdict, PPROFC_GATE_MISSING);
  CU_ASSERT_EQUAL(row_of(&gate, "New")->verdict, PPROFC_GATE_NEW);
  CU_ASSERT_EQUAL(row_of(&gate, "B,x")->verdict, PPROFC_GATE_UNCHANGED);
  gate_free(&gate);
}

TEST(test_classic_table) {
  struct gate gate;
  open_gate(&gate);
  CU_ASSERT_EQUAL(
      judge(&gate,
            "name        old time/op    new time/op    delta\n"
            "GobEncode     13.6ms " PM " 1%    15.8ms " PM " 1%  +16.31%  (p=0.016 n=4+5)\n"
            "JSONEncode    32.1ms " PM "11%    31.8ms " PM " 1%     ~     (p=0.286 n=4+5)\n"
            "Equal         1.00ms " PM " 0%    1.00ms " PM " 0%     ~     (all equal)\n"
            "[Geo mean]    20.0ms         30.0ms       +50.00%\n\n"
            "name        old speed      new speed      delta\n"
            "T            204MB/s " PM " 2%   154MB/s " PM " 3%  -24.45%  (p=0.000 n=10+10)\n"),
      2);
  CU_ASSERT_EQUAL(gate.regressed, 2);
  CU_ASSERT_EQUAL(row_of(&gate, "GobEncode")->head_count, 5);
  CU_ASSERT_EQUAL(row_of(&gate, "Equal")->verdict, PPROFC_GATE_TOO_FEW);
  gate_free(&gate);
}

TEST(test_markdown_table) {
  CU_ASSERT_EQUAL(status_of("|  | old sec/op | new sec/op | vs base |\n| :-- | --: | --: | --: |\n"
                            "| A | 1.0m " PM " 0% | 1.2m " PM
                            " 0% | **+20.00%** (p=0.000 n=10) |\n"),
                  2);
  CU_ASSERT_EQUAL(status_of("|  | old sec/op | new sec/op | vs base |\n| :-- | --: | --: | --: |\n"
                            "| A | 1.0m " PM " 0% | 1.0m " PM " 0% | \\~ (p=0.783 n=10) |\n"),
                  0);
}

TEST(test_json_tables_are_tested_anew) {
  static const char text[] =
      "{\"version\":1,\"tables\":[{\"unit\":\"sec/"
      "op\",\"better\":\"lower\",\"key\":{\"pkg\":\"a\"},"
      "\"columns\":[{\"label\":\"o\"},{\"label\":\"n\"}],\"rows\":[{\"label\":\"A\",\"cells\":["
      "{\"column\":0,\"samples\":[1,1.01,1.02,1.03,1.04]},"
      "{\"column\":1,\"samples\":[2,2.01,2.02,2.03,%s]}]}]}]}";
  char good[1024], bad[1024];
  snprintf(good, sizeof good, text, "2.04");
  snprintf(bad, sizeof bad, text, "\"NaN\"");
  CU_ASSERT_EQUAL(status_of(good), 2);
  CU_ASSERT(says(bad, "not finite"));
  CU_ASSERT(says("{\"version\":1,\"tables\":[", "f.diff:1:"));
}

/* ---- texts that are not tables ----------------------- */

TEST(test_what_is_no_table_is_named) {
  CU_ASSERT(says("", "it is empty"));
  CU_ASSERT(says(" \n\n", "it is empty"));
  CU_ASSERT(says("hello\n", "text without a table"));
  CU_ASSERT(says("BenchmarkA 1 2 ns/op\n", "lines of go test -bench"));
  CU_ASSERT(says("{\"benchmarks\": []}\n", "JSON"));
  CU_ASSERT(says("<html></html>\n", "HTML"));
  CU_ASSERT(says("\xFF\xFEn\n", "UTF-16"));
  CU_ASSERT(
      says("     \xC3\xA2\xE2\x80\x9D\xE2\x80\x9A old\nA 1 \xC3\x82\xC2\xB1 2%\n", "garbled"));
  CU_ASSERT(says("    " BAR "  old.txt   " BAR "\n    " BAR "    B/op    " BAR "\nA    16.00 " PM
                 " 0%\n",
                 "one column"));
  CU_ASSERT(
      says("name \\ time/op  a.txt  b.txt  c.txt\nA  1ms  2ms  3ms\n", "more than two files"));
  struct gate gate;
  open_gate(&gate);
  CU_ASSERT_EQUAL(gate_read_tables(&gate, STR("f"), (pprofc_str){"a\0b", 3}, NULL), PPROFC_OK);
  CU_ASSERT_EQUAL(gate.problem_count, 1);
  gate_free(&gate);
}

TEST(test_failed_runs_are_no_result) {
  static const char row[] =
      HEADER "A       1.000m " PM " 0%   1.000m " PM " 0%  ~ (p=1.000 n=10)\n";
  static const char *const lines[] = {"benchstat: open x: no such file\n",
                                      "FAIL\n",
                                      "FAIL\ta/b [build failed]\n",
                                      "--- FAIL: TestX (0.00s)\n",
                                      "panic: runtime error\n",
                                      "fatal error: all goroutines\n"};
  CU_ASSERT_EQUAL(status_of(row), 0);
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    char text[1024];
    snprintf(text, sizeof text, "%s%s", lines[i], row);
    CU_ASSERT(says(text, "f.diff:1: "));
  }
}

TEST(test_malformed_rows_are_problems) {
  CU_ASSERT(says(HEADER "A       x.000m " PM " 0%   1.000m " PM " 0%  ~ (p=1.000 n=10)\n",
                 "f.diff:3: not a number"));
  CU_ASSERT(
      says(HEADER "A       1.000m " PM " 0%   1.000m " PM " 0%\n", "f.diff:3: no comparison"));
  CU_ASSERT(says(HEADER "A       1.000m " PM " 0%   1.000m " PM " 0%  NaN% (p=1.000 n=10)\n",
                 "not a number"));
  CU_ASSERT(
      says(HEADER "A       1.000m " PM " 0%   1.000m " PM " 0%  ~ (p=NaN n=10)\n", "not a number"));
  CU_ASSERT(
      says(HEADER "A       1.000m " PM " 0%   1.000m " PM " 0%  ~ (p=x n=10)\n", "not a number"));
}

TEST(test_a_problem_goes_before_a_regression) {
  CU_ASSERT_EQUAL(status_of("FAIL\n" HEADER "A       1.000m " PM " 0%   1.060m " PM
                            " 0%  +6.00% (p=0.000 n=10)\n"),
                  1);
}
