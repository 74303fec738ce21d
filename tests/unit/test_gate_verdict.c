/* Tests the tables of verdicts: if a row meets several conditions, one of them must decide. */
#include "gate/judge.h"
#include "unit.h"

#include <math.h>

static const struct gate plain_gate = {
    .settings = {.threshold = 0.05, .alpha = 0.05, .min_samples = 4}};

/* Returns a row that is 10 % slower, with a significant change and ten samples per side. */
static struct gate_row slower(void) {
  struct gate_row row = gate_row_unknown();
  row.unit = STR("sec/op");
  row.direction = -1;
  row.in_base = true;
  row.in_head = true;
  row.base = 1.0;
  row.head = 1.1;
  row.base_count = 10;
  row.head_count = 10;
  row.delta = 0.1;
  row.low = 0.08;
  row.high = 0.12;
  row.tested = true;
  row.significant = true;
  row.threshold = 0.05;
  return row;
}

static pprofc_gate_verdict compared(struct gate_row row) {
  return verdict_of(&plain_gate, &row, NULL);
}

static pprofc_gate_verdict untested(struct gate_row row, const struct gate_rule *rule) {
  return verdict_without_test(&row, rule);
}

TEST(test_a_change_must_be_significant_and_large) {
  struct gate_row row = slower();
  CU_ASSERT_EQUAL(compared(row), PPROFC_GATE_REGRESSED);
  row.significant = false;
  CU_ASSERT_EQUAL(compared(row), PPROFC_GATE_INCONCLUSIVE);
  row = slower();
  row.threshold = 0.1; /* the change reaches the threshold, also after rounding */
  CU_ASSERT_EQUAL(compared(row), PPROFC_GATE_REGRESSED);
  row.threshold = 0.11; /* the interval of the change includes the threshold */
  CU_ASSERT_EQUAL(compared(row), PPROFC_GATE_INCONCLUSIVE);
  row.threshold = 0.13;
  CU_ASSERT_EQUAL(compared(row), PPROFC_GATE_UNCHANGED);
  row = slower();
  row.floor = 0.2; /* the floor is larger than the difference */
  CU_ASSERT_EQUAL(compared(row), PPROFC_GATE_UNCHANGED);
  row = slower();
  row.noise = 0.1; /* a change must exceed this noise */
  CU_ASSERT_EQUAL(compared(row), PPROFC_GATE_INCONCLUSIVE);
}

TEST(test_the_direction_decides_what_is_worse) {
  struct gate_row row = slower();
  row.direction = 1;
  CU_ASSERT_EQUAL(compared(row), PPROFC_GATE_IMPROVED);
  row = slower();
  row.head = 0.4;
  row.delta = -0.6;
  row.low = -0.7;
  row.high = -0.5;
  CU_ASSERT_EQUAL(compared(row), PPROFC_GATE_SUSPICIOUS);
  row.delta = -0.4;
  CU_ASSERT_EQUAL(compared(row), PPROFC_GATE_IMPROVED);
  row.delta = -0.6;
  row.direction = 1;
  CU_ASSERT_EQUAL(compared(row), PPROFC_GATE_REGRESSED);
}

TEST(test_few_samples_come_first) {
  struct gate_row row = slower();
  row.head_count = 3;
  CU_ASSERT_EQUAL(compared(row), PPROFC_GATE_TOO_FEW);
  row.exact = true;
  CU_ASSERT_EQUAL(compared(row), PPROFC_GATE_REGRESSED);
}

TEST(test_a_delta_without_size) {
  struct gate_row row = slower();
  row.delta = (double)NAN;
  CU_ASSERT_EQUAL(compared(row), PPROFC_GATE_INCONCLUSIVE);
  row.significant = false;
  CU_ASSERT_EQUAL(compared(row), PPROFC_GATE_UNCHANGED);
}

TEST(test_without_an_interval_the_change_itself_is_a_doubt) {
  struct gate_row row = slower();
  row.significant = false;
  row.low = (double)NAN;
  row.high = (double)NAN;
  CU_ASSERT_EQUAL(compared(row), PPROFC_GATE_INCONCLUSIVE);
  row.delta = 0.04;
  CU_ASSERT_EQUAL(compared(row), PPROFC_GATE_UNCHANGED);
}

TEST(test_a_rule_accepts_so_much) {
  struct gate_row row = slower();
  struct gate_rule rule = {.accept = true, .accepted = 0.1};
  CU_ASSERT_EQUAL(verdict_of(&plain_gate, &row, &rule), PPROFC_GATE_ACCEPTED);
  CU_ASSERT(verdict_is_decided(PPROFC_GATE_ACCEPTED)); /* a second test must not change this
                                                          verdict */
  row.delta = 0.11;
  CU_ASSERT_EQUAL(verdict_of(&plain_gate, &row, &rule), PPROFC_GATE_REGRESSED);
  row.significant = false;
  CU_ASSERT_EQUAL(verdict_of(&plain_gate, &row, &rule), PPROFC_GATE_INCONCLUSIVE);
}

TEST(test_what_needs_no_test) {
  const struct gate_rule ignore = {.ignore = true};
  struct gate_row row = slower();
  CU_ASSERT_EQUAL(untested(row, NULL), PPROFC_GATE_UNCHANGED);
  row.direction = 0;
  CU_ASSERT_EQUAL(untested(row, NULL), PPROFC_GATE_INFORMATIONAL);
  row.head = 0;
  CU_ASSERT_EQUAL(untested(row, NULL), PPROFC_GATE_UNMEASURED);
  row.unit = STR("allocs/op"); /* a count may become 0 */
  CU_ASSERT_EQUAL(untested(row, NULL), PPROFC_GATE_INFORMATIONAL);
  row.in_head = false;
  CU_ASSERT_EQUAL(untested(row, NULL), PPROFC_GATE_MISSING);
  row.in_head = true;
  row.in_base = false;
  CU_ASSERT_EQUAL(untested(row, NULL), PPROFC_GATE_NEW);
  row.aside = "CPU time is judged";
  CU_ASSERT_EQUAL(untested(row, NULL), PPROFC_GATE_ASIDE);
  CU_ASSERT_EQUAL(untested(row, &ignore), PPROFC_GATE_IGNORED);
}
