/* Tests the gate on zeros and missing results. A result that was not measured or not compared must
 * not be a pass. */
#include "gate_fixture.h"

/* ---- zeros and missing values ------------------------ */

static int judge_values(struct fixture *f, const char *unit, double base, double head) {
  open_gate(f);
  put_same(&f->base, "A", unit, base, 6);
  put_same(&f->head, "A", unit, head, 6);
  return judge(f);
}

TEST(test_what_zero_says) {
  static const struct {
    const char *unit;
    double base, head;
    int status;
    pprofc_gate_verdict verdict;
  } cases[] = {{"ns/op", 0, 100, 1, PPROFC_GATE_UNMEASURED},
               {"ns/op", 100, 0, 1, PPROFC_GATE_UNMEASURED},
               {"ns/op", 0, 0, 1, PPROFC_GATE_UNMEASURED},
               {"allocs/op", 0, 100, 2, PPROFC_GATE_REGRESSED},
               {"allocs/op", 0, 0, 0, PPROFC_GATE_UNCHANGED},
               {"allocs/op", 100, 0, 0, PPROFC_GATE_SUSPICIOUS},
               {"B/op", 0, 16, 2, PPROFC_GATE_REGRESSED},
               {"MB/s", 100, 0, 2, PPROFC_GATE_REGRESSED},
               {"widgets", 1, 2, 1, PPROFC_GATE_INFORMATIONAL}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct fixture f;
    CU_ASSERT_EQUAL(judge_values(&f, cases[i].unit, cases[i].base, cases[i].head), cases[i].status);
    CU_ASSERT_EQUAL(verdict_named(&f, "A"), cases[i].verdict);
    CU_ASSERT_EQUAL(f.gate.compared, cases[i].status != 1);
    CU_ASSERT_EQUAL(strcmp(gate_result_name(&f.gate), "no result") == 0, cases[i].status == 1);
    close_gate(&f);
  }
}

/* A zero keeps the unit of its text, but must belong to the same benchmark as the other values. */
TEST(test_zeros_among_times_are_of_the_same_benchmark) {
  struct fixture f;
  size_t count;
  open_gate(&f);
  put_quiet(&f.base, "A", "ns/op", 1, 9);
  put_same(&f.base, "A", "ns/op", 0, 1);
  put_quiet(&f.head, "A", "ns/op", 1, 10);
  CU_ASSERT_EQUAL(judge(&f), 0);
  CU_ASSERT_EQUAL(gate_rows(&f.gate, &count)->base_count, 10);
  CU_ASSERT_EQUAL(count, 1);
  close_gate(&f);
}

TEST(test_no_name_in_common_is_no_pass) {
  struct fixture f;
  open_gate(&f);
  put_quiet(&f.base, "A", "ns/op", 1, 10);
  put_quiet(&f.head, "B", "ns/op", 1, 10);
  CU_ASSERT_EQUAL(judge(&f), 1);
  CU_ASSERT(has_note(&f.gate.problems, "nothing was compared: 1 in base only, 1 in head only"));
  close_gate(&f);
}
