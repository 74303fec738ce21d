/* Tests the gate on raw results. The samples of testdata/bench have known verdicts. Other cases are
 * inputs that an earlier gate judged wrong. */
#include "gate/judge.h"
#include "gate/selftest/selftest.h"
#include "gate_fixture.h"
#include "stats/stats.h"

/* ---- helpers ----------------------------------------- */

static void open_one(struct fixture *f) {
  open_gate(f);
  f->gate.settings.one_process = true;
}

/* Defines a test whose body gets an open gate `f`. */
#define GATE_TEST(function)                                                                        \
  static void function##_in(struct fixture *f);                                                    \
  TEST(function) {                                                                                 \
    struct fixture f;                                                                              \
    open_one(&f);                                                                                  \
    function##_in(&f);                                                                             \
    close_gate(&f);                                                                                \
  }                                                                                                \
  static void function##_in(struct fixture *f)

/* Appends a benchmark with `count` samples to base and head. */
static void put_both(struct fixture *f, const char *name, const char *unit, double base,
                     double head, size_t count) {
  put_quiet(&f->base, name, unit, base, count);
  put_quiet(&f->head, name, unit, head, count);
}

static void load(struct buffer *out, const char *path) {
  char block[4096];
  FILE *file = fopen(path, "rb");
  CU_ASSERT_PTR_NOT_NULL_FATAL(file);
  for (size_t n; (n = fread(block, 1, sizeof block, file));) buffer_add(out, block, n);
  fclose(file);
}

static void load_vectors(struct fixture *f) {
  load(&f->base, TESTDATA "/bench/gate_old.txt");
  load(&f->head, TESTDATA "/bench/gate_new.txt");
}

static bool near(double a, double b, double tolerance) {
  return fabs(a - b) <= tolerance * fmax(1e-300, fabs(b));
}

/* ---- the acceptance table ---------------------------- */

static const struct vector {
  const char *name;
  double delta, p, q, holm, low, high;
  pprofc_gate_verdict verdict;
} vectors[] = {
    {"W30", .20, .782686, .7827, .7827, -1.06, 1.18, PPROFC_GATE_UNCHANGED},
    {"W31", -1.40, .159205, .1751, .3184, -2.30, .29, PPROFC_GATE_UNCHANGED},
    {"W32", 1.97, .0452922, .05536, .1359, 0, 3.02, PPROFC_GATE_INCONCLUSIVE},
    {"W33", 2.11, .0135747, .01867, .0543, .20, 3.36, PPROFC_GATE_INCONCLUSIVE},
    {"W34", 4.41, 7.57756e-05, .0001389, .0004547, 2.25, 4.99, PPROFC_GATE_REGRESSED},
    {"W35", 4.03, .000140726, .0002211, .0007036, 1.97, 4.90, PPROFC_GATE_REGRESSED},
    {"W36", 3.81, 2.16502e-05, 4.763e-05, .0001516, 2.58, 5.06, PPROFC_GATE_REGRESSED},
    {"W37", 3.23, 1.08251e-05, 2.977e-05, .0001191, 2.35, 4.95, PPROFC_GATE_REGRESSED},
    {"Const", 20, 1.08251e-05, 2.977e-05, .0001191, 20, 20, PPROFC_GATE_REGRESSED},
    {"ZeroAlloc", 0, 1.08251e-05, 2.977e-05, .0001191, 0, 0, PPROFC_GATE_REGRESSED},
    {"Tput", -24.45, 1.08251e-05, 2.977e-05, .0001191, -25.84, -23.04, PPROFC_GATE_REGRESSED},
};

#define VECTORS (sizeof vectors / sizeof *vectors)

GATE_TEST(test_the_samples_with_known_verdicts) {
  load_vectors(f);
  f->gate.settings.test = PPROFC_GATE_UTEST;
  f->gate.settings.threshold = 0.03;
  CU_ASSERT_EQUAL(judge(f), 2);
  for (size_t i = 0; i < VECTORS; i++) {
    const struct vector *v = &vectors[i];
    const struct gate_row *row = row_of(f, v->name);
    CU_ASSERT_EQUAL(row->verdict, v->verdict);
    if (isfinite(row->delta)) {
      CU_ASSERT(fabs(100 * row->delta - v->delta) < 0.006);
      CU_ASSERT(fabs(100 * row->low - v->low) < 0.006);
      CU_ASSERT(fabs(100 * row->high - v->high) < 0.006);
    }
    if (!row->constant) CU_ASSERT(near(row->p, v->p, 1e-5));
  }
  CU_ASSERT_EQUAL(verdict_named(f, "Gone"), PPROFC_GATE_MISSING);
  CU_ASSERT_EQUAL(verdict_named(f, "New"), PPROFC_GATE_NEW);
  CU_ASSERT_EQUAL(row_of(f, "ZeroAlloc")->delta, INFINITY);
  /* A constant benchmark needs no test, and does not count for the correction of p-values. */
  CU_ASSERT_EQUAL(f->gate.family, 9);
  CU_ASSERT(near(row_of(f, "W32")->adjusted, .0452922 * 9 / 7, 1e-5));
  CU_ASSERT_EQUAL(f->gate.compared, 11);
  CU_ASSERT_EQUAL(f->gate.regressed, 7);
  CU_ASSERT_EQUAL(f->gate.missing, 1);
}

/* Tests the correction of all p-values of a gate. Other tests of corrections have more examples. */
TEST(test_correction_of_the_whole_family) {
  for (int which = PPROFC_GATE_BH; which <= PPROFC_GATE_UNCORRECTED; which++) {
    struct fixture f;
    open_one(&f);
    f.gate.settings.correction = (pprofc_gate_correction)which;
    for (size_t i = 0; i < VECTORS; i++) {
      struct gate_row row = gate_row_unknown();
      row.name = STR("X");
      row.unit = STR("sec/op");
      row.in_base = row.in_head = row.tested = true;
      row.p = vectors[i].p;
      row.base = 1;
      row.head = 2;
      CU_ASSERT_FATAL(gate_add(&f.gate, &row));
    }
    CU_ASSERT_EQUAL(gate_judge(&f.gate, "2026-11-20", NULL), PPROFC_OK);
    size_t count;
    const struct gate_row *rows = gate_rows(&f.gate, &count);
    for (size_t i = 0; i < VECTORS; i++) {
      double corrected = which == PPROFC_GATE_BH ? vectors[i].q : vectors[i].holm;
      double expected = which == PPROFC_GATE_UNCORRECTED ? vectors[i].p : corrected;
      CU_ASSERT(near(rows[i].adjusted, expected, 1e-3));
    }
    close_gate(&f);
  }
}

static int status_at(double threshold, bool strict, const char *ignore) {
  struct fixture f;
  struct gate_rule rule = {.ignore = true, .pattern = str_of(ignore), .line = 1};
  open_one(&f);
  load_vectors(&f);
  f.gate.settings.test = PPROFC_GATE_UTEST;
  f.gate.settings.threshold = threshold;
  f.gate.settings.strict = strict;
  if (ignore) {
    f.gate.settings.rules = &rule;
    f.gate.settings.rule_count = 1;
  }
  int status = judge(&f);
  f.gate.settings.rules = NULL;
  close_gate(&f);
  return status;
}

TEST(test_thresholds_over_the_samples) {
  struct fixture f;
  open_one(&f);
  load_vectors(&f);
  CU_ASSERT_EQUAL(judge(&f), 2);
  CU_ASSERT_EQUAL(f.gate.regressed, 3);
  CU_ASSERT_EQUAL(verdict_named(&f, "Const"), PPROFC_GATE_REGRESSED);
  CU_ASSERT_EQUAL(verdict_named(&f, "ZeroAlloc"), PPROFC_GATE_REGRESSED);
  CU_ASSERT_EQUAL(verdict_named(&f, "Tput"), PPROFC_GATE_REGRESSED);
  close_gate(&f);
  CU_ASSERT_EQUAL(status_at(0.05, false, NULL), 2);
  CU_ASSERT_EQUAL(status_at(0.30, false, NULL), 2);
  CU_ASSERT_EQUAL(status_at(0.30, false, "ZeroAlloc"), 0);
  CU_ASSERT_EQUAL(status_at(0.30, true, "ZeroAlloc"), 3);
  CU_ASSERT_EQUAL(status_at(0.30, false, "Misspelt"), 1);
}

/* Tests how many ratios the interval omits at each end, against values from the literature. */
TEST(test_interval_of_ratios_for_every_size) {
  static const struct {
    size_t n, at_05, at_01;
  } cases[] = {{4, 1, 0},   {5, 3, 1},    {6, 6, 3},    {7, 9, 5},    {8, 14, 8},
               {9, 18, 12}, {10, 24, 17}, {12, 38, 28}, {15, 65, 52}, {20, 128, 106}};
  static const struct gate gate = {.mem = &mem_default};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    double ones[20], values[20], low, high;
    size_t n = cases[c].n;
    /* The base is n times 1, so ratio k is head value (k - 1) / n. */
    for (size_t i = 0; i < n; i++) {
      ones[i] = 1;
      values[i] = (double)(i + 1);
    }
    struct gate_sample base = {ones, ones, n}, head = {values, values, n};
    CU_ASSERT(gate_ratio_interval(&gate, base, head, 0.05, &low, &high));
    CU_ASSERT_EQUAL(low, (double)((cases[c].at_05 - 1) / n));
    CU_ASSERT_EQUAL(high, (double)(n - 1 - (cases[c].at_05 - 1) / n));
    CU_ASSERT(gate_ratio_interval(&gate, base, head, 0.01, &low, &high));
    bool right = cases[c].at_01 ? low == (double)((cases[c].at_01 - 1) / n) : isnan(low);
    CU_ASSERT(right);
  }
}

/* ---- single cases ------------------------------------ */

/* True if the interval excludes 0 exactly if p is at most 5 %. A p very close to 5 % can be on
 * either side. */
static bool interval_agrees(const struct gate_test *test) {
  bool excludes = test->low > 0 || test->high < 0;
  return fabs(test->p - 0.05) < 1e-9 || excludes == (test->p <= 0.05);
}

/* Draws samples of base and head with much noise and a small change. The intervals of Welch's test
 * and of the test of trimmed means must agree with their p-values. */
TEST(test_intervals_agree_with_their_tests) {
  uint64_t state = 7;
  size_t significant[GATE_TESTS] = {0};
  for (int run = 0; run < 400; run++) {
    struct gate gate;
    struct gate_row row = gate_row_unknown();
    double values[2][10], sorted[2][10];
    gate_init(&gate, &mem_default);
    for (int side = 0; side < 2; side++)
      for (int i = 0; i < 10; i++) {
        double noise = (double)(stats_random(&state) >> 11) / (double)(1ull << 53);
        values[side][i] = (side ? 100.0 + run % 40 : 100.0) * (1 + (run % 5 ? 0.8 : 0.3) * noise);
      }
    memcpy(sorted, values, sizeof sorted);
    for (int side = 0; side < 2; side++) sort_doubles(sorted[side], 10);
    CU_ASSERT_FATAL(gate_compare(&gate, &row, (struct gate_sample){values[0], sorted[0], 10},
                                 (struct gate_sample){values[1], sorted[1], 10}, PPROFC_GATE_BOTH));
    for (size_t k = 0; k < GATE_TESTS; k += 2) {
      CU_ASSERT(interval_agrees(&row.tests[k]));
      significant[k] += row.tests[k].p <= 0.05;
    }
    gate_free(&gate);
  }
  CU_ASSERT(significant[0] > 50 && significant[0] < 350);
  CU_ASSERT(significant[2] > 50 && significant[2] < 350);
}

GATE_TEST(test_one_sample_is_no_pass) {
  put_both(f, "A", "ns/op", 1, 2, 1);
  CU_ASSERT_EQUAL(judge(f), 1);
  CU_ASSERT_EQUAL(verdict_named(f, "A"), PPROFC_GATE_TOO_FEW);
  CU_ASSERT(has_note(&f->gate.problems, "no benchmark has 4 samples"));
}

GATE_TEST(test_few_samples_are_inconclusive_beside_others) {
  put_both(f, "A", "ns/op", 1, 2, 3);
  put_both(f, "B", "ns/op", 1, 1, 10);
  f->gate.settings.strict = true;
  CU_ASSERT_EQUAL(judge(f), 3);
  CU_ASSERT_EQUAL(verdict_named(f, "A"), PPROFC_GATE_TOO_FEW);
  CU_ASSERT_EQUAL(verdict_named(f, "B"), PPROFC_GATE_UNCHANGED);
}

GATE_TEST(test_without_a_test_one_sample_is_enough) {
  put_both(f, "A", "ns/op", 1, 2, 1);
  f->gate.settings.test = PPROFC_GATE_NONE;
  CU_ASSERT_EQUAL(judge(f), 2);
}

TEST(test_three_samples_cannot_be_significant_by_rank) {
  CU_ASSERT(near(gate_smallest_p(3, 3), 0.1, 1e-12));
  CU_ASSERT(near(gate_smallest_p(4, 4), 0.0286, 1e-2));
  CU_ASSERT(near(gate_smallest_p(10, 10), 1.08251e-05, 1e-5));
  CU_ASSERT(near(gate_smallest_p(1, 39), 0.05, 1e-12));
}

static int status_of_constants(double base, double head, const char *unit) {
  struct fixture f;
  open_one(&f);
  put_same(&f.base, "A", unit, base, 5);
  put_same(&f.head, "A", unit, head, 5);
  int status = judge(&f);
  close_gate(&f);
  return status;
}

TEST(test_constants_need_no_test) {
  CU_ASSERT_EQUAL(status_of_constants(100, 100, "ns/op"), 0);
  CU_ASSERT_EQUAL(status_of_constants(100, 120, "ns/op"), 2);
  CU_ASSERT_EQUAL(status_of_constants(100, 104, "ns/op"), 0);
  CU_ASSERT_EQUAL(status_of_constants(0, 0, "allocs/op"), 0);
  CU_ASSERT_EQUAL(status_of_constants(0, 1, "allocs/op"), 2);
  CU_ASSERT_EQUAL(status_of_constants(1, 0, "allocs/op"), 0);
  CU_ASSERT_EQUAL(status_of_constants(0, 1, "MB/s"), 0);
  CU_ASSERT_EQUAL(status_of_constants(10, 9, "MB/s"), 2);
  CU_ASSERT_EQUAL(status_of_constants(10, 9, "req/s"), 2);
}

TEST(test_a_change_of_exactly_the_threshold_counts) {
  CU_ASSERT_EQUAL(status_of_constants(100, 105, "ns/op"), 2);
  CU_ASSERT_EQUAL(status_of_constants(1000, 1050, "B/op"), 2);
  CU_ASSERT_EQUAL(status_of_constants(100, 95, "MB/s"), 2);
  CU_ASSERT_EQUAL(status_of_constants(100, 104.999, "ns/op"), 0);
}

TEST(test_one_side_constant) {
  for (int test = PPROFC_GATE_WELCH; test <= PPROFC_GATE_UTEST; test++) {
    struct fixture f;
    open_one(&f);
    put_same(&f.base, "A", "ns/op", 100, 10);
    put_quiet(&f.head, "A", "ns/op", 1.2, 10);
    put_same(&f.base, "Zero", "B/op", 0, 10);
    put_quiet(&f.head, "Zero", "B/op", 1, 10);
    f.gate.settings.test = (pprofc_gate_test)test;
    CU_ASSERT_EQUAL(judge(&f), 2);
    CU_ASSERT_EQUAL(verdict_named(&f, "A"), PPROFC_GATE_REGRESSED);
    CU_ASSERT_EQUAL(verdict_named(&f, "Zero"), PPROFC_GATE_REGRESSED);
    close_gate(&f);
  }
}

/* Appends samples with one outlier per side, which makes means unreliable. */
static void put_with_outlier(struct buffer *out, double center) {
  for (size_t i = 0; i < 10; i++) {
    double value = i == 4 ? 4 * center : center + (double)i / 10;
    put(out, "A", "ns/op", &value, 1);
  }
}

TEST(test_u_decides_what_welch_does_not) {
  static const struct {
    pprofc_gate_test test;
    int status;
    double p_at_most;
  } cases[] = {
      {PPROFC_GATE_BOTH, 2, 0.01}, {PPROFC_GATE_WELCH, 0, 1}, {PPROFC_GATE_UTEST, 2, 0.01}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    struct fixture f;
    open_one(&f);
    put_with_outlier(&f.base, 100);
    put_with_outlier(&f.head, 108);
    f.gate.settings.test = cases[c].test;
    CU_ASSERT_EQUAL(judge(&f), cases[c].status);
    const struct gate_row *row = row_of(&f, "A");
    CU_ASSERT_STRING_EQUAL(row->test, cases[c].status == 2 ? "U" : "Welch");
    CU_ASSERT(row->p <= cases[c].p_at_most);
    close_gate(&f);
  }
}

GATE_TEST(test_p_of_exactly_alpha_counts) {
  for (size_t i = 0; i < 39; i++) {
    double value = 100 + (double)i / 100;
    put(&f->base, "A", "ns/op", &value, 1);
  }
  double slow = 200;
  put(&f->head, "A", "ns/op", &slow, 1);
  f->gate.settings.test = PPROFC_GATE_UTEST;
  f->gate.settings.min_samples = 1;
  CU_ASSERT_EQUAL(judge(f), 2);
  CU_ASSERT_EQUAL(row_of(f, "A")->p, 0.05);
}

TEST(test_nan_and_infinities_are_no_results) {
  static const char *const bad[] = {"NaN", "+Inf", "-Inf"};
  for (size_t i = 0; i < 3; i++) {
    struct fixture f;
    open_one(&f);
    put_quiet(&f.base, "A", "ns/op", 1, 10);
    put_quiet(&f.head, "A", "ns/op", 1, 9);
    buffer_printf(&f.head, "BenchmarkA 1 %s ns/op\n", bad[i]);
    CU_ASSERT_EQUAL(judge(&f), 1);
    CU_ASSERT(has_note(&f.gate.problems, "head.txt:10: "));
    close_gate(&f);
  }
}

GATE_TEST(test_numbers_that_overflow_are_no_result) {
  for (size_t i = 0; i < 8; i++) {
    double value = i % 2 ? 1.7e308 : -1.7e308;
    put(&f->base, "A", "B/op", &value, 1);
    put(&f->head, "A", "B/op", &value, 1);
  }
  CU_ASSERT_EQUAL(judge(f), 1);
  CU_ASSERT(has_note(&f->gate.problems, "too large to compare"));
}

GATE_TEST(test_negative_values_compare_by_size) {
  put_both(f, "Down", "ns/op", -1, -1.2, 10);
  put_both(f, "Up", "ns/op", -1, -0.8, 10);
  CU_ASSERT_EQUAL(judge(f), 2);
  CU_ASSERT_EQUAL(verdict_named(f, "Down"), PPROFC_GATE_IMPROVED);
  CU_ASSERT_EQUAL(verdict_named(f, "Up"), PPROFC_GATE_REGRESSED);
}

GATE_TEST(test_a_unit_on_one_side_is_missing_or_new) {
  put_both(f, "A", "ns/op", 1, 1, 10);
  put_quiet(&f->base, "B", "B/op", 1, 10);
  put_quiet(&f->head, "C", "allocs/op", 1, 10);
  f->gate.settings.strict = true;
  CU_ASSERT_EQUAL(judge(f), 3);
  CU_ASSERT_EQUAL(verdict_named(f, "B"), PPROFC_GATE_MISSING);
  CU_ASSERT_EQUAL(verdict_named(f, "C"), PPROFC_GATE_NEW);
  CU_ASSERT_EQUAL(f->gate.compared, 1);
}

GATE_TEST(test_packages_are_kept_apart) {
  buffer_add_text(&f->base, "pkg: a\n");
  buffer_add_text(&f->head, "pkg: a\n");
  put_both(f, "X", "ns/op", 1, 1, 10);
  buffer_add_text(&f->base, "pkg: b\n");
  buffer_add_text(&f->head, "pkg: b\n");
  put_both(f, "X", "ns/op", 5, 6, 10);
  CU_ASSERT_EQUAL(judge(f), 2);
  CU_ASSERT_EQUAL(f->gate.compared, 2);
  CU_ASSERT_EQUAL(f->gate.regressed, 1);
}

GATE_TEST(test_swapped_files_are_improvements) {
  load(&f->head, TESTDATA "/bench/gate_old.txt");
  load(&f->base, TESTDATA "/bench/gate_new.txt");
  f->gate.settings.test = PPROFC_GATE_UTEST;
  f->gate.settings.threshold = 0.03;
  CU_ASSERT_EQUAL(judge(f), 0);
  CU_ASSERT_EQUAL(verdict_named(f, "Tput"), PPROFC_GATE_IMPROVED);
  CU_ASSERT_EQUAL(verdict_named(f, "ZeroAlloc"), PPROFC_GATE_SUSPICIOUS);
  CU_ASSERT_EQUAL(verdict_named(f, "New"), PPROFC_GATE_MISSING);
}

GATE_TEST(test_suspiciously_fast_is_named) {
  put_both(f, "A", "ns/op", 100, 1, 10);
  f->gate.settings.strict = true;
  CU_ASSERT_EQUAL(judge(f), 3);
  CU_ASSERT_EQUAL(verdict_named(f, "A"), PPROFC_GATE_SUSPICIOUS);
}

GATE_TEST(test_nothing_is_no_pass) {
  CU_ASSERT_EQUAL(judge(f), 1);
  CU_ASSERT(has_note(&f->gate.problems, "head holds no benchmark results"));
}

/* ---- rounds, drift, source positions ----------------- */

/* Appends rounds whose processes differ by 4 %, with little noise within a process. The test must
 * use the medians of the processes. */
static void put_rounds(struct buffer *out, double factor, size_t phase) {
  for (size_t round = 1; round <= 6; round++) {
    buffer_printf(out, "round: %zu\n", round);
    put_quiet(out, "A", "ns/op", factor * (1 + 0.04 * (double)((round * phase) % 5)), 5);
  }
}

GATE_TEST(test_rounds_are_tested_by_their_medians) {
  put_rounds(&f->base, 1, 2);
  put_rounds(&f->head, 1, 3);
  CU_ASSERT_EQUAL(judge(f), 0);
  CU_ASSERT_EQUAL(row_of(f, "A")->base_count, 6);
  CU_ASSERT_STRING_EQUAL(row_of(f, "A")->test, "Welch on medians of rounds");
}

GATE_TEST(test_three_rounds_are_pooled) {
  for (size_t round = 1; round <= 3; round++) {
    buffer_printf(&f->base, "round: %zu\n", round);
    buffer_printf(&f->head, "round: %zu\n", round);
    put_both(f, "A", "ns/op", 1, 1, 5);
  }
  CU_ASSERT_EQUAL(judge(f), 0);
  CU_ASSERT_EQUAL(row_of(f, "A")->base_count, 15);
}

GATE_TEST(test_drift_is_named) {
  struct buffer text;
  buffer_init(&text, &mem_default, 1 << 16);
  for (size_t i = 0; i < 10; i++) {
    double value = quiet[i] * (1 + 0.01 * (double)i);
    put(&f->base, "A", "ns/op", &value, 1);
  }
  put_quiet(&f->head, "A", "ns/op", 1.2, 10);
  CU_ASSERT_EQUAL(judge(f), 2);
  CU_ASSERT(row_of(f, "A")->base_drifts);
  CU_ASSERT(!row_of(f, "A")->head_drifts);
  gate_print_text(&text, &f->gate, false);
  CU_ASSERT(has_note(&text, "drift: base changes by +"));
  buffer_free(&text);
}

GATE_TEST(test_other_machines_are_named) {
  buffer_add_text(&f->base, "cpu: one\n");
  buffer_add_text(&f->head, "cpu: other\n");
  put_both(f, "A", "ns/op", 1, 1, 10);
  CU_ASSERT_EQUAL(judge(f), 0);
  CU_ASSERT(has_note(&f->gate.warnings, "cpu is 'one' and 'other'"));
}

TEST(test_selftest_finds_what_it_planted) {
  struct gate gate;
  bool good = false;
  gate_init(&gate, &mem_default);
  CU_ASSERT_EQUAL(gate_selftest(&gate, TODAY, &good, NULL), PPROFC_OK);
  CU_ASSERT(good);
  gate.settings.alpha = 0; /* makes a gate that can never fail */
  CU_ASSERT_EQUAL(gate_selftest(&gate, TODAY, &good, NULL), PPROFC_OK);
  CU_ASSERT(!good);
  CU_ASSERT(gate.problem_count > 0);
  gate_free(&gate);
}
