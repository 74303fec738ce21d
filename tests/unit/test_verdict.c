/* Tests verdicts from profiles: the words of rows, the properties that runs must share, the effect
 * of rules, and memory that runs out. */
#include "faults.h"
#include "pprofc/stats.h"
#include "pprofc/verdict.h"
#include "profile_text.h"
#include "unit.h"
#include "verdict/relations.h"

#include <math.h>

static pprofc_error error;

/* Returns the samples of function i in a run. Runs differ by a few samples. */
static int64_t usual(int i, int run) {
  return 3000 / (i + 1) + (run * 13 * (i + 3)) % 17;
}

static void add_functions(pprofc_builder *b, int run, int64_t unit) {
  for (int i = 0; i < 15; i++) {
    char stack[64];
    snprintf(stack, sizeof stack, "f%d caller main", i);
    sample(b, stack, usual(i, run) * unit, 0);
  }
}

static pprofc_builder *run_builder(const pprofc_allocator *mem) {
  pprofc_builder *b = pprofc_builder_new(mem);
  pprofc_builder_type(b, "cpu", "nanoseconds");
  pprofc_builder_period(b, "cpu", "nanoseconds", 1000);
  return b;
}

/* Makes a run of the base or the head. The head has the changes that the tests look for. */
static pprofc_profile *make_run(int run, bool head) {
  pprofc_builder *b = run_builder(NULL);
  add_functions(b, run, 1000);
  sample(b, "grown caller main", (head ? 900 : 500) * 1000, 0);
  if (head) sample(b, "fresh other main", 300 * 1000, 0);
  if (!head) sample(b, "lost third main", 390 * 1000, 0);
  sample(b, head ? "parse_after fourth main" : "parse_before fourth main", (400 + run) * 1000, 0);
  sample(b, "rcu_core main", (200 + 50 * run) * 1000, 0);
  sample(b, "runtime.asyncPreempt folded caller main", (250 + run) * 1000, 0);
  sample(b, "seldom caller main", 1000, 0);
  return finish(b);
}

struct sides {
  pprofc_profile *profiles[8];
  pprofc_verdict_run runs[8];
  size_t bases, heads;
};

static struct sides make_sides(size_t bases, size_t heads) {
  struct sides s = {.bases = bases, .heads = heads};
  for (size_t i = 0; i < bases + heads; i++) {
    s.profiles[i] = make_run((int)i, i >= bases);
    s.runs[i] = (pprofc_verdict_run){.profile = s.profiles[i], .name = "run"};
  }
  return s;
}

static void free_sides(struct sides *s) {
  for (size_t i = 0; i < s->bases + s->heads; i++) pprofc_profile_release(s->profiles[i]);
}

static pprofc_status judge_sides(const struct sides *s, const pprofc_verdict_options *options,
                                 pprofc_verdicts **verdicts) {
  return pprofc_verdicts_new(s->runs, s->bases, s->runs + s->bases, s->heads, options, verdicts,
                             &error);
}

static pprofc_verdict verdict_of(const pprofc_verdicts *v, const char *name) {
  const pprofc_verdict_row *row = pprofc_verdicts_find(v, str_of(name));
  CU_ASSERT_FATAL(row != NULL);
  return row->flat.verdict;
}

TEST(test_each_row_gets_its_word) {
  struct sides s = make_sides(3, 3);
  pprofc_verdicts *v = NULL;
  CU_ASSERT_EQUAL_FATAL(judge_sides(&s, NULL, &v), PPROFC_OK);
  free_sides(&s); /* verdicts have copies */
  CU_ASSERT_EQUAL(verdict_of(v, "grown"), PPROFC_VERDICT_GREW);
  CU_ASSERT_EQUAL(verdict_of(v, "fresh"), PPROFC_VERDICT_NEW);
  CU_ASSERT_EQUAL(verdict_of(v, "lost"), PPROFC_VERDICT_GONE);
  CU_ASSERT_EQUAL(verdict_of(v, "rcu_core"), PPROFC_VERDICT_ENVIRONMENT);
  CU_ASSERT_EQUAL(verdict_of(v, "seldom"), PPROFC_VERDICT_RARE);
  CU_ASSERT_EQUAL(verdict_of(v, "folded"), PPROFC_VERDICT_UNCHANGED);
  CU_ASSERT_EQUAL(verdict_of(v, "f3"), PPROFC_VERDICT_UNCHANGED);
  CU_ASSERT_PTR_NULL(pprofc_verdicts_find(v, STR("runtime.asyncPreempt")));
  CU_ASSERT_PTR_NULL(pprofc_verdicts_find(v, STR("nowhere")));
  pprofc_verdicts_free(v);
}

TEST(test_rows_are_sorted_by_their_change) {
  struct sides s = make_sides(3, 4);
  pprofc_verdicts *v = NULL;
  size_t count;
  CU_ASSERT_EQUAL_FATAL(judge_sides(&s, NULL, &v), PPROFC_OK);
  const pprofc_verdict_row *rows = pprofc_verdicts_rows(v, &count);
  for (size_t i = 1; i < count; i++)
    CU_ASSERT(fabs(rows[i - 1].flat.delta) >= fabs(rows[i].flat.delta));
  for (size_t i = 0; i < count; i++)
    CU_ASSERT_PTR_EQUAL(pprofc_verdicts_find(v, rows[i].name), &rows[i]);
  pprofc_verdicts_free(v);
  free_sides(&s);
}

TEST(test_a_renamed_function_is_a_pair) {
  struct sides s = make_sides(3, 3);
  pprofc_verdicts *v = NULL;
  size_t count;
  CU_ASSERT_EQUAL_FATAL(judge_sides(&s, NULL, &v), PPROFC_OK);
  const pprofc_verdict_row *rows = pprofc_verdicts_rows(v, &count);
  const pprofc_verdict_row *row = pprofc_verdicts_find(v, STR("parse_before"));
  CU_ASSERT_EQUAL(row->relation, PPROFC_RELATION_RENAMED);
  CU_ASSERT(str_equal(rows[row->partner].name, STR("parse_after")));
  /* "lost" and "fresh" share only the caller main, which is not the next frame. */
  CU_ASSERT_EQUAL(pprofc_verdicts_find(v, STR("lost"))->relation, PPROFC_RELATION_NONE);
  pprofc_verdicts_free(v);
  free_sides(&s);
}

/* A renamed function keeps its package, or most of its name. A function of the runtime never
 * becomes a function of the user. */
TEST(test_renamed_functions_have_similar_names) {
  CU_ASSERT(names_similar(STR("parse_issue"), STR("parse_issue_fixed")));
  CU_ASSERT(names_similar(STR("old/enc.(*Writer).flush"), STR("old/enc.drain")));
  CU_ASSERT(names_similar(STR("std::sort"), STR("std::stable_sort")));
  CU_ASSERT(names_similar(STR("enc/v1.Marshal"), STR("enc/v2.Marshal")));
  CU_ASSERT_FALSE(
      names_similar(STR("runtime.duffcopy"), STR("example.com/generator.appendIdentifier")));
  CU_ASSERT_FALSE(names_similar(STR("runtime.schedule"), STR("schedule")));
  CU_ASSERT_FALSE(names_similar(STR("copy"), STR("appendIdentifier")));
  CU_ASSERT_FALSE(names_similar(STR(""), STR("x")));
  CU_ASSERT(str_equal(name_package(STR("encoding/json.(*d).value")), STR("encoding/json")));
  CU_ASSERT(str_equal(name_package(STR("main")), STR("")));
}

TEST(test_a_caller_changes_through_its_callee) {
  struct sides s = make_sides(4, 4);
  pprofc_verdicts *v = NULL;
  CU_ASSERT_EQUAL_FATAL(judge_sides(&s, NULL, &v), PPROFC_OK);
  const pprofc_verdict_row *other = pprofc_verdicts_find(v, STR("other"));
  CU_ASSERT_EQUAL(other->cum.verdict, PPROFC_VERDICT_NEW);
  CU_ASSERT(other->via_callee);
  pprofc_verdicts_free(v);
  free_sides(&s);
}

TEST(test_totals_add_up) {
  struct sides s = make_sides(3, 3);
  for (size_t i = 0; i < 6; i++) s.runs[i].operations = 100;
  pprofc_verdicts *v = NULL;
  pprofc_verdict_summary sum;
  size_t count;
  CU_ASSERT_EQUAL_FATAL(judge_sides(&s, NULL, &v), PPROFC_OK);
  pprofc_verdicts_summary_of(v, &sum);
  const pprofc_verdict_row *rows = pprofc_verdicts_rows(v, &count);
  double deltas = 0;
  for (size_t i = 0; i < count; i++) deltas += rows[i].flat.delta;
  CU_ASSERT_EQUAL(sum.exposure, PPROFC_EXPOSURE_OPS);
  CU_ASSERT_DOUBLE_EQUAL(deltas, sum.total_delta, 1e-9 * sum.total_base);
  CU_ASSERT(sum.common_low <= sum.common_change && sum.common_change <= sum.common_high);
  CU_ASSERT_EQUAL(sum.base_runs + sum.head_runs, 6);
  CU_ASSERT(sum.changed >= 3 && sum.tested > sum.changed);
  pprofc_verdicts_free(v);
  free_sides(&s);
}

TEST(test_a_pair_is_judged_weakly) {
  struct sides s = make_sides(1, 1);
  pprofc_verdicts *v = NULL;
  pprofc_verdict_summary sum;
  CU_ASSERT_EQUAL_FATAL(judge_sides(&s, NULL, &v), PPROFC_OK);
  pprofc_verdicts_summary_of(v, &sum);
  CU_ASSERT_EQUAL(verdict_of(v, "fresh"), PPROFC_VERDICT_NEW);
  CU_ASSERT(sum.dispersion >= 1 && isnan(sum.between_run_cv));
  CU_ASSERT(sum.common_low < sum.common_change && sum.common_change < sum.common_high);
  CU_ASSERT(sum.total_low < sum.total_delta && sum.total_delta < sum.total_high);
  pprofc_verdicts_free(v);
  free_sides(&s);
}

/* ---- sample types ------------------------------------ */

static pprofc_profile *mutex_run(int64_t factor) {
  pprofc_builder *b = pprofc_builder_new(NULL);
  pprofc_builder_type(b, "contentions", "count");
  pprofc_builder_type(b, "delay", "nanoseconds");
  pprofc_builder_period(b, "contentions", "count", 1);
  sample(b, "lock main", 1000 * factor, 5000000 * factor);
  sample(b, "wait main", 2000, 9000000);
  return finish(b);
}

static pprofc_verdict judge_mutex(size_t each) {
  struct sides s = {.bases = each, .heads = each};
  for (size_t i = 0; i < 2 * each; i++) {
    s.profiles[i] = mutex_run(i < each ? 1 : 3);
    s.runs[i].profile = s.profiles[i];
  }
  pprofc_verdict_options options;
  pprofc_verdict_options_init(&options);
  options.normalize_by = PPROFC_EXPOSURE_NONE;
  pprofc_verdicts *v = NULL;
  CU_ASSERT_EQUAL_FATAL(judge_sides(&s, &options, &v), PPROFC_OK);
  pprofc_verdict verdict = verdict_of(v, "lock");
  pprofc_verdicts_free(v);
  free_sides(&s);
  return verdict;
}

TEST(test_contentions_need_two_runs_a_side) {
  CU_ASSERT_EQUAL(judge_mutex(1), PPROFC_VERDICT_UNKNOWN);
  CU_ASSERT_EQUAL(judge_mutex(3), PPROFC_VERDICT_GREW);
}

TEST(test_one_recursive_stack_counts_once) {
  struct sides s = {.bases = 1, .heads = 1};
  for (size_t i = 0; i < 2; i++) {
    pprofc_builder *b = run_builder(NULL);
    sample(b, "f g f g f main", 50000, 0);
    s.profiles[i] = finish(b);
    s.runs[i].profile = s.profiles[i];
  }
  pprofc_verdicts *v = NULL;
  CU_ASSERT_EQUAL_FATAL(judge_sides(&s, NULL, &v), PPROFC_OK);
  const pprofc_verdict_row *row = pprofc_verdicts_find(v, STR("f"));
  CU_ASSERT_EQUAL(row->cum.base, 50000);
  CU_ASSERT_EQUAL(row->flat.base, 50000);
  CU_ASSERT_EQUAL(pprofc_verdicts_find(v, STR("g"))->cum.base, 50000);
  pprofc_verdicts_free(v);
  free_sides(&s);
}

/* Five samples per run are enough for a test, but too few to show a doubling. */
TEST(test_a_family_may_need_samples_for_a_doubling) {
  struct sides s = {.bases = 3, .heads = 3};
  for (int i = 0; i < 6; i++) {
    pprofc_builder *b = run_builder(NULL);
    add_functions(b, i, 1000);
    sample(b, "small main", 5 * 1000, 0);
    s.profiles[i] = finish(b);
    s.runs[i].profile = s.profiles[i];
  }
  pprofc_verdict_options options;
  pprofc_verdict_options_init(&options);
  for (int all = 0; all < 2; all++) {
    pprofc_verdicts *v = NULL;
    pprofc_verdict_summary sum;
    options.min_samples = all ? 10 : 0;
    CU_ASSERT_EQUAL_FATAL(judge_sides(&s, &options, &v), PPROFC_OK);
    pprofc_verdicts_summary_of(v, &sum);
    CU_ASSERT_EQUAL(sum.tested, all ? 16 : 15);
    CU_ASSERT_EQUAL(verdict_of(v, "small"), all ? PPROFC_VERDICT_UNCHANGED : PPROFC_VERDICT_RARE);
    pprofc_verdicts_free(v);
  }
  free_sides(&s);
}

/* ---- rejected input ---------------------------------- */

static void expect_refused(pprofc_profile *base, pprofc_profile *head,
                           const pprofc_verdict_options *options, const char *message) {
  pprofc_verdict_run b = {.profile = base, .name = "b"}, h = {.profile = head, .name = "h"};
  pprofc_verdicts *v = NULL;
  pprofc_status status = pprofc_verdicts_new(&b, 1, &h, 1, options, &v, &error);
  expect_message(status, PPROFC_E_INVALID, &error, message);
  CU_ASSERT_PTR_NULL(v);
  pprofc_profile_release(base);
  pprofc_profile_release(head);
}

static pprofc_profile *single_run(const char *type, const char *unit, int64_t period,
                                  int64_t value) {
  pprofc_builder *b = pprofc_builder_new(NULL);
  pprofc_builder_type(b, type, unit);
  pprofc_builder_period(b, type, unit, period);
  sample(b, "f main", value, 0);
  return finish(b);
}

TEST(test_runs_must_be_alike) {
  expect_refused(
      single_run("cpu", "nanoseconds", 5, 50), single_run("cpu", "count", 5, 50), NULL,
      "cannot judge 'h': values are in cpu/count, but in cpu/nanoseconds in the first run");
  expect_refused(single_run("cpu", "nanoseconds", 5, 50), single_run("cpu", "nanoseconds", 0, 50),
                 NULL, "cannot judge 'h': the period is 0, but 5 in the first run");
  expect_refused(single_run("cpu", "nanoseconds", 5, 50), single_run("cpu", "nanoseconds", 5, -50),
                 NULL,
                 "cannot judge 'h': negative values cannot be judged: the profile is a difference "
                 "already");
  pprofc_verdict_options shares;
  pprofc_verdict_options_init(&shares);
  shares.normalize_by = PPROFC_EXPOSURE_TOTAL;
  expect_refused(single_run("cpu", "nanoseconds", 5, 50), single_run("cpu", "nanoseconds", 5, 0),
                 &shares, "cannot judge 'h': its total is 0");
}

/* Makes fifteen functions with `each` samples and their period. `type` is samples or cpu. */
static pprofc_profile *period_run(const char *type, int64_t period, int64_t each, int64_t more) {
  bool samples = strcmp(type, "samples") == 0;
  pprofc_builder *b = pprofc_builder_new(NULL);
  pprofc_builder_type(b, type, samples ? "count" : "nanoseconds");
  pprofc_builder_period(b, "cpu", "nanoseconds", period);
  for (int i = 0; i < 15; i++) {
    char stack[64];
    snprintf(stack, sizeof stack, "f%d main", i);
    sample(b, stack, (each + (i ? 0 : more)) * (samples ? 1 : period), 0);
  }
  return finish(b);
}

/* Returns the change of f0 with its interval, if the head is sampled ten times as often. */
static pprofc_verdict_estimate judge_periods(const char *type, size_t bases, size_t heads) {
  pprofc_verdict_run runs[16];
  pprofc_verdict_options options;
  pprofc_verdict_options_init(&options);
  options.normalize_by = PPROFC_EXPOSURE_NONE;
  options.no_common = true;
  for (size_t i = 0; i < bases + heads; i++) {
    bool base = i < bases;
    const pprofc_profile *p =
        base ? period_run(type, 1000, 100, 0) : period_run(type, 100, 1000, 500);
    runs[i] = (pprofc_verdict_run){p, "run", 0, 0};
  }
  pprofc_verdicts *v = NULL;
  pprofc_verdict_summary s;
  CU_ASSERT_EQUAL_FATAL(pprofc_verdicts_new(runs, bases, runs + bases, heads, &options, &v, &error),
                        PPROFC_OK);
  pprofc_verdicts_summary_of(v, &s);
  CU_ASSERT(s.mixed_periods);
  pprofc_verdict_estimate e = pprofc_verdicts_find(v, STR("f0"))->flat;
  pprofc_verdicts_free(v);
  for (size_t i = 0; i < bases + heads; i++)
    pprofc_profile_release((pprofc_profile *)(uintptr_t)runs[i].profile);
  return e;
}

/* The code scales counts of samples to one period. Noise follows the period of each side. */
TEST(test_periods_may_differ) {
  pprofc_verdict_estimate time = judge_periods("cpu", 2, 8),
                          counts = judge_periods("samples", 2, 8);
  CU_ASSERT_DOUBLE_EQUAL(time.base, 100000, 1e-6);
  CU_ASSERT_DOUBLE_EQUAL(time.head, 150000, 1e-6);
  CU_ASSERT_DOUBLE_EQUAL(counts.base, 100, 1e-9);
  CU_ASSERT_DOUBLE_EQUAL(counts.head, 150, 1e-9);
  CU_ASSERT_DOUBLE_EQUAL(counts.high - counts.low, (time.high - time.low) / 1000, 1e-6);
  /* Poisson noise: 140 in the mean of a run; 1000 / 2 + 100 / 8 for each unit. The other functions
   * add ten degrees of freedom. */
  double error_of_mean = sqrt(140000 * (1000 / 2.0 + 100 / 8.0));
  double half = pprofc_t_quantile(0.975, 18) * error_of_mean;
  CU_ASSERT_DOUBLE_EQUAL((time.high - time.low) / 2, half, half * 1e-6);
}

/* Makes a run. Runs of the head have two functions more: one in two places, one in many. */
static pprofc_profile *placed_run(int run, bool head) {
  pprofc_builder *b = run_builder(NULL);
  add_functions(b, run, 1000);
  if (head) {
    sample(b, "split b a main", 600 * 1000, 0);
    sample(b, "split d c main", 300 * 1000, 0);
    sample(b, "split c main", 20 * 1000, 0);
    for (int i = 0; i < 20; i++) {
      char stack[64];
      snprintf(stack, sizeof stack, "spread under%d top main", i);
      sample(b, stack, 20 * 1000, 0);
    }
  }
  return finish(b);
}

static void expect_place(const pprofc_verdict_place *place, const char *path, double delta) {
  char text[200] = "";
  for (size_t i = 0; i < place->depth; i++)
    snprintf(text + strlen(text), sizeof text - strlen(text), "%s%.*s", i ? " " : "",
             (int)place->frames[i].size, place->frames[i].data);
  CU_ASSERT_STRING_EQUAL(text, path);
  CU_ASSERT_DOUBLE_EQUAL(place->delta, delta, fabs(delta) * 1e-9);
}

TEST(test_changes_have_places) {
  pprofc_verdict_run runs[6];
  for (int i = 0; i < 6; i++) runs[i] = (pprofc_verdict_run){placed_run(i % 3, i > 2), "run", 1, 0};
  pprofc_verdict_options options;
  pprofc_verdict_options_init(&options);
  options.places = true;
  options.no_common = true;
  pprofc_verdicts *v = NULL;
  CU_ASSERT_EQUAL_FATAL(pprofc_verdicts_new(runs, 3, runs + 3, 3, &options, &v, &error), PPROFC_OK);
  const pprofc_verdict_row *split = pprofc_verdicts_find(v, STR("split"));
  CU_ASSERT_EQUAL_FATAL(split->place_count, 2);
  expect_place(&split->places[0], "main a b split", 600000);
  expect_place(&split->places[1], "main c d split", 300000);
  const pprofc_verdict_row *spread = pprofc_verdicts_find(v, STR("spread"));
  CU_ASSERT_EQUAL_FATAL(spread->place_count, 1);
  expect_place(&spread->places[0], "main top", 400000);
  CU_ASSERT_EQUAL(pprofc_verdicts_find(v, STR("f0"))->place_count, 0);
  pprofc_verdict_summary s;
  pprofc_verdicts_summary_of(v, &s);
  CU_ASSERT_EQUAL_FATAL(s.place_count, 3);
  expect_place(&s.places[0], "main a b split", 600000);
  expect_place(&s.places[1], "main top", 400000);
  expect_place(&s.places[2], "main c d split", 300000);
  pprofc_verdicts_free(v);
  for (int i = 0; i < 6; i++) pprofc_profile_release((pprofc_profile *)(uintptr_t)runs[i].profile);
}

/* ---- stacks ------------------------------------------ */

/* Returns the stack with these frames, root first. "" ends the list. */
static const pprofc_verdict_stack *stack_of_path(const pprofc_verdicts *v,
                                                 const char *const *path) {
  size_t count, at = PPROFC_VERDICT_NO_ROW;
  const pprofc_verdict_stack *stacks = pprofc_verdicts_stacks(v, &count);
  for (; **path; path++) {
    at = pprofc_verdicts_stack_find(v, at, (pprofc_str){*path, strlen(*path)});
    if (at == PPROFC_VERDICT_NO_ROW) return NULL;
  }
  return &stacks[at];
}

TEST(test_stacks_are_judged_as_functions_are) {
  static const char *const grown[] = {"main", "caller", "grown", ""}, *const other[] = {
                                                                          "main", "other", ""};
  static const char *const machine[] = {"main", "rcu_core", ""}, *const none[] = {"main", "grown",
                                                                                  ""};
  static const char *const folded[] = {"main", "caller", "folded", "runtime.asyncPreempt", ""};
  struct sides s = make_sides(3, 3);
  pprofc_verdict_options options;
  pprofc_verdict_summary sum;
  pprofc_verdicts *v = NULL;
  size_t count;
  pprofc_verdict_options_init(&options);
  options.stacks = true;
  CU_ASSERT_EQUAL_FATAL(judge_sides(&s, &options, &v), PPROFC_OK);
  const pprofc_verdict_stack *stacks = pprofc_verdicts_stacks(v, &count);
  CU_ASSERT_EQUAL_FATAL(stack_of_path(v, none), NULL);
  CU_ASSERT_EQUAL(stack_of_path(v, folded), NULL);
  CU_ASSERT_EQUAL(stack_of_path(v, grown)->total.verdict, PPROFC_VERDICT_GREW);
  CU_ASSERT_EQUAL(stack_of_path(v, other)->total.verdict, PPROFC_VERDICT_NEW);
  CU_ASSERT_EQUAL(stack_of_path(v, machine)->total.verdict, PPROFC_VERDICT_ENVIRONMENT);
  for (size_t i = 0; i < count; i++) {
    CU_ASSERT(stacks[i].parent == PPROFC_VERDICT_NO_ROW || stacks[i].parent < i);
    CU_ASSERT_EQUAL(pprofc_verdicts_stack_find(v, stacks[i].parent, stacks[i].name), i);
  }
  pprofc_verdicts_summary_of(v, &sum);
  CU_ASSERT(sum.stacks_tested > sum.stacks_changed && sum.stacks_changed > 2);
  pprofc_verdicts_free(v);
  CU_ASSERT_EQUAL_FATAL(judge_sides(&s, NULL, &v), PPROFC_OK);
  pprofc_verdicts_stacks(v, &count);
  CU_ASSERT_EQUAL(count, 0);
  pprofc_verdicts_free(v);
  free_sides(&s);
}

/* Checks half of the interval of a row, without and with -fcr. */
static void expect_wider(size_t each, const char *name, bool wider) {
  struct sides s = make_sides(each, each);
  double half[2];
  for (int fcr = 0; fcr < 2; fcr++) {
    pprofc_verdict_options options;
    pprofc_verdict_summary sum;
    pprofc_verdicts *v = NULL;
    pprofc_verdict_options_init(&options);
    options.fcr = fcr;
    CU_ASSERT_EQUAL_FATAL(judge_sides(&s, &options, &v), PPROFC_OK);
    pprofc_verdicts_summary_of(v, &sum);
    const pprofc_verdict_row *row = pprofc_verdicts_find(v, (pprofc_str){name, strlen(name)});
    half[fcr] = row->flat.high - row->flat.low;
    double level = 1 - 0.05 * (double)sum.changed / (double)sum.tested;
    if (fcr)
      CU_ASSERT_DOUBLE_EQUAL(sum.interval_level, level, 1e-12)
    else
      CU_ASSERT(isnan(sum.interval_level));
    pprofc_verdicts_free(v);
  }
  CU_ASSERT_EQUAL(half[1] > half[0], wider);
  CU_ASSERT(half[1] >= half[0]);
  free_sides(&s);
}

TEST(test_intervals_of_what_was_found_can_be_wider) {
  expect_wider(3, "grown", true);
  expect_wider(3, "f3", false);
  expect_wider(1, "fresh", true);
  expect_wider(1, "f3", false);
}

TEST(test_lines_are_judged_like_functions) {
  pprofc_profile *profiles[6];
  pprofc_verdict_run runs[6];
  pprofc_verdict_options options;
  for (int run = 0; run < 6; run++) {
    pprofc_builder *b = run_builder(NULL);
    add_functions(b, run, 1000);
    int64_t values[2] = {(run < 3 ? 400 : 800) * 1000, (600 + run) * 1000};
    for (int i = 0; i < 2; i++) {
      uint32_t line = pprofc_builder_frame(b, "hot", "a/hot.c", 7 + 2 * i);
      pprofc_builder_sample(b, &line, 1, &values[i]);
    }
    runs[run] = (pprofc_verdict_run){.profile = profiles[run] = finish(b)};
  }
  pprofc_verdict_options_init(&options);
  options.lines = true;
  pprofc_verdicts *v = NULL;
  CU_ASSERT_EQUAL_FATAL(pprofc_verdicts_new(runs, 3, runs + 3, 3, &options, &v, &error), PPROFC_OK);
  CU_ASSERT_EQUAL(verdict_of(v, "hot\na/hot.c:7"), PPROFC_VERDICT_GREW);
  CU_ASSERT_EQUAL(verdict_of(v, "hot\na/hot.c:9"), PPROFC_VERDICT_UNCHANGED);
  pprofc_verdicts_free(v);
  for (int run = 0; run < 6; run++) pprofc_profile_release(profiles[run]);
}

TEST(test_options_that_make_no_sense_are_refused) {
  pprofc_verdict_options options;
  pprofc_verdict_options_init(&options);
  options.alpha = 1;
  expect_refused(make_run(0, false), make_run(1, true), &options, "alpha must be between 0 and 1");
  pprofc_verdict_options_init(&options);
  options.noise_cv = (double)NAN;
  expect_refused(make_run(0, false), make_run(1, true), &options,
                 "noise_cv must be from 0 to 10: 0.05 is 5 %");
  pprofc_verdict_options_init(&options);
  options.normalize_by = PPROFC_EXPOSURE_TIME;
  expect_refused(make_run(0, false), make_run(1, true), &options,
                 "cannot judge 'b': its duration is not known");
  memset(&options, 0, sizeof options);
  expect_refused(make_run(0, false), make_run(1, true), &options,
                 "pprofc_verdict_options is not initialised: call pprofc_verdict_options_init "
                 "first");
  pprofc_verdicts *v = NULL;
  CU_ASSERT_EQUAL(pprofc_verdicts_new(NULL, 0, NULL, 0, NULL, &v, &error), PPROFC_E_INVALID);
}

TEST(test_rules_extend_the_table) {
  struct sides s = make_sides(3, 3);
  pprofc_verdict_options options;
  pprofc_verdict_options_init(&options);
  options.rules = "{\"environment\": [\"^grown$\"], \"judge\": [\"^rcu_\"], \"accept\": "
                  "[{\"function\": \"^fresh$\", \"until\": \"2027-01-31\", \"reason\": \"why\"}]}";
  options.rules_size = strlen(options.rules);
  pprofc_verdicts *v = NULL;
  CU_ASSERT_EQUAL_FATAL(judge_sides(&s, &options, &v), PPROFC_OK);
  CU_ASSERT_EQUAL(verdict_of(v, "grown"), PPROFC_VERDICT_ENVIRONMENT);
  CU_ASSERT_NOT_EQUAL(verdict_of(v, "rcu_core"), PPROFC_VERDICT_ENVIRONMENT);
  pprofc_str why, until;
  CU_ASSERT(pprofc_verdicts_accepts(v, STR("fresh"), "2027-01-31", &why, &until));
  CU_ASSERT(str_equal(why, STR("why")) && str_equal(until, STR("2027-01-31")));
  CU_ASSERT_FALSE(pprofc_verdicts_accepts(v, STR("fresh"), "2027-02-01", &why, &until));
  CU_ASSERT_FALSE(pprofc_verdicts_accepts(v, STR("grown"), "2027-01-01", &why, &until));
  pprofc_verdicts_free(v);
  free_sides(&s);
}

TEST(test_memory_may_run_out_anywhere) {
  struct faults faults = {.fail_at = SIZE_MAX};
  pprofc_allocator mem = {fault_alloc, fault_resize, fault_release, &faults};
  pprofc_profile *profiles[4];
  pprofc_verdict_run runs[4] = {{NULL, NULL, 0, 0}};
  for (int i = 0; i < 4; i++) {
    pprofc_builder *b = run_builder(&mem);
    add_functions(b, i, 1000);
    if (i > 1) sample(b, "fresh caller main", 500000, 0);
    if (i < 2) sample(b, "stale caller main", 500000, 0);
    runs[i].profile = profiles[i] = finish(b);
  }
  size_t before = faults.live;
  pprofc_status status = PPROFC_E_NOMEM;
  pprofc_verdict_options options;
  pprofc_verdict_options_init(&options);
  options.places = options.stacks = options.fcr = true;
  for (size_t at = 0; status == PPROFC_E_NOMEM && at < 5000; at++) {
    pprofc_verdicts *v = NULL;
    faults.fail_at = faults.calls + at;
    status = pprofc_verdicts_new(runs, 2, runs + 2, 2, &options, &v, &error);
    CU_ASSERT(status == PPROFC_OK || status == PPROFC_E_NOMEM);
    pprofc_verdicts_free(v);
    CU_ASSERT_EQUAL_FATAL(faults.live, before);
  }
  CU_ASSERT_EQUAL(status, PPROFC_OK);
  faults.fail_at = SIZE_MAX;
  for (int i = 0; i < 4; i++) pprofc_profile_release(profiles[i]);
  CU_ASSERT_EQUAL(faults.live, 0);
  CU_ASSERT_EQUAL(faults.wrong_sizes, 0);
}
