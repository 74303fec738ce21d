/* Tests the gate's rules file: its settings, the rows that rules match, and the positions in error
 * messages. */
#include "gate/judge.h"
#include "gate/read/read.h"
#include "unit.h"

#include <math.h>
#include <stdlib.h>

#define TODAY "2026-11-20"

/* Appends five equal values for each benchmark. In the head, Slow and Tiny (100 ns) are 20 %
 * slower, and Items is 20 % less. */
static void fill(struct buffer *out, bool head) {
  for (size_t i = 0; i < 5; i++)
    buffer_printf(out,
                  "BenchmarkSlow 1 %d ns/op\nBenchmarkTiny 1 %d ns/op 100 B/op\n"
                  "BenchmarkItems 1 %d widgets\n",
                  head ? 120000 : 100000, head ? 120 : 100, head ? 80 : 100);
}

/* Returns the exit status with these rules, or -1 if the rules are invalid. */
static int status_of(const char *rules, struct gate *gate, pprofc_error *error) {
  struct buffer base, head;
  pprofc_bench *set = pprofc_bench_new(NULL);
  gate_init(gate, &mem_default);
  buffer_init(&base, &mem_default, 1 << 20);
  buffer_init(&head, &mem_default, 1 << 20);
  fill(&base, false);
  fill(&head, true);
  int exit_status = -1;
  if (gate_read_rules(gate, STR("gate.json"), str_of(rules), error) == PPROFC_OK &&
      pprofc_bench_read(set, "base", "base", base.data, base.size, error) == PPROFC_OK &&
      pprofc_bench_read(set, "head", "head", head.data, head.size, error) == PPROFC_OK &&
      gate_read_raw(gate, set, error) == PPROFC_OK && gate_judge(gate, TODAY, error) == PPROFC_OK)
    exit_status = gate_exit_status(gate);
  buffer_free(&base);
  buffer_free(&head);
  pprofc_bench_free(set);
  return exit_status;
}

static size_t regressed(const char *rules) {
  struct gate gate;
  pprofc_error error = {PPROFC_OK, 0, ""};
  int status = status_of(rules, &gate, &error);
  size_t count = gate.regressed;
  if (status < 0) fprintf(stderr, "%s\n", error.message);
  if (gate.problem_count) fprintf(stderr, "%.*s", STR_ARG(buffer_str(&gate.problems)));
  bool fits = status == (count ? 2 : 0);
  gate_free(&gate);
  return fits ? count : SIZE_MAX;
}

static bool fails_with(const char *rules, const char *message) {
  struct gate gate;
  pprofc_error error = {PPROFC_OK, 0, ""};
  int status = status_of(rules, &gate, &error);
  gate_free(&gate);
  bool good = status == -1 && strcmp(error.message, message) == 0;
  if (!good) fprintf(stderr, "message: %s\nwanted:  %s\n", error.message, message);
  return good;
}

static bool notes(const char *rules, bool problem, const char *text) {
  struct gate gate;
  pprofc_error error = {PPROFC_OK, 0, ""};
  (void)status_of(rules, &gate, &error);
  const struct buffer *found = problem ? &gate.problems : &gate.warnings;
  bool good = str_find(buffer_str(found), str_of(text)) < found->size;
  if (!good) fprintf(stderr, "%.*s", STR_ARG(buffer_str(found)));
  gate_free(&gate);
  return good;
}

#define RULE(text) "{\"rules\": [{" text "}]}"

TEST(test_rules_set_what_they_match) {
  CU_ASSERT_EQUAL(regressed("{}"), 2);
  CU_ASSERT_EQUAL(regressed("{\"threshold\": \"25%\"}"), 0);
  CU_ASSERT_EQUAL(regressed("{\"threshold\": 20}"), 2);
  CU_ASSERT_EQUAL(regressed(RULE("\"benchmark\": \"Slow\", \"threshold\": \"25%\"")), 1);
  CU_ASSERT_EQUAL(regressed(RULE("\"benchmark\": \"*\", \"unit\": \"ns/op\", \"threshold\": 25")),
                  0);
  CU_ASSERT_EQUAL(regressed(RULE("\"unit\": \"sec/op\", \"threshold\": 25")), 0);
  CU_ASSERT_EQUAL(regressed(RULE("\"unit\": \"time/op\", \"threshold\": 25")), 0);
  CU_ASSERT_EQUAL(regressed(RULE("\"benchmark\": \"T?ny\", \"ignore\": true")), 1);
}

TEST(test_the_last_rule_wins) {
  CU_ASSERT_EQUAL(regressed("{\"rules\": [{\"benchmark\": \"*\", \"threshold\": 50},"
                            "{\"benchmark\": \"Slow\", \"threshold\": 10}]}"),
                  1);
}

TEST(test_floors_are_of_the_class_of_the_unit) {
  CU_ASSERT_EQUAL(regressed("{\"floor\": \"1us or 16 B\"}"), 1);
  CU_ASSERT_EQUAL(regressed("{\"floor\": \"20ns\"}"), 2);
  CU_ASSERT_EQUAL(regressed("{\"floor\": \"16 B\"}"), 2);
  CU_ASSERT_EQUAL(regressed(RULE("\"benchmark\": \"Slow\", \"floor\": \"1ms\"")), 1);
}

TEST(test_directions) {
  CU_ASSERT_EQUAL(regressed("{\"directions\": {\"widgets\": \"higher\"}}"), 3);
  CU_ASSERT_EQUAL(regressed("{\"directions\": {\"widgets\": \"lower\"}}"), 2);
  CU_ASSERT_EQUAL(regressed(RULE("\"benchmark\": \"Slow\", \"direction\": \"higher\"")), 1);
}

#define ACCEPT(limit, until)                                                                       \
  RULE("\"benchmark\": \"Slow\", \"accept\": " limit ", \"until\": \"" until                       \
       "\", \"reason\": \"new encoder\"")

TEST(test_accepted_regressions_expire) {
  CU_ASSERT_EQUAL(regressed(ACCEPT("\"25%\"", "2026-11-20")), 1);
  CU_ASSERT_EQUAL(regressed(ACCEPT("20", "2027-01-31")), 1);
  CU_ASSERT_EQUAL(regressed(ACCEPT("true", "2027-01-31")), 1);
  CU_ASSERT_EQUAL(regressed(ACCEPT("\"12%\"", "2027-01-31")), 2);
  CU_ASSERT_EQUAL(regressed(ACCEPT("\"25%\"", "2026-11-19")), 2);
  CU_ASSERT(notes(ACCEPT("\"25%\"", "2026-11-19"), false, "expired on 2026-11-19"));
}

TEST(test_dates_are_of_the_calendar) {
  static const char *const good[] = {"2027-01-31", "2028-02-29", "2000-02-29", "2027-12-01"};
  static const char *const bad[] = {"tomorrow",   "2027-02-29", "1900-02-29", "2027-13-01",
                                    "2027-00-01", "2027-04-31", "2027-04-00", "2027/04/01",
                                    "2027-4-1",   "+027-04-01", "2027-01-311"};
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) CU_ASSERT(gate_is_date(str_of(good[i])));
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) CU_ASSERT(!gate_is_date(str_of(bad[i])));
}

TEST(test_a_rule_that_matches_nothing_is_a_problem) {
  CU_ASSERT(notes("{\n\"rules\": [\n{\"benchmark\": \"Slwo\", \"ignore\": true}]}", true,
                  "rule of line 3 (Slwo) matches no benchmark"));
}

TEST(test_errors_have_line_and_column) {
  CU_ASSERT(fails_with("[]", "gate.json:1:1: the file must be an object"));
  CU_ASSERT(fails_with("{\n  \"treshold\": 5}", "gate.json:2:3: \"treshold\" is not known"));
  CU_ASSERT(fails_with("{\"alpha\": 2}", "gate.json:1:2: \"alpha\" must be from 0 to 1"));
  CU_ASSERT(fails_with("{\"threshold\": -1}",
                       "gate.json:1:2: \"threshold\" must be a percentage from 0 up"));
  CU_ASSERT(fails_with("{\"rules\": [{\"benchmark\": \"a\", \"ignore\": true},\n"
                       "  {\"benchmark\": \"\\\"rules\\\"\",\n   \"unitt\": \"x\"}]}",
                       "gate.json:3:4: rule 2, \"unitt\" is not known"));
  CU_ASSERT(fails_with(RULE("\"benchmark\": \"a\", \"until\": \"soon\""),
                       "gate.json:1:31: rule 1, \"until\" must be a date like 2027-01-31"));
  CU_ASSERT(fails_with(RULE("\"benchmark\": \"a\""), "gate.json:1:12: rule 1 sets nothing"));
  CU_ASSERT(
      fails_with(RULE("\"ignore\": true"), "gate.json:1:12: rule 1 needs a benchmark or a unit"));
  CU_ASSERT(fails_with(
      RULE("\"benchmark\": \"a\", \"accept\": 5"),
      "gate.json:1:12: rule 1 accepts a regression, so it needs \"reason\" and \"until\""));
  CU_ASSERT(
      fails_with("{\"alpha\": 0.1,\n \"alpha\": 0.2}", "gate.json:1:2: \"alpha\" occurs twice"));
  CU_ASSERT(fails_with("{\"directions\": {\"x\": \"higher\", \"x\": \"lower\"}}",
                       "gate.json:1:2: \"directions\" must not have a unit twice"));
  CU_ASSERT(fails_with("{\"rules\": [5]}", "gate.json:1:2: \"rules\" must hold objects only"));
}

TEST(test_broken_json_has_line_and_column) {
  static const char *const broken[] = {"", "{", "{\"a\": }", "{\"alpha\": 1, \"alpha\": 1}", "nul"};
  for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
    struct gate gate;
    pprofc_error error = {PPROFC_OK, 0, ""};
    gate_init(&gate, &mem_default);
    CU_ASSERT_EQUAL(gate_read_rules(&gate, STR("r"), str_of(broken[i]), &error), PPROFC_E_FORMAT);
    CU_ASSERT(strncmp(error.message, "r:1:", 4) == 0);
    gate_free(&gate);
  }
}

TEST(test_floors_and_percentages_are_parsed_whole) {
  struct gate_floor floor = {0, 0, 0};
  double value;
  CU_ASSERT(gate_parse_floor(STR("1.5ms or 2 KiB or 3"), &floor));
  CU_ASSERT_EQUAL(floor.seconds, 1.5e-3);
  CU_ASSERT_EQUAL(floor.bytes, 2048);
  CU_ASSERT_EQUAL(floor.plain, 3);
  CU_ASSERT(!gate_parse_floor(STR("1 parsec"), &floor));
  CU_ASSERT(!gate_parse_floor(STR(""), &floor));
  CU_ASSERT(!gate_parse_floor(STR("1us or "), &floor));
  CU_ASSERT(gate_parse_percent(STR(" 5 % "), &value));
  CU_ASSERT_EQUAL(value, 0.05);
  CU_ASSERT(!gate_parse_percent(STR("nan"), &value));
  CU_ASSERT(!gate_parse_percent(STR("inf"), &value));
  CU_ASSERT(!gate_parse_percent(STR("-1"), &value));
  CU_ASSERT(!gate_parse_percent(STR("5x"), &value));
}

/* Returns the number of regressions in ten samples per side. Each side repeats `period` values: the
 * base the values `base`, the head the values `head`. */
static size_t regressed_samples(const char *unit, const double *base, const double *head,
                                size_t period, const char *floor) {
  struct gate gate;
  pprofc_bench *set = pprofc_bench_new(NULL);
  char text[2000];
  gate_init(&gate, &mem_default);
  CU_ASSERT(gate_parse_floor(str_of(floor), &gate.settings.floor));
  for (int side = 0; side < 2; side++) {
    size_t n = 0;
    for (size_t i = 0; i < 10; i++)
      n += (size_t)snprintf(text + n, sizeof text - n, "BenchmarkA 1 %.3f %s\n",
                            (side ? head : base)[i % period], unit);
    CU_ASSERT_EQUAL(pprofc_bench_read(set, side ? "head" : "base", "f", text, n, NULL), PPROFC_OK);
  }
  CU_ASSERT_EQUAL(gate_read_raw(&gate, set, NULL), PPROFC_OK);
  CU_ASSERT_EQUAL(gate_judge(&gate, TODAY, NULL), PPROFC_OK);
  size_t count = gate.regressed;
  gate_free(&gate);
  pprofc_bench_free(set);
  return count;
}

/* Go divides one-time allocations by the number of operations, so the bytes per operation vary. Go
 * also rounds them to whole bytes. */
TEST(test_memory_that_varies_has_a_floor) {
  static const struct {
    const char *unit;
    double base[2], head[2];
    const char *floor;
    size_t regressed;
  } cases[] = {
      {"B/op", {560, 622}, {593, 655}, "1s", 0},  /* a difference of 33 B, with a range of 62 B */
      {"B/op", {560, 622}, {593, 655}, "1 B", 1}, /* the user sets a floor */
      {"B/op", {560, 622}, {593, 655}, "0 B", 1}, /* the user switches the floor off */
      {"allocs/op", {3, 4}, {4, 4}, "0", 1},
      {"B/op", {560, 622}, {593, 655}, "0", 0},      /* a floor for another unit has no effect */
      {"B/op", {560, 622}, {625, 687}, "1s", 1},     /* the difference exceeds the range */
      {"B/op", {5600, 6220}, {6600, 7220}, "1s", 1}, /* a computed floor is at most 64 B */
      {"B/op", {16, 16}, {24, 24}, "1s", 1},         /* the floor of whole bytes is 1 B */
      {"B/op", {0, 0}, {1, 1}, "1s", 0},             /* 1 B can be rounding */
      {"B/op", {0, 0}, {2, 2}, "1s", 1},
      {"B/op", {0.125, 0.125}, {1, 1}, "1s", 1}, /* this tool does not round */
      {"B/op", {0, 0}, {1, 1}, "0 B", 1},
      {"allocs/op", {0, 0}, {1, 1}, "1s", 1},
      {"B/op", {16.001, 16.003}, {24.001, 24.003}, "1s", 1},
      {"allocs/op", {3, 4}, {4, 4}, "1s", 0},
      {"allocs/op", {3, 4}, {5, 6}, "1s", 1},
      {"ns/op", {3, 4}, {4, 4}, "1 B", 1},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    CU_ASSERT_EQUAL(
        regressed_samples(cases[i].unit, cases[i].base, cases[i].head, 2, cases[i].floor),
        cases[i].regressed);
}

/* ---- earlier runs ------------------------------------ */

/* Returns the exit status for base and head with earlier runs. Frees the texts. */
static int status_of_runs(const struct gate_settings *settings, struct buffer *runs, size_t count,
                          struct buffer *sides) {
  struct gate gate;
  pprofc_bench *earlier = pprofc_bench_new(NULL), *set = pprofc_bench_new(NULL);
  gate_init(&gate, &mem_default);
  gate.settings.test = settings->test;
  gate.settings.one_process = settings->one_process;
  for (size_t i = 0; i < count; i++) {
    CU_ASSERT_EQUAL(pprofc_bench_read(earlier, "", "run", runs[i].data, runs[i].size, NULL),
                    PPROFC_OK);
    buffer_free(&runs[i]);
  }
  CU_ASSERT_EQUAL(gate_learn_noise(&gate, earlier, NULL), PPROFC_OK);
  for (int side = 0; side < 2; side++) {
    CU_ASSERT_EQUAL(pprofc_bench_read(set, side ? "head" : "base", "f", sides[side].data,
                                      sides[side].size, NULL),
                    PPROFC_OK);
    buffer_free(&sides[side]);
  }
  CU_ASSERT_EQUAL(gate_read_raw(&gate, set, NULL), PPROFC_OK);
  CU_ASSERT_EQUAL(gate_judge(&gate, TODAY, NULL), PPROFC_OK);
  int status = gate_exit_status(&gate);
  gate_free(&gate);
  pprofc_bench_free(earlier);
  pprofc_bench_free(set);
  return status;
}

/* Appends five samples close to `value`. */
static void put_run(struct buffer *out, const char *name, double value, double swing,
                    const char *unit) {
  for (int i = 0; i < 5; i++)
    buffer_printf(out, "Benchmark%s 1 %.4f %s\n", name, value * (1 + swing * (i - 2)), unit);
}

/* Judges one benchmark with three earlier runs; the t-test then has two degrees of freedom. `unit`
 * follows each value, such as "ns/op". With `parts`, each value also occurs as system time. */
static int status_with_noise(double factor, const char *unit, const char *parts) {
  const struct gate_settings settings = {.one_process = false};
  struct buffer runs[3], sides[2];
  for (int i = 0; i < 5; i++) {
    bool run = i < 3;
    double value = run ? 100 + 6 * i : i == 3 ? 100 : 100 * factor;
    struct buffer *out = run ? &runs[i] : &sides[i - 3];
    buffer_init(out, &mem_default, 1 << 20);
    for (int k = 0; k < 5; k++)
      buffer_printf(out, "BenchmarkA 1 %.3f %s %.3f %s\n", value, unit, value, parts);
  }
  return status_of_runs(&settings, runs, 3, sides);
}

TEST(test_a_change_exceeds_the_noise_of_earlier_runs) {
  CU_ASSERT_EQUAL(status_with_noise(1.13, "ns/op", "x"), 0);
  CU_ASSERT_EQUAL(status_with_noise(1.40, "ns/op", "x"), 0);
  CU_ASSERT_EQUAL(status_with_noise(1.42, "ns/op", "x"), 2);
  CU_ASSERT_EQUAL(status_with_noise(1.40, "user-sec/op", "sys-sec/op"), 0);
  CU_ASSERT_EQUAL(status_with_noise(1.42, "user-sec/op", "sys-sec/op"), 2);
}

/* Judges extreme changes of one benchmark with six earlier runs. */
TEST(test_earlier_runs_decide_extreme_changes) {
  static const struct {
    const char *unit;
    double runs[6], base, head;
    pprofc_gate_test test;
    int status;
  } cases[] = {
      /* a change from 0 or to 0, which no earlier run had */
      {"B/op", {1, 2, 1, 3, 2, 1}, 0, 5000, PPROFC_GATE_BOTH, 2},
      {"B/op", {1, 2, 1, 3, 2, 1}, 0, 5000, PPROFC_GATE_UTEST, 2},
      {"MB/s", {100, 101, 99, 100, 102, 98}, 100, 0, PPROFC_GATE_BOTH, 2},
      {"B/op", {1, 2, 1, 3, 2, 1}, 2, 0, PPROFC_GATE_BOTH, 0},
      {"B/op", {1, 2, 1, 3, 2, 1}, 1, 2, PPROFC_GATE_BOTH, 0},
      /* even without another test, the noise counts */
      {"ns/op", {90, 130, 100, 120, 110, 95}, 101, 108, PPROFC_GATE_NONE, 0},
      {"ns/op", {90, 130, 100, 120, 110, 95}, 101, 300, PPROFC_GATE_NONE, 2},
      {"ns/op", {101, 101.5, 101, 101.2, 101.1, 101}, 101, 108, PPROFC_GATE_NONE, 2},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (int swing = 0; swing < 2; swing++) {
      const struct gate_settings settings = {.test = cases[i].test};
      struct buffer texts[8];
      for (size_t k = 0; k < 8; k++) {
        double value = k < 6 ? cases[i].runs[k] : k == 6 ? cases[i].base : cases[i].head;
        buffer_init(&texts[k], &mem_default, 1 << 20);
        put_run(&texts[k], "A", value, swing * 0.001, cases[i].unit);
      }
      CU_ASSERT_EQUAL(status_of_runs(&settings, texts, 6, texts + 6), cases[i].status);
    }
}

/* Judges a change of X, which has equal values by chance in two earlier runs. The other benchmarks
 * vary by 8 %. All samples of a side come from one process. */
static int status_of_equal_runs(const char *unit, size_t others, double head) {
  static const char header[] = "goos: linux\ngoarch: amd64\npkg: example.com/x\n";
  const struct gate_settings settings = {.one_process = false};
  struct buffer texts[4];
  char name[24];
  for (size_t k = 0; k < 4; k++) {
    buffer_init(&texts[k], &mem_default, 1 << 20);
    buffer_add_text(&texts[k], header);
    put_run(&texts[k], "X", k < 2 ? 10.1 : k == 2 ? 10.15 : head, k < 2 ? 0 : 0.001, unit);
    for (size_t b = 0; b < others; b++) {
      snprintf(name, sizeof name, "Y%zu", b);
      put_run(&texts[k], name, k == 1 ? 100 + 4 * (double)(b % 4 + 1) : 100, 0.001, unit);
    }
  }
  return status_of_runs(&settings, texts, 2, texts + 2);
}

TEST(test_equal_earlier_times_are_chance) {
  CU_ASSERT_EQUAL(status_of_equal_runs("ns/op", 15, 11.05), 0); /* X gets the noise of the others */
  CU_ASSERT_EQUAL(status_of_equal_runs("ns/op", 15, 40), 2);
  CU_ASSERT_EQUAL(status_of_equal_runs("ns/op", 0, 11.05), 0); /* without other benchmarks the noise
                                                                  of X is unknown */
  CU_ASSERT_EQUAL(status_of_equal_runs("B/op", 15, 11.05), 2); /* memory does not vary */
}

/* A single outlier must not count as the noise of a side, and not as a change. */
TEST(test_one_outlier_is_no_floor) {
  static const double sort_base[] = {581, 583, 585, 585, 591, 593, 595, 595, 601, 603};
  static const double sort_head[] = {601, 605, 605, 607, 609, 609, 614, 618, 632, 738};
  double base[10] = {16, 16, 16, 16, 80, 16, 16, 16, 16, 16}, head[10];
  double two[10] = {16, 80, 16, 16, 80, 16, 16, 16, 16, 16};
  for (int i = 0; i < 10; i++) head[i] = 64;
  CU_ASSERT_EQUAL(regressed_samples("B/op", base, head, 10, "1s"), 1);
  CU_ASSERT_EQUAL(regressed_samples("B/op", two, head, 10, "1s"), 0);
  CU_ASSERT_EQUAL(regressed_samples("B/op", head, base, 10, "1s"), 0);
  CU_ASSERT_EQUAL(regressed_samples("B/op", sort_base, sort_head, 10, "1s"), 0);
}

static struct gate_row floor_row(double low, double high, double head) {
  struct gate_row row = gate_row_unknown();
  row.verdict = PPROFC_GATE_UNCHANGED;
  row.direction = -1;
  row.threshold = 0.05;
  row.floor = 10;
  row.base = 100;
  row.head = head;
  row.delta = head / 100 - 1;
  row.low = low;
  row.high = high;
  return row;
}

/* A change of 8 % is not below the threshold of 5 %, so the verdict must name another limit. */
TEST(test_a_verdict_names_the_limit_that_decided) {
  struct gate_row row = floor_row(0.07, 0.09, 108);
  CU_ASSERT_STRING_EQUAL(gate_row_verdict(&row), "below the floor");
  row = floor_row(0.01, 0.03, 102);
  CU_ASSERT_STRING_EQUAL(gate_row_verdict(&row), "below the threshold");
  row = floor_row(-0.09, -0.07, 92);
  CU_ASSERT_STRING_EQUAL(gate_row_verdict(&row), "not slower");
  row = floor_row(-0.01, 0.09, 104);
  CU_ASSERT_STRING_EQUAL(gate_row_verdict(&row), "unchanged");
}
