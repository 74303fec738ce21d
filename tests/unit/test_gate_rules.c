/* The gate's rules file: what it sets, what it matches, and where its errors are. */
#include "gate/judge.h"
#include "gate/read/read.h"
#include "unit.h"

#include <math.h>
#include <stdlib.h>

#define TODAY "2026-11-20"

/* Five constants a benchmark: Slow is 20 % slower, Tiny 20 % of 100 ns, Items 20 % less. */
static void fill(struct buffer *out, bool head) {
  for (size_t i = 0; i < 5; i++)
    buffer_printf(out,
                  "BenchmarkSlow 1 %d ns/op\nBenchmarkTiny 1 %d ns/op 100 B/op\n"
                  "BenchmarkItems 1 %d widgets\n",
                  head ? 120000 : 100000, head ? 120 : 100, head ? 80 : 100);
}

/* The exit status under these rules; -1 when they are wrong. */
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

static void test_rules_set_what_they_match(void) {
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

static void test_the_last_rule_wins(void) {
  CU_ASSERT_EQUAL(regressed("{\"rules\": [{\"benchmark\": \"*\", \"threshold\": 50},"
                            "{\"benchmark\": \"Slow\", \"threshold\": 10}]}"),
                  1);
}

static void test_floors_are_of_the_class_of_the_unit(void) {
  CU_ASSERT_EQUAL(regressed("{\"floor\": \"1us or 16 B\"}"), 1);
  CU_ASSERT_EQUAL(regressed("{\"floor\": \"20ns\"}"), 2);
  CU_ASSERT_EQUAL(regressed("{\"floor\": \"16 B\"}"), 2);
  CU_ASSERT_EQUAL(regressed(RULE("\"benchmark\": \"Slow\", \"floor\": \"1ms\"")), 1);
}

static void test_directions(void) {
  CU_ASSERT_EQUAL(regressed("{\"directions\": {\"widgets\": \"higher\"}}"), 3);
  CU_ASSERT_EQUAL(regressed("{\"directions\": {\"widgets\": \"lower\"}}"), 2);
  CU_ASSERT_EQUAL(regressed(RULE("\"benchmark\": \"Slow\", \"direction\": \"higher\"")), 1);
}

#define ACCEPT(limit, until)                                                                       \
  RULE("\"benchmark\": \"Slow\", \"accept\": " limit ", \"until\": \"" until                       \
       "\", \"reason\": \"new encoder\"")

static void test_accepted_regressions_expire(void) {
  CU_ASSERT_EQUAL(regressed(ACCEPT("\"25%\"", "2026-11-20")), 1);
  CU_ASSERT_EQUAL(regressed(ACCEPT("20", "2027-01-31")), 1);
  CU_ASSERT_EQUAL(regressed(ACCEPT("true", "2027-01-31")), 1);
  CU_ASSERT_EQUAL(regressed(ACCEPT("\"12%\"", "2027-01-31")), 2);
  CU_ASSERT_EQUAL(regressed(ACCEPT("\"25%\"", "2026-11-19")), 2);
  CU_ASSERT(notes(ACCEPT("\"25%\"", "2026-11-19"), false, "expired on 2026-11-19"));
}

static void test_dates_are_of_the_calendar(void) {
  static const char *const good[] = {"2027-01-31", "2028-02-29", "2000-02-29", "2027-12-01"};
  static const char *const bad[] = {"tomorrow",   "2027-02-29", "1900-02-29", "2027-13-01",
                                    "2027-00-01", "2027-04-31", "2027-04-00", "2027/04/01",
                                    "2027-4-1",   "+027-04-01", "2027-01-311"};
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) CU_ASSERT(gate_is_date(str_of(good[i])));
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) CU_ASSERT(!gate_is_date(str_of(bad[i])));
}

static void test_a_rule_that_matches_nothing_is_a_problem(void) {
  CU_ASSERT(notes("{\n\"rules\": [\n{\"benchmark\": \"Slwo\", \"ignore\": true}]}", true,
                  "rule of line 3 (Slwo) matches no benchmark"));
}

static void test_errors_have_line_and_column(void) {
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

static void test_broken_json_has_line_and_column(void) {
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

static void test_floors_and_percentages_are_parsed_whole(void) {
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

/* A base whose earlier runs swing by 12 % needs more than that. `unit` is what each value has, such
 * as "ns/op"; with `parts`, each value comes again as system time. */
static int status_with_noise(double factor, const char *unit, const char *parts) {
  struct gate gate;
  pprofc_error error;
  pprofc_bench *runs = pprofc_bench_new(NULL), *set = pprofc_bench_new(NULL);
  char text[2000];
  gate_init(&gate, &mem_default);
  for (int run = 0; run < 3; run++) {
    size_t n = 0;
    for (int i = 0; i < 5; i++)
      n += (size_t)snprintf(text + n, sizeof text - n, "BenchmarkA 1 %d %s %d %s\n", 100 + 6 * run,
                            unit, 100 + 6 * run, parts);
    CU_ASSERT_EQUAL(pprofc_bench_read(runs, "", "run", text, n, &error), PPROFC_OK);
  }
  CU_ASSERT_EQUAL(gate_learn_noise(&gate, runs, &error), PPROFC_OK);
  for (int side = 0; side < 2; side++) {
    size_t n = 0;
    for (int i = 0; i < 5; i++)
      n += (size_t)snprintf(text + n, sizeof text - n, "BenchmarkA 1 %.3f %s %.3f %s\n",
                            side ? 100 * factor : 100, unit, side ? 100 * factor : 100, parts);
    CU_ASSERT_EQUAL(pprofc_bench_read(set, side ? "head" : "base", "f", text, n, &error),
                    PPROFC_OK);
  }
  CU_ASSERT_EQUAL(gate_read_raw(&gate, set, &error), PPROFC_OK);
  CU_ASSERT_EQUAL(gate_judge(&gate, TODAY, &error), PPROFC_OK);
  int status = gate_exit_status(&gate);
  gate_free(&gate);
  pprofc_bench_free(runs);
  pprofc_bench_free(set);
  return status;
}

static void test_noise_of_earlier_runs_raises_the_threshold(void) {
  CU_ASSERT_EQUAL(status_with_noise(1.10, "ns/op", "x"), 0);
  CU_ASSERT_EQUAL(status_with_noise(1.12, "ns/op", "x"), 0);
  CU_ASSERT_EQUAL(status_with_noise(1.13, "ns/op", "x"), 2);
  CU_ASSERT_EQUAL(status_with_noise(1.12, "user-sec/op", "sys-sec/op"), 0);
  CU_ASSERT_EQUAL(status_with_noise(1.13, "user-sec/op", "sys-sec/op"), 2);
}

UNIT_MAIN("gate rules", UNIT(test_rules_set_what_they_match), UNIT(test_the_last_rule_wins),
          UNIT(test_floors_are_of_the_class_of_the_unit), UNIT(test_directions),
          UNIT(test_accepted_regressions_expire), UNIT(test_dates_are_of_the_calendar),
          UNIT(test_a_rule_that_matches_nothing_is_a_problem),
          UNIT(test_errors_have_line_and_column), UNIT(test_broken_json_has_line_and_column),
          UNIT(test_floors_and_percentages_are_parsed_whole),
          UNIT(test_noise_of_earlier_runs_raises_the_threshold))
