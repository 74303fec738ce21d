/* Tests the output of the gate: annotations, comments within the size limit, reports that programs
 * can parse, and the totals at the end. */
#include "gate/judge.h"
#include "gate/print/print.h"
#include "gate/read/read.h"
#include "unit.h"

#include <math.h>

#define TODAY "2026-11-20"

/* Creates a gate with `count` regressions from a CSV table. */
static void fill(struct gate *gate, struct buffer *table, size_t count, const char *name) {
  gate_init(gate, &mem_default);
  buffer_init(table, &mem_default, (size_t)1 << 30);
  buffer_add_text(table, ",old,,new,,,\n,sec/op,CI,sec/op,CI,vs base,P\n");
  for (size_t i = 0; i < count; i++)
    buffer_printf(table, "\"%s%zu\",1e-06,2%%,1.2e-06,1%%,+20.00%%,p=0.000 n=10\n", name, i);
  gate->settings.correction = PPROFC_GATE_UNCORRECTED;
  CU_ASSERT_EQUAL(gate_read_tables(gate, STR("a,b:c.csv"), buffer_str(table), NULL), PPROFC_OK);
  CU_ASSERT_EQUAL(gate_judge(gate, TODAY, NULL), PPROFC_OK);
}

static void print(const struct gate *gate, const char *format, struct buffer *out) {
  buffer_init(out, &mem_default, (size_t)1 << 30);
  gate_format_find(str_of(format))->print(out, gate, false);
  CU_ASSERT(!out->failed);
}

static size_t count_of(const struct buffer *out, const char *text) {
  size_t count = 0;
  pprofc_str rest = buffer_str(out), word = str_of(text);
  for (size_t at; (at = str_find(rest, word)) < rest.size; count++)
    rest = str_slice(rest, at + word.size, rest.size);
  return count;
}

TEST(test_annotations_are_escaped) {
  struct gate gate;
  struct buffer table, out;
  fill(&gate, &table, 1, "A:1,50%");
  print(&gate, "github", &out);
  CU_ASSERT(str_starts(buffer_str(&out),
                       STR("::error file=a%2Cb%3Ac.csv,line=3,title=regressed%3A A%3A1%2C50%250::"
                           "A:1,50%250 sec/op +20.00%25 p=0.0005 n=10+10\n")));
  buffer_free(&out);
  buffer_free(&table);
  gate_free(&gate);
}

TEST(test_no_more_annotations_than_are_shown) {
  struct gate gate;
  struct buffer table, out;
  fill(&gate, &table, 100, "A");
  print(&gate, "github", &out);
  CU_ASSERT_EQUAL(count_of(&out, "::error "), 10);
  CU_ASSERT_EQUAL(count_of(&out, "::100 regressed"), 1);
  buffer_free(&out);
  buffer_free(&table);
  gate_free(&gate);
}

TEST(test_a_comment_always_fits) {
  struct gate gate;
  struct buffer table, out;
  fill(&gate, &table, 3000, "Benchmark|with*markup");
  for (size_t i = 0; i < 1000; i++) gate_problem(&gate, "problem %zu of many", i);
  print(&gate, "markdown", &out);
  CU_ASSERT(out.size <= 60000);
  CU_ASSERT(str_starts(buffer_str(&out), STR("<!-- parse_bench_regressions -->\n")));
  CU_ASSERT(str_ends(buffer_str(&out),
                     STR("\n3000 compared, 3000 significant, 3000 regressed, 0 missing\n")));
  CU_ASSERT_EQUAL(count_of(&out, "more rows do not fit here"), 1);
  CU_ASSERT_EQUAL(count_of(&out, "with*markup"), 0);
  buffer_free(&out);
  buffer_free(&table);
  gate_free(&gate);
}

TEST(test_text_ends_with_the_totals) {
  static const char *const formats[] = {"text", "github", "markdown"};
  for (size_t i = 0; i < 3; i++) {
    struct gate gate;
    struct buffer table, out;
    fill(&gate, &table, 2, "A");
    print(&gate, formats[i], &out);
    CU_ASSERT(
        str_ends(buffer_str(&out), STR("\n2 compared, 2 significant, 2 regressed, 0 missing\n")));
    buffer_free(&out);
    buffer_free(&table);
    gate_free(&gate);
  }
}

TEST(test_xml_is_escaped) {
  struct gate gate;
  struct buffer table, out;
  fill(&gate, &table, 1, "A<B>&");
  print(&gate, "junit", &out);
  CU_ASSERT_EQUAL(count_of(&out, "name=\"A&lt;B&gt;&amp;0 sec/op\""), 1);
  CU_ASSERT_EQUAL(count_of(&out, "<failure message=\"regressed\">"), 1);
  buffer_free(&out);
  buffer_free(&table);
  gate_free(&gate);
}

TEST(test_effects_read_as_promised) {
  struct gate_row row = gate_row_unknown();
  struct gate gate;
  struct buffer out;
  gate_init(&gate, &mem_default);
  buffer_init(&out, &mem_default, 1000);
  row.in_base = row.in_head = true;
  row.delta = 0.215;
  row.low = 0.198;
  row.high = 0.231;
  row.tested = true;
  row.p = 0.0001;
  row.adjusted = row.alpha = 0.05;
  row.base_count = row.head_count = 10;
  gate_print_effect(&out, &gate, &row);
  CU_ASSERT(
      str_equal(buffer_str(&out), STR("+21.50% [+19.80%, +23.10%] adjusted p=0.0500 n=10+10")));
  buffer_clear(&out);
  row.base = 0;
  row.delta = INFINITY;
  row.low = row.high = (double)NAN;
  row.head = 3;
  row.adjusted = 0.050004;
  gate_print_effect(&out, &gate, &row);
  /* A p-value above alpha must not be rounded to alpha. */
  CU_ASSERT(str_equal(buffer_str(&out), STR("0 \xE2\x86\x92 3 adjusted p=0.050004 n=10+10")));
  buffer_clear(&out);
  gate.settings.correction = PPROFC_GATE_UNCORRECTED;
  gate_print_effect(&out, &gate, &row);
  CU_ASSERT(str_equal(buffer_str(&out), STR("0 \xE2\x86\x92 3 p=0.050004 n=10+10")));
  buffer_free(&out);
  gate_free(&gate);
}
