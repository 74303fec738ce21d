/* Tests pairs of measurements of base and head, matched by package, benchmark and unit, in the
 * order of measurement. */
#include "bench/pairs.h"
#include "unit.h"

#include <math.h>

static pprofc_bench *read_runs(const char *base, const char *head) {
  pprofc_bench *set = pprofc_bench_new(NULL);
  pprofc_error error;
  CU_ASSERT_EQUAL(pprofc_bench_read(set, "base", "base.txt", base, strlen(base), &error),
                  PPROFC_OK);
  if (head)
    CU_ASSERT_EQUAL(pprofc_bench_read(set, "head", "head.txt", head, strlen(head), &error),
                    PPROFC_OK);
  return set;
}

/* Returns the pair of that name and unit, or NULL. */
static const struct pair *find_pair(const struct pairs *pairs, const char *name, const char *unit) {
  for (size_t i = 0; i < pairs->count; i++) {
    const struct pair *pair = &pairs->items[i];
    if (str_equal(set_string(pairs->set, pair->name), str_of(name)) &&
        str_equal(pairs_text(pairs, pair->unit), str_of(unit)))
      return pair;
  }
  return NULL;
}

TEST(test_sides_keep_the_order_of_measurement) {
  pprofc_bench *set = read_runs("BenchmarkA 1 3 x\nBenchmarkB 1 7 x\nBenchmarkA 1 1 x\n"
                                "BenchmarkA 1 2 x\n",
                                "BenchmarkA 1 5 x\nBenchmarkA 1 4 x\n");
  struct pairs pairs;
  CU_ASSERT(pairs_make(&pairs, set, "head", &mem_default));
  CU_ASSERT_EQUAL(pairs.count, 2);
  const struct pair *a = find_pair(&pairs, "A", "x");
  CU_ASSERT_FATAL(a != NULL);
  const double *base = pairs.values + a->sides[PAIR_BASE].first;
  const double *head = pairs.values + a->sides[PAIR_HEAD].first;
  CU_ASSERT_EQUAL(a->sides[PAIR_BASE].count, 3);
  CU_ASSERT_EQUAL(a->sides[PAIR_HEAD].count, 2);
  CU_ASSERT(base[0] == 3 && base[1] == 1 && base[2] == 2);
  CU_ASSERT(head[0] == 5 && head[1] == 4);
  CU_ASSERT_EQUAL(find_pair(&pairs, "B", "x")->sides[PAIR_HEAD].count, 0);
  pairs_free(&pairs);
  pprofc_bench_free(set);
}

TEST(test_packages_are_apart) {
  pprofc_bench *set = read_runs("pkg: a\nBenchmarkA 1 1 x\npkg: b\nBenchmarkA 1 2 x\n",
                                "pkg: b\nBenchmarkA 1 3 x\n");
  struct pairs pairs;
  CU_ASSERT(pairs_make(&pairs, set, "head", &mem_default));
  CU_ASSERT_EQUAL_FATAL(pairs.count, 2);
  CU_ASSERT(str_equal(pairs_text(&pairs, pairs.items[1].package), STR("b")));
  CU_ASSERT_EQUAL(pairs.items[0].sides[PAIR_HEAD].count, 0);
  CU_ASSERT_EQUAL(pairs.items[1].sides[PAIR_HEAD].count, 1);
  pairs_free(&pairs);
  pprofc_bench_free(set);
}

/* The set keeps a zero in ns/op; all other values are in sec/op. */
TEST(test_a_zero_is_in_the_unit_of_the_others) {
  pprofc_bench *set = read_runs("BenchmarkA 1 0 ns/op\nBenchmarkA 1 5 ns/op\n", NULL);
  struct pairs pairs;
  CU_ASSERT(pairs_make(&pairs, set, "head", &mem_default));
  CU_ASSERT_EQUAL_FATAL(pairs.count, 1);
  CU_ASSERT(str_equal(pairs_text(&pairs, pairs.items[0].unit), STR("sec/op")));
  CU_ASSERT_EQUAL(pairs.items[0].sides[PAIR_BASE].count, 2);
  pairs_free(&pairs);
  pprofc_bench_free(set);
}

TEST(test_parts_of_cpu_time_are_added_up) {
  pprofc_bench *set = read_runs("BenchmarkA 1 2 user-sec/op 1 sys-sec/op\n"
                                "BenchmarkB 1 2 user-sec/op\n",
                                NULL);
  struct pairs pairs;
  CU_ASSERT(pairs_make(&pairs, set, NULL, &mem_default));
  const struct pair *sum = find_pair(&pairs, "A", "cpu-sec/op");
  CU_ASSERT_FATAL(sum != NULL);
  CU_ASSERT_EQUAL(pairs.values[sum->sides[PAIR_BASE].first], 3);
  CU_ASSERT_PTR_NULL(find_pair(&pairs, "B", "cpu-sec/op"));
  pairs_free(&pairs);
  pprofc_bench_free(set);
}

TEST(test_rounds_and_inputs_are_beside_the_values) {
  pprofc_bench *set =
      read_runs("round: 1\nBenchmarkA 1 1 x\nround: 2\nBenchmarkA 1 2 x\n", "BenchmarkA 1 3 x\n");
  struct pairs pairs;
  CU_ASSERT(pairs_make(&pairs, set, NULL, &mem_default)); /* both inputs are read as the base */
  CU_ASSERT_EQUAL_FATAL(pairs.count, 1);
  CU_ASSERT_EQUAL_FATAL(pairs.items[0].sides[PAIR_BASE].count, 3);
  CU_ASSERT_EQUAL(pairs.items[0].sides[PAIR_HEAD].count, 0);
  CU_ASSERT(str_equal(pairs_text(&pairs, pairs.rounds[0]), STR("1")));
  CU_ASSERT(str_equal(pairs_text(&pairs, pairs.rounds[1]), STR("2")));
  CU_ASSERT_EQUAL(pairs.rounds[2], 0);
  CU_ASSERT(pairs.inputs[0] == 0 && pairs.inputs[1] == 0 && pairs.inputs[2] == 1);
  pairs_free(&pairs);
  pprofc_bench_free(set);
}

TEST(test_flaws_are_in_the_order_of_the_lines) {
  pprofc_bench *set = read_runs("BenchmarkA 1 1 x\nBenchmarkB 1 +Inf x\nBenchmarkA 1 NaN x\n"
                                "BenchmarkA 1 NaN x\nBenchmarkC 1 1 x\n",
                                NULL);
  struct pairs pairs;
  CU_ASSERT(pairs_make(&pairs, set, "head", &mem_default));
  CU_ASSERT_EQUAL_FATAL(pairs.flaw_count, 2);
  CU_ASSERT_EQUAL(pairs.flaws[0], 1);
  CU_ASSERT_EQUAL(pairs.flaws[1], 2);
  CU_ASSERT(find_pair(&pairs, "A", "x")->bad && find_pair(&pairs, "B", "x")->bad);
  CU_ASSERT(!find_pair(&pairs, "C", "x")->bad);
  pairs_free(&pairs);
  pprofc_bench_free(set);
}

TEST(test_an_empty_set_has_no_pairs) {
  pprofc_bench *set = read_runs("", NULL);
  struct pairs pairs;
  CU_ASSERT(pairs_make(&pairs, set, "head", &mem_default));
  CU_ASSERT_EQUAL(pairs.count, 0);
  pairs_free(&pairs);
  pprofc_bench_free(set);
}

/* The runs have different orders, a zero and a missing benchmark. The code expects the next pair
 * after the last pair, and must handle a wrong expectation. */
TEST(test_the_order_of_runs_does_not_matter) {
  pprofc_bench *set = read_runs("BenchmarkA 1 1 ns/op 5 x\nBenchmarkB 1 2 ns/op 6 x\n"
                                "BenchmarkC 1 3 ns/op 7 x\n"
                                "BenchmarkA 1 4 ns/op 8 x\nBenchmarkB 1 0 ns/op 9 x\n"
                                "BenchmarkC 1 6 ns/op 1 x\n",
                                "BenchmarkC 1 7 ns/op 2 x\nBenchmarkA 1 8 ns/op 3 x\n"
                                "BenchmarkD 1 9 ns/op 4 x\n");
  struct pairs pairs;
  CU_ASSERT(pairs_make(&pairs, set, "head", &mem_default));
  CU_ASSERT_EQUAL(pairs.count, 8);
  static const char *const names[] = {"A", "B", "C", "D"};
  static const size_t counts[][PAIR_SIDES] = {{2, 1}, {2, 0}, {2, 1}, {0, 1}};
  for (size_t i = 0; i < 4; i++) {
    const struct pair *time = find_pair(&pairs, names[i], "sec/op");
    const struct pair *other = find_pair(&pairs, names[i], "x");
    CU_ASSERT_FATAL(time != NULL && other != NULL);
    for (int side = 0; side < PAIR_SIDES; side++) {
      CU_ASSERT_EQUAL(time->sides[side].count, counts[i][side]);
      CU_ASSERT_EQUAL(other->sides[side].count, counts[i][side]);
    }
  }
  const struct pair *b = find_pair(&pairs, "B", "sec/op");
  CU_ASSERT_EQUAL(pairs.values[b->sides[PAIR_BASE].first + 1], 0);
  pairs_free(&pairs);
  pprofc_bench_free(set);
}

/* The code frees results while it stores them, and values while it reads them. The remaining values
 * must stay the same. */
TEST(test_measurements_are_given_back) {
  struct buffer text;
  buffer_init(&text, &mem_default, SIZE_MAX / 2);
  const size_t count = 150000;
  for (size_t i = 0; i < count; i++) buffer_printf(&text, "BenchmarkA%zu 1 %zu x\n", i / 3, i);
  buffer_add_char(&text, 0);
  pprofc_bench *set = read_runs(text.data, NULL);
  struct pairs pairs;
  CU_ASSERT(pairs_group(&pairs, set, "head", &mem_default) && pairs_store(&pairs, set));
  set_free_results(set);
  CU_ASSERT_EQUAL_FATAL(pairs.count, count / 3);
  bool same = true;
  for (size_t i = 0; i < pairs.count; i++) {
    if (i % 1000 == 0) pairs_release_values(&pairs, i);
    const struct pair_side *side = &pairs.items[i].sides[PAIR_BASE];
    for (size_t k = 0; k < 3; k++) same &= pairs.values[side->first + k] == (double)(3 * i + k);
  }
  CU_ASSERT(same);
  pairs_free(&pairs);
  pprofc_bench_free(set);
  buffer_free(&text);
}
