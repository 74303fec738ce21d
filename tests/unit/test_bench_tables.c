/* Tests comparison tables: keys, filters, cells, and the formats that print them. */
#include "core/buffer.h"
#include "core/mem.h"
#include "core/str.h"
#include "pprofc/bench.h"
#include "unit.h"

#include <math.h>

/* ---- helpers ----------------------------------------- */

struct input {
  const char *label, *text;
};

static pprofc_bench *read_inputs(const struct input *inputs, size_t count,
                                 const pprofc_allocator *mem, bool classic) {
  pprofc_bench *set = pprofc_bench_new(mem);
  if (!set) return NULL;
  if (classic) pprofc_bench_keep_units(set);
  for (size_t i = 0; i < count; i++)
    if (pprofc_bench_read(set, inputs[i].label, inputs[i].label, inputs[i].text,
                          strlen(inputs[i].text), NULL) != PPROFC_OK) {
      pprofc_bench_free(set);
      return NULL;
    }
  return set;
}

/* Appends the printed table, then the warnings. */
static bool prints(const struct input *inputs, size_t count, const pprofc_bench_options *options,
                   const char *format, const char *expected) {
  pprofc_error error;
  pprofc_bench_tables *tables;
  struct buffer out, warnings;
  buffer_init(&out, &mem_default, (size_t)1 << 24);
  buffer_init(&warnings, &mem_default, (size_t)1 << 24);
  pprofc_bench *set = read_inputs(inputs, count, NULL, false);
  if (pprofc_bench_compare(set, options, &tables, &error) == PPROFC_OK) {
    if (pprofc_bench_print(tables, format, buffer_write, &out, buffer_write, &warnings, &error) !=
        PPROFC_OK)
      buffer_printf(&out, "error: %s\n", error.message);
    pprofc_bench_tables_free(tables);
  } else {
    buffer_printf(&out, "error: %s\n", error.message);
  }
  buffer_add_str(&out, buffer_str(&warnings));
  bool same = str_equal(buffer_str(&out), str_of(expected));
  if (!same) fprintf(stderr, "printed:\n%.*sexpected:\n%s", STR_ARG(buffer_str(&out)), expected);
  buffer_free(&out);
  buffer_free(&warnings);
  pprofc_bench_free(set);
  return same;
}

#define COUNT(array) (sizeof(array) / sizeof *(array))

static pprofc_bench_options defaults(void) {
  pprofc_bench_options options;
  pprofc_bench_options_init(&options);
  return options;
}

static const struct input zeros[] = {
    {"o2.txt", "BenchmarkA 1 0 ns/op\nBenchmarkB 1 10 widgets\nBenchmarkC 1 0 widgets\n"},
    {"n2.txt", "BenchmarkA 1 5 ns/op\nBenchmarkC 1 0 widgets\nBenchmarkD 1 4 widgets\n"},
};

static const struct input changes[] = {
    {"o1.txt",
     "goos: linux\n"
     "BenchmarkX/n=1-8 10 100 ns/op 2 allocs/op\nBenchmarkX/n=1-8 10 101 ns/op 2 allocs/op\n"
     "BenchmarkX/n=1-8 10 99 ns/op 2 allocs/op\nBenchmarkX/n=1-8 10 100 ns/op 2 allocs/op\n"
     "BenchmarkX/n=1-8 10 102 ns/op 2 allocs/op\nBenchmarkX/n=1-8 10 100 ns/op 2 allocs/op\n"},
    {"n1.txt",
     "goos: linux\n"
     "BenchmarkX/n=1-8 10 110 ns/op 2 allocs/op\nBenchmarkX/n=1-8 10 111 ns/op 2 allocs/op\n"
     "BenchmarkX/n=1-8 10 109 ns/op 2 allocs/op\nBenchmarkX/n=1-8 10 110 ns/op 2 allocs/op\n"
     "BenchmarkX/n=1-8 10 112 ns/op 2 allocs/op\nBenchmarkX/n=1-8 10 110 ns/op 2 allocs/op\n"},
};

/* ---- text and csv ------------------------------------ */

TEST(test_text_has_a_row_a_benchmark_and_a_column_an_input) {
  pprofc_bench_options options = defaults();
  CU_ASSERT(prints(changes, 2, &options, "text",
                   "goos: linux\n"
                   "        │   o1.txt    │               n1.txt               │\n"
                   "        │   sec/op    │   sec/op     vs base               │\n"
                   "X/n=1-8   100.0n ± 2%   110.0n ± 2%  +10.00% (p=0.002 n=6)\n"
                   "\n"
                   "        │   o1.txt   │            n1.txt             │\n"
                   "        │ allocs/op  │ allocs/op   vs base           │\n"
                   "X/n=1-8   2.000 ± 0%   2.000 ± 0%  ~ (p=1.000 n=6) ¹\n"
                   "¹ all samples are equal\n"));
}

TEST(test_missing_benchmarks_and_zeros_have_footnotes) {
  pprofc_bench_options options = defaults();
  CU_ASSERT(prints(zeros, 2, &options, "text",
                   "  │   o2.txt    │\n"
                   "  │    ns/op    │\n"
                   "A   0.000 ± ∞ ¹\n"
                   "¹ need >= 6 samples for confidence interval at level 0.95\n"
                   "\n"
                   "        │   o2.txt    │                n2.txt                 │\n"
                   "        │   widgets   │   widgets    vs base                  │\n"
                   "B         10.00 ± ∞ ¹\n"
                   "C         0.000 ± ∞ ¹   0.000 ± ∞ ¹       ~ (p=1.000 n=1) ²\n"
                   "D                       4.000 ± ∞ ¹\n"
                   "geomean             ³                +0.00%               ⁴ ³\n"
                   "¹ need >= 6 samples for confidence interval at level 0.95\n"
                   "² all samples are equal\n"
                   "³ summaries must be >0 to compute geomean\n"
                   "⁴ benchmark set differs from baseline; geomeans may not be comparable\n"
                   "\n"
                   "  │    n2.txt    │\n"
                   "  │    sec/op    │\n"
                   "A   5.000n ± ∞ ¹\n"
                   "¹ need >= 6 samples for confidence interval at level 0.95\n"));
}

TEST(test_csv_keeps_every_digit_and_warns_elsewhere) {
  pprofc_bench_options options = defaults();
  CU_ASSERT(prints(changes, 2, &options, "csv",
                   "goos: linux\n"
                   ",o1.txt,,n1.txt,,,\n"
                   ",sec/op,CI,sec/op,CI,vs base,P\n"
                   "X/n=1-8,1.0000000000000001e-07,2%,1.1e-07,2%,+10.00%,p=0.002 n=6\n"
                   "geomean,9.999999999999994e-08,,1.1000000000000002e-07,,+10.00%,\n"
                   "\n"
                   ",o1.txt,,n1.txt,,,\n"
                   ",allocs/op,CI,allocs/op,CI,vs base,P\n"
                   "X/n=1-8,2,0%,2,0%,~,p=1.000 n=6\n"
                   "geomean,2,,2,,+0.00%,\n"
                   "F9: all samples are equal\n"));
}

TEST(test_exact_units_need_no_test) {
  static const struct input inputs[] = {
      {"o3.txt", "Unit sz assume=exact\nBenchmarkA 1 100 sz 5 q\nBenchmarkA 1 100 sz 5 "
                 "q\nBenchmarkA 1 100 sz 5 q\n"},
      {"n3.txt", "BenchmarkA 1 105 sz 4 q\nBenchmarkA 1 105 sz 4 q\n"},
  };
  pprofc_bench_options options = defaults();
  options.filter = ".unit:sz";
  CU_ASSERT(prints(inputs, 2, &options, "text",
                   "  │   o3.txt   │           n3.txt           │\n"
                   "  │     sz     │     sz      vs base        │\n"
                   "A   100.0 ± 0%   105.0 ± 0%  +5.00% (n=3+2)\n"));
}

TEST(test_columns_may_come_from_the_name) {
  static const struct input inputs[] = {
      {"m", "BenchmarkE/f=json/s=1k-4 1 100 ns/op\nBenchmarkE/f=gob/s=1k-4 1 50 ns/op\n"}};
  pprofc_bench_options options = defaults();
  options.row = "/s@num";
  options.col = "/f@(gob json)";
  CU_ASSERT(prints(inputs, 1, &options, "csv",
                   ",gob,,json,,,\n"
                   ",sec/op,CI,sec/op,CI,vs base,P\n"
                   "1k,5.0000000000000004e-08,∞,1.0000000000000001e-07,∞,~,p=1.000 n=1\n"
                   "geomean,5.000000000000005e-08,,9.999999999999994e-08,,+100.00%,\n"
                   "B3: need >= 6 samples for confidence interval at level 0.95\n"
                   "D3: need >= 6 samples for confidence interval at level 0.95\n"
                   "F3: need >= 4 samples to detect a difference at alpha level 0.05\n"));
}

TEST(test_pooled_results_are_pointed_out) {
  static const struct input inputs[] = {
      {"a", "pkg: x\nBenchmarkA/k=1 1 1 q\npkg: y\nBenchmarkA/k=2 1 1 q\n"}};
  pprofc_bench_options options = defaults();
  options.table = "";
  options.row = ".name";
  CU_ASSERT(prints(inputs, 1, &options, "csv",
                   ",a,\n,q,CI\nA,1,∞\ngeomean,1,\n"
                   "B3: benchmarks vary in pkg, .fullname\n"
                   "B3: need >= 6 samples for confidence interval at level 0.95\n"));
}

/* ---- filters and projections ------------------------- */

static bool refuses(const char *flag, const char *text, const char *message, size_t offset) {
  pprofc_bench_options options = defaults();
  pprofc_bench_tables *tables = NULL;
  pprofc_error error = {PPROFC_OK, 0, ""};
  if (strcmp(flag, "-filter") == 0)
    options.filter = text;
  else
    options.row = text;
  pprofc_bench *set = pprofc_bench_new(NULL);
  pprofc_status status = pprofc_bench_compare(set, &options, &tables, &error);
  pprofc_bench_tables_free(tables);
  pprofc_bench_free(set);
  char expected[512];
  snprintf(expected, sizeof expected, "parsing %s: syntax error: %s\n\t%s\n\t%*s^", flag, message,
           text, (int)offset, "");
  if (strcmp(error.message, expected) != 0)
    fprintf(stderr, "%s\nexpected %s\n", error.message, expected);
  return status != PPROFC_OK && strcmp(error.message, expected) == 0;
}

TEST(test_syntax_errors_point_at_their_place) {
  CU_ASSERT(refuses("-filter", "a", "expected key:value", 0));
  CU_ASSERT(refuses("-filter", "()", "expected key:value or subexpression", 1));
  CU_ASSERT(refuses("-filter", "(a:b", "missing \")\"", 4));
  CU_ASSERT(refuses("-filter", "(a:b))", "unexpected \")\"", 5));
  CU_ASSERT(refuses("-filter", "a:b,c:d", "unexpected \",\"", 3));
  CU_ASSERT(refuses("-filter", "a:/b", "missing close \"/\"", 2));
  CU_ASSERT(refuses("-filter", "a:(b c)", "value list must be separated by OR", 5));
  CU_ASSERT(refuses("-filter", "\"a:b", "missing end quote", 0));
  CU_ASSERT(refuses("-filter", "\"\\z\":b", "bad escape sequence", 0));
  CU_ASSERT(refuses("-filter", "x:y .config:z", ".config is only allowed in projections", 4));
  CU_ASSERT(refuses("-row", "a,,b", "expected key", 2));
  CU_ASSERT(refuses("-row", "a@", "expected named sort order or parenthesized list", 2));
  CU_ASSERT(refuses("-row", "a@()", "nothing to match", 3));
  CU_ASSERT(refuses("-row", "a@(x,y)", "missing )", 4));
  CU_ASSERT(refuses("-row", "a@foo", "unknown order \"foo\"", 2));
  CU_ASSERT(refuses("-row", "\"\"", "key must not be empty", 0));
  CU_ASSERT(refuses("-row", ".unit", ".unit is only allowed in filters", 0));
  CU_ASSERT(refuses("-row", ".config@(x)", "fixed order not allowed for .config", 8));
}

TEST(test_deep_nesting_is_an_error_not_a_crash) {
  static char query[200001];
  memset(query, '(', sizeof query - 1);
  pprofc_bench_options options = defaults();
  options.filter = query;
  pprofc_bench_tables *tables;
  pprofc_error error;
  pprofc_bench *set = pprofc_bench_new(NULL);
  CU_ASSERT(pprofc_bench_compare(set, &options, &tables, &error) == PPROFC_E_INVALID);
  memset(query, '-', sizeof query - 1);
  CU_ASSERT(pprofc_bench_compare(set, &options, &tables, &error) == PPROFC_E_INVALID);
  pprofc_bench_free(set);
}

/* Checks the names of the benchmarks that a filter keeps. */
static bool keeps(const char *filter, const char *expected) {
  static const struct input input = {
      "f", "goos: linux\nBenchmarkA 1 1 ns/op 2 B/op\nBenchmarkB/k=1 1 1 ns/op\n"
           "goos: plan9\nBenchmarkC-4 1 1 B/op\n"};
  pprofc_bench_options options = defaults();
  options.filter = filter;
  options.table = "";
  pprofc_bench_tables *tables;
  struct buffer names;
  buffer_init(&names, &mem_default, 4096);
  pprofc_bench *set = read_inputs(&input, 1, NULL, false);
  CU_ASSERT_FATAL(pprofc_bench_compare(set, &options, &tables, NULL) == PPROFC_OK);
  for (size_t i = 0; i < pprofc_bench_table_count(tables); i++) {
    pprofc_bench_table table = pprofc_bench_table_at(tables, i);
    if (i) buffer_add_char(&names, ' ');
    buffer_add_str(&names, table.unit);
    for (size_t row = 0; row < table.rows; row++) {
      buffer_add_char(&names, row ? ',' : ':');
      buffer_add_str(&names, pprofc_bench_row_label(tables, i, row));
    }
  }
  bool same = str_equal(buffer_str(&names), str_of(expected));
  if (!same) fprintf(stderr, "%s keeps %.*s\n", filter, STR_ARG(buffer_str(&names)));
  buffer_free(&names);
  pprofc_bench_tables_free(tables);
  pprofc_bench_free(set);
  return same;
}

TEST(test_filters_choose_results_and_measurements) {
  CU_ASSERT(keeps("*", "sec/op:A,B/k=1 B/op:A,C-4"));
  CU_ASSERT(keeps("-*", ""));
  CU_ASSERT(keeps("goos:linux", "sec/op:A,B/k=1 B/op:A"));
  CU_ASSERT(keeps(".unit:ns/op", "sec/op:A,B/k=1"));
  CU_ASSERT(keeps(".unit:sec/op", "sec/op:A,B/k=1"));
  CU_ASSERT(keeps("-.unit:/^B/", "sec/op:A,B/k=1"));
  CU_ASSERT(keeps(".name:A AND .unit:B/op", "B/op:A"));
  CU_ASSERT(keeps(".name:A OR .unit:B/op", "sec/op:A B/op:A,C-4"));
  CU_ASSERT(keeps("/k:(1 OR 2)", "sec/op:B/k=1"));
  CU_ASSERT(keeps("/gomaxprocs:4", "B/op:C-4"));
  CU_ASSERT(keeps("nosuch:\"\" -goos:linux", "B/op:C-4"));
  CU_ASSERT(keeps(".fullname:/^[AB]/", "sec/op:A,B/k=1 B/op:A"));
}

/* ---- tests, NaN -------------------------------------- */

static pprofc_bench_cell second_cell(const struct input *inputs,
                                     const pprofc_bench_options *options, char *note, size_t size) {
  pprofc_bench_tables *tables;
  pprofc_bench *set = read_inputs(inputs, 2, NULL, false);
  CU_ASSERT_FATAL(pprofc_bench_compare(set, options, &tables, NULL) == PPROFC_OK);
  pprofc_bench_table table = pprofc_bench_table_at(tables, 0);
  CU_ASSERT_FATAL(table.cells == 2);
  pprofc_bench_cell cell = table.cell[1];
  snprintf(note, size, "%s", cell.comparison_notes ? cell.notes[cell.sample_notes] : "");
  pprofc_bench_tables_free(tables);
  pprofc_bench_free(set);
  return cell;
}

TEST(test_welch_compares_means) {
  static const struct input inputs[] = {
      {"a", "BenchmarkA 1 2 q\nBenchmarkA 1 1 q\nBenchmarkA 1 3 q\nBenchmarkA 1 4 q\n"},
      {"b", "BenchmarkA 1 6 q\nBenchmarkA 1 5 q\nBenchmarkA 1 7 q\nBenchmarkA 1 9 q\n"}};
  char note[100];
  pprofc_bench_options options = defaults();
  options.test = PPROFC_BENCH_TTEST;
  pprofc_bench_cell cell = second_cell(inputs, &options, note, sizeof note);
  CU_ASSERT_DOUBLE_EQUAL(cell.p, 0.008512863131378223, 1e-12);
  CU_ASSERT_DOUBLE_EQUAL(cell.center, 6.75, 1e-12);
  CU_ASSERT_DOUBLE_EQUAL(cell.high - cell.center, 3.182446305284263 * sqrt(2.9166666666666665 / 4),
                         1e-9);
  options.test = PPROFC_BENCH_NONE;
  cell = second_cell(inputs, &options, note, sizeof note);
  CU_ASSERT(cell.p == 0 && cell.alpha == 0);
}

TEST(test_nan_is_not_compared) {
  static const struct input inputs[] = {{"a", "BenchmarkA 1 nan q\nBenchmarkA 1 1 q\n"},
                                        {"b", "BenchmarkA 1 2 q\n"}};
  char note[100];
  pprofc_bench_options options = defaults();
  for (int test = PPROFC_BENCH_UTEST; test <= PPROFC_BENCH_NONE; test++) {
    options.test = (pprofc_bench_test)test;
    pprofc_bench_cell cell = second_cell(inputs, &options, note, sizeof note);
    CU_ASSERT(cell.nan && cell.p == 1);
    CU_ASSERT_STRING_EQUAL(note, "a sample holds NaN");
  }
}

/* ---- other formats ----------------------------------- */

static const struct input hostile[] = {
    {"<o>|", "pkg: <script>\nBenchmarkA|b_*<i> 1 1 q\nBenchmarkA|b_*<i> 1 2 q\n"},
    {"n", "pkg: <script>\nBenchmarkA|b_*<i> 1 3 q\nBenchmarkNew 1 3 q\n"},
};

TEST(test_markdown_escapes_what_it_would_read) {
  pprofc_bench_options options = defaults();
  CU_ASSERT(prints(hostile, 2, &options, "markdown",
                   "pkg: &lt;script>  \n"
                   "\n"
                   "|  | &lt;o>\\| q | n q | vs base |\n"
                   "| :-- | --: | --: | --: |\n"
                   "| A\\|b\\_\\*&lt;i> | 1.500 ± ∞ ¹ | 3.000 ± ∞ ¹ | \\~ (p=0.667 n=2+1) ² |\n"
                   "| New |  | 3.000 ± ∞ ¹ | |\n"
                   "| geomean | 1.500 | 3.000 | +100.00% |\n"
                   "\n"
                   "¹ need >= 6 samples for confidence interval at level 0.95\n"
                   "\n"
                   "² need >= 4 samples to detect a difference at alpha level 0.05\n"));
}

TEST(test_json_has_every_sample) {
  pprofc_bench_options options = defaults();
  CU_ASSERT(prints(
      hostile, 1, &options, "json",
      "{\"version\":1,\"test\":\"utest\",\"alpha\":0.05,\"confidence\":0.95,\"tables\":[\n"
      "{\"unit\":\"q\",\"better\":\"unknown\",\"assume\":\"nothing\",\"key\":{\"pkg\":"
      "\"\\u003cscript\\u003e\"},"
      "\"columns\":[\n"
      "{\"label\":\"\\u003co\\u003e|\",\"key\":{\".file\":\"\\u003co\\u003e|\"},\"geomean\":1.5,"
      "\"notes\":[]}],"
      "\"rows\":[\n"
      "{\"label\":\"A|b_*\\u003ci\\u003e\",\"key\":{\".fullname\":\"A|b_*\\u003ci\\u003e\"},"
      "\"cells\":[\n"
      "{\"column\":0,\"n\":2,\"center\":1.5,\"low\":null,\"high\":null,\"samples\":[1,2],"
      "\"notes\":[\"need \\u003e= 6 samples for confidence interval at level 0.95\"]}]}]}]}\n"));
}

TEST(test_html_escapes_names) {
  pprofc_bench_options options = defaults();
  pprofc_bench_tables *tables;
  struct buffer out;
  buffer_init(&out, &mem_default, (size_t)1 << 20);
  pprofc_bench *set = read_inputs(hostile, 2, NULL, false);
  CU_ASSERT_FATAL(pprofc_bench_compare(set, &options, &tables, NULL) == PPROFC_OK);
  CU_ASSERT(pprofc_bench_print(tables, "html", buffer_write, &out, NULL, NULL, NULL) == PPROFC_OK);
  CU_ASSERT(str_find(buffer_str(&out), STR("<script>")) ==
            str_find(buffer_str(&out), STR("<script>// Sorts the rows")));
  CU_ASSERT(str_find(buffer_str(&out), STR("A|b_*&lt;i&gt;")) < out.size);
  CU_ASSERT(pprofc_bench_print(tables, "nosuch", buffer_write, &out, NULL, NULL, NULL) ==
            PPROFC_E_INVALID);
  buffer_free(&out);
  pprofc_bench_tables_free(tables);
  pprofc_bench_free(set);
}

static bool prints_classic(const struct input *inputs, size_t count, const char *format,
                           bool geomean, pprofc_bench_test test, const char *expected) {
  pprofc_bench_classic_options options;
  struct buffer out;
  pprofc_bench_classic_options_init(&options);
  options.geomean = geomean;
  options.test = test;
  buffer_init(&out, &mem_default, (size_t)1 << 20);
  pprofc_bench *set = read_inputs(inputs, count, NULL, true);
  CU_ASSERT(pprofc_bench_print_classic(set, &options, format, buffer_write, &out, NULL) ==
            PPROFC_OK);
  bool same = str_equal(buffer_str(&out), str_of(expected));
  if (!same) fprintf(stderr, "printed:\n%.*sexpected:\n%s", STR_ARG(buffer_str(&out)), expected);
  buffer_free(&out);
  pprofc_bench_free(set);
  return same;
}

TEST(test_the_earlier_table_has_old_and_new) {
  static const struct input inputs[] = {
      {"o", "BenchmarkGobEncode 100 13552735 ns/op 56.63 MB/s\nBenchmarkGobEncode 100 13553943 "
            "ns/op 56.63 MB/s\n"
            "BenchmarkGobEncode 100 13606356 ns/op 56.41 MB/s\nBenchmarkGobEncode 100 13683198 "
            "ns/op 56.09 MB/s\n"
            "BenchmarkC 1 100 ns/op\nBenchmarkC 1 100 ns/op\n"},
      {"n", "BenchmarkGobEncode 100 11773189 ns/op 65.19 MB/s\nBenchmarkGobEncode 100 11942588 "
            "ns/op 64.27 MB/s\n"
            "BenchmarkGobEncode 100 11786159 ns/op 65.12 MB/s\nBenchmarkGobEncode 100 11628583 "
            "ns/op 66.00 MB/s\n"
            "BenchmarkGobEncode 100 11815924 ns/op 64.96 MB/s\nBenchmarkC 1 120 ns/op\nBenchmarkC "
            "1 120 ns/op\n"},
  };
  CU_ASSERT(prints_classic(inputs, 2, "text", false, PPROFC_BENCH_TTEST,
                           "name       old time/op    new time/op    delta\n"
                           "GobEncode    13.6ms ± 1%    11.8ms ± 1%  -13.31%  (p=0.000 n=4+5)\n"
                           "C             100ns ± 0%     120ns ± 0%     ~     (zero variance)\n"
                           "\n"
                           "name       old speed      new speed      delta\n"
                           "GobEncode  56.4MB/s ± 1%  65.1MB/s ± 1%  +15.36%  (p=0.000 n=4+5)\n"));
  CU_ASSERT(prints_classic(inputs, 2, "csv", true, PPROFC_BENCH_NONE,
                           "name,old time/op (ns/op),±,new time/op (ns/op),±,delta,±\n"
                           "GobEncode,1.35991E+07,1%,1.17893E+07,1%,-13.31%\n"
                           "C,1.00000E+02,0%,1.20000E+02,0%,+20.00%\n"
                           "[Geo mean],3.68769E+04,,3.76127E+04,,+2.00%\n"
                           "\n"
                           "name,old speed (MB/s),±,new speed (MB/s),±,delta,±\n"
                           "GobEncode,5.64400E+01,1%,6.51080E+01,1%,+15.36%\n"));
}

/* ---- memory ------------------------------------------ */

struct faulty {
  long remaining; /* number of allocations before one fails; negative: no allocation fails */
  long live;
};

static void *faulty_alloc(void *context, size_t size) {
  struct faulty *faulty = context;
  if (faulty->remaining == 0) return NULL;
  if (faulty->remaining > 0) faulty->remaining--;
  void *block = mem_default.alloc(mem_default.context, size);
  faulty->live += block != NULL;
  return block;
}

static void *faulty_resize(void *context, void *block, size_t old_size, size_t new_size) {
  struct faulty *faulty = context;
  if (!block) return faulty_alloc(context, new_size);
  if (faulty->remaining == 0) return NULL;
  if (faulty->remaining > 0) faulty->remaining--;
  return mem_default.resize(mem_default.context, block, old_size, new_size);
}

static void faulty_release(void *context, void *block, size_t size) {
  struct faulty *faulty = context;
  faulty->live -= block != NULL;
  mem_default.release(mem_default.context, block, size);
}

static int nowhere(void *context, const void *data, size_t size) {
  (void)context, (void)data, (void)size;
  return 0;
}

static const struct input every_reader[] = {
    {"text", "Unit w assume=exact\npkg: a\nBenchmarkA/k=1-4 1 1 ns/op 2 w\npkg: "
             "b\nBenchmarkA/k=1-4 1 2 ns/op 3 w\n"},
    {"json",
     "{\"Action\":\"output\",\"Package\":\"p\",\"Output\":\"BenchmarkA/k=1-4 1 1 ns/op\\n\"}\n"},
    {"gbench", "{\"context\":{},\"benchmarks\":[{\"name\":\"A/"
               "k=1-4\",\"run_type\":\"iteration\",\"real_time\":12.7,"
               "\"time_unit\":\"us\",\"c\":1}]}"},
    {"jmh", "[{\"benchmark\":\"A\",\"mode\":\"avgt\",\"primaryMetric\":{\"scoreUnit\":\"us/"
            "op\",\"rawData\":[[1]]},"
            "\"secondaryMetrics\":{\"m\":{\"rawData\":[[1]]}}}]"},
    {"criterion", "{\"iters\":[1],\"times\":[5]}"},
    {"csv", "name,unit,value\nA/k=1-4,ns/op,7\n"},
};

/* Calls each function once. Returns true if no allocation failed. */
static bool run_once(const pprofc_allocator *mem, bool classic) {
  static const char *const formats[] = {"text", "csv", "markdown", "json", "html"};
  pprofc_bench_options options = defaults();
  options.allocator = mem;
  options.table = "";
  options.row = ".name /k@num";
  options.filter = "-nosuch:/x/ (.unit:/o/ OR \"pkg\":a)";
  pprofc_bench *set = read_inputs(every_reader, COUNT(every_reader), mem, classic);
  if (!set) return false;
  bool good = true;
  pprofc_bench_tables *tables;
  if (classic) {
    pprofc_bench_classic_options old;
    pprofc_bench_classic_options_init(&old);
    old.allocator = mem;
    old.geomean = true;
    old.sort = "delta";
    good = pprofc_bench_print_classic(set, &old, "text", nowhere, NULL, NULL) == PPROFC_OK;
  } else if (pprofc_bench_compare(set, &options, &tables, NULL) != PPROFC_OK) {
    good = false;
  } else {
    for (size_t i = 0; i < COUNT(formats) && good; i++)
      good =
          pprofc_bench_print(tables, formats[i], nowhere, NULL, nowhere, NULL, NULL) == PPROFC_OK;
    pprofc_bench_tables_free(tables);
  }
  pprofc_bench_free(set);
  return good;
}

TEST(test_every_allocation_may_fail) {
  for (int classic = 0; classic < 2; classic++) {
    bool good = false;
    for (long n = 0; !good && n < 100000; n++) {
      struct faulty faulty = {.remaining = n, .live = 0};
      pprofc_allocator mem = {faulty_alloc, faulty_resize, faulty_release, &faulty};
      good = run_once(&mem, classic == 1);
      CU_ASSERT_EQUAL(faulty.live, 0);
      if (faulty.live) break;
    }
    CU_ASSERT(good);
  }
}
