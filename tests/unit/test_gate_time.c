/* Tests wall time and CPU time, with results of Google Benchmark and hyperfine, and the build type
 * of the benchmark library. */
#include "gate/judge.h"
#include "gate/read/read.h"
#include "unit.h"

#include <math.h>

struct fixture {
  struct gate gate;
  pprofc_bench *set;
};

static void open_gate(struct fixture *f) {
  f->set = pprofc_bench_new(NULL);
  gate_init(&f->gate, &mem_default);
  f->gate.settings.one_process = true;
}

static void close_gate(struct fixture *f) {
  gate_free(&f->gate);
  pprofc_bench_free(f->set);
}

/* ---- results ----------------------------------------- */

/* One benchmark with ten repetitions. Times are in nanoseconds. */
struct benchmark {
  const char *name;
  int threads;
  double wall, wall_step, cpu; /* wall time varies by wall_step, CPU time by 0.1 % */
};

static void put_file(struct buffer *out, const char *build, const struct benchmark *benchmarks,
                     size_t count) {
  buffer_printf(out, "{\"context\":{\"library_build_type\":\"%s\"},\"benchmarks\":[", build);
  for (size_t b = 0; b < count; b++)
    for (size_t i = 0; i < 10; i++) {
      double swing = (double)(i * 7 % 10) - 4.5;
      buffer_printf(out,
                    "%s{\"name\":\"%s\",\"run_type\":\"iteration\",\"threads\":%d,\"iterations\":9,"
                    "\"real_time\":%g,\"cpu_time\":%g,\"time_unit\":\"ns\"}",
                    b + i ? "," : "", benchmarks[b].name, benchmarks[b].threads,
                    benchmarks[b].wall + swing * benchmarks[b].wall_step,
                    benchmarks[b].cpu * (1 + swing / 1000));
    }
  buffer_add_text(out, "]}");
}

static void read_side(struct fixture *f, const char *label, const char *build,
                      const struct benchmark *benchmarks, size_t count) {
  struct buffer text;
  buffer_init(&text, &mem_default, 1 << 24);
  put_file(&text, build, benchmarks, count);
  CU_ASSERT_EQUAL(pprofc_bench_read(f->set, label, label, text.data, text.size, NULL), PPROFC_OK);
  buffer_free(&text);
}

static int judge(struct fixture *f) {
  CU_ASSERT_EQUAL(gate_read_raw(&f->gate, f->set, NULL), PPROFC_OK);
  CU_ASSERT_EQUAL(gate_judge(&f->gate, "2026-11-22", NULL), PPROFC_OK);
  return gate_exit_status(&f->gate);
}

static int judge_one(struct fixture *f, struct benchmark base, struct benchmark head) {
  read_side(f, "base", "release", &base, 1);
  read_side(f, "head", "release", &head, 1);
  return judge(f);
}

static const struct gate_row *row_of(const struct fixture *f, const char *name, const char *unit) {
  size_t count;
  const struct gate_row *rows = gate_rows(&f->gate, &count);
  for (size_t i = 0; i < count; i++)
    if (str_equal(rows[i].name, str_of(name)) && str_equal(rows[i].unit, str_of(unit)))
      return &rows[i];
  CU_FAIL_FATAL("no such row");
  return NULL;
}

static size_t count_lines(const struct buffer *notes) {
  size_t count = 0;
  for (size_t i = 0; i < notes->size; i++) count += notes->data[i] == '\n';
  return count;
}

/* ---- documented behaviour ---------------------------- */

TEST(test_cpu_time_of_one_thread_is_judged) {
  struct fixture f;
  open_gate(&f);
  CU_ASSERT_EQUAL(judge_one(&f, (struct benchmark){"A", 1, 1300, 90, 1000},
                            (struct benchmark){"A", 1, 1340, 90, 1100}),
                  2);
  CU_ASSERT_EQUAL(row_of(&f, "A", "cpu-sec/op")->verdict, PPROFC_GATE_REGRESSED);
  CU_ASSERT_EQUAL(row_of(&f, "A", "sec/op")->verdict, PPROFC_GATE_ASIDE);
  /* A comparison has only one p-value, and counts once. */
  CU_ASSERT_EQUAL(f.gate.compared, 1);
  CU_ASSERT_EQUAL(f.gate.family, 1);
  CU_ASSERT_EQUAL(f.gate.cpu_times, 1);
  close_gate(&f);
}

TEST(test_wall_time_is_judged_where_cpu_time_says_little) {
  static const struct benchmark benchmarks[] = {
      {"A/threads:4", 4, 1300, 1, 1000},   {"A", 2, 1300, 1, 1000},
      {"A/real_time", 1, 1300, 1, 1000},   {"A/real_time/threads:1", 1, 1300, 1, 1000},
      {"A/manual_time", 1, 1300, 1, 1000}, {"A/process_time", 1, 1300, 1, 3900},
      {"Sleeps", 1, 1300, 1, 20},          {"Zero", 1, 1300, 1, 0},
  };
  for (size_t i = 0; i < sizeof benchmarks / sizeof *benchmarks; i++) {
    struct fixture f;
    struct benchmark head = benchmarks[i];
    head.wall *= 1.2;
    open_gate(&f);
    CU_ASSERT_EQUAL(judge_one(&f, benchmarks[i], head), 2);
    CU_ASSERT_EQUAL(row_of(&f, head.name, "sec/op")->verdict, PPROFC_GATE_REGRESSED);
    CU_ASSERT_EQUAL(row_of(&f, head.name, "cpu-sec/op")->verdict, PPROFC_GATE_ASIDE);
    CU_ASSERT_EQUAL(f.gate.wall_times, 1);
    close_gate(&f);
  }
}

TEST(test_one_thread_may_be_named) {
  static const char *const names[] = {"A/threads:1", "A/threads:1/8", "A/process_time"};
  for (size_t i = 0; i < 3; i++) {
    struct fixture f;
    open_gate(&f);
    CU_ASSERT_EQUAL(judge_one(&f, (struct benchmark){names[i], 1, 1300, 90, 1000},
                              (struct benchmark){names[i], 1, 1300, 90, 1000}),
                    0);
    CU_ASSERT_EQUAL(f.gate.cpu_times, 1);
    close_gate(&f);
  }
}

/* A regression that is visible only in wall time makes the row inconclusive. */
TEST(test_waiting_is_no_pass_under_strict) {
  struct fixture f;
  open_gate(&f);
  CU_ASSERT_EQUAL(judge_one(&f, (struct benchmark){"A", 1, 1300, 1, 1000},
                            (struct benchmark){"A", 1, 2600, 1, 1000}),
                  0);
  CU_ASSERT_EQUAL(row_of(&f, "A", "sec/op")->verdict, PPROFC_GATE_INCONCLUSIVE);
  f.gate.settings.strict = true;
  CU_ASSERT_EQUAL(gate_exit_status(&f.gate), 3);
  close_gate(&f);
}

TEST(test_the_choice_can_be_made) {
  static const struct {
    pprofc_gate_time time;
    int status;
  } choices[] = {{PPROFC_GATE_TIME_WALL, 2}, {PPROFC_GATE_TIME_CPU, 0}, {PPROFC_GATE_TIME_AUTO, 2}};
  for (size_t i = 0; i < 3; i++) {
    struct fixture f;
    open_gate(&f);
    f.gate.settings.time = choices[i].time;
    CU_ASSERT_EQUAL(judge_one(&f, (struct benchmark){"A/threads:2", 2, 1300, 1, 1000},
                              (struct benchmark){"A/threads:2", 2, 1600, 1, 1000}),
                    choices[i].status);
    close_gate(&f);
  }
}

/* A rule for the time of a benchmark must apply to the time that the gate judges. */
TEST(test_rules_for_time_hold_for_cpu_time) {
  struct fixture f;
  struct gate_rule rule = {.unit = {"ns/op", 5}, .has_threshold = true, .threshold = 0.2};
  open_gate(&f);
  f.gate.settings.rules = mem_array(&mem_default, 1, sizeof rule);
  CU_ASSERT_PTR_NOT_NULL_FATAL(f.gate.settings.rules);
  f.gate.settings.rules[0] = rule;
  f.gate.settings.rule_count = f.gate.settings.rule_capacity = 1;
  CU_ASSERT_EQUAL(judge_one(&f, (struct benchmark){"A", 1, 1300, 90, 1000},
                            (struct benchmark){"A", 1, 1340, 90, 1100}),
                  0);
  CU_ASSERT_EQUAL(row_of(&f, "A", "cpu-sec/op")->threshold, 0.2);
  close_gate(&f);
}

/* hyperfine stores only the means of user and system time, so there is one sample. */
TEST(test_hyperfine) {
  static const char text[] =
      "{\"results\":[{\"command\":\"true\",\"mean\":1,\"user\":0.5,\"system\":0.25,"
      "\"times\":[1.00,1.01,0.99,1.02,0.98,1.00],\"exit_codes\":[0,0,0,0,0,0]}]}";
  for (int files = 1; files <= 4; files += 3) {
    struct fixture f;
    open_gate(&f);
    for (int i = 0; i < 2 * files; i++)
      CU_ASSERT_EQUAL(
          pprofc_bench_read(f.set, i % 2 ? "head" : "base", "x.json", text, sizeof text - 1, NULL),
          PPROFC_OK);
    CU_ASSERT_EQUAL(judge(&f), 0);
    CU_ASSERT_EQUAL(f.gate.compared, 1);
    /* Several files have several means. The sums of user and system time are CPU times. */
    CU_ASSERT_EQUAL(f.gate.cpu_times, files == 4);
    CU_ASSERT_EQUAL(row_of(&f, "true", "cpu-sec/op")->base, 0.75);
    CU_ASSERT_EQUAL(row_of(&f, "true", "user-sec/op")->verdict, PPROFC_GATE_ASIDE);
    close_gate(&f);
  }
}

/* Debian ships the library as a debug build. */
TEST(test_a_debug_library_is_one_warning) {
  struct fixture f;
  struct benchmark base = {"A", 1, 1300, 1, 1000}, head = {"A", 1, 1600, 1, 1200};
  open_gate(&f);
  for (int i = 0; i < 3; i++) {
    read_side(&f, "base", "debug", &base, 1);
    read_side(&f, "head", "debug", &head, 1);
  }
  CU_ASSERT_EQUAL(judge(&f), 2);
  CU_ASSERT_EQUAL(f.gate.problem_count, 0);
  CU_ASSERT_EQUAL(count_lines(&f.gate.warnings), 1);
  close_gate(&f);
  open_gate(&f);
  read_side(&f, "base", "debug", &base, 1);
  read_side(&f, "head", "release", &head, 1);
  CU_ASSERT_EQUAL(judge(&f), 2);
  CU_ASSERT(str_find(buffer_str(&f.gate.warnings), STR("for base only")) < f.gate.warnings.size);
  close_gate(&f);
}

/* ---- instructions ------------------------------------ */

/* Instructions and ten times of one benchmark, as `pprofci run -simulate -walltime` writes them. */
static void read_counted(struct fixture *f, const char *label, double instructions,
                         double seconds) {
  struct buffer text;
  buffer_init(&text, &mem_default, 1 << 16);
  buffer_printf(&text, "name,unit,value,assume\nparse,instructions,%g,exact\n", instructions);
  for (int i = 0; i < 10; i++)
    buffer_printf(&text, "parse,sec/op,%g,\n", seconds * (1 + i * 7 % 10 / 1000.0));
  CU_ASSERT_EQUAL(pprofc_bench_read(f->set, label, "x.csv", text.data, text.size, NULL), PPROFC_OK);
  buffer_free(&text);
}

TEST(test_a_longer_time_with_equal_instructions_is_no_regression) {
  static const struct {
    double instructions, seconds;
    int status;
    pprofc_gate_verdict time;
  } heads[] = {
      {100000, 1.2, 0, PPROFC_GATE_INCONCLUSIVE}, {100300, 1.2, 0, PPROFC_GATE_INCONCLUSIVE},
      {110000, 1.2, 2, PPROFC_GATE_ASIDE},        {90000, 1.2, 0, PPROFC_GATE_INCONCLUSIVE},
      {110000, 1, 2, PPROFC_GATE_ASIDE},          {100000, 0.8, 0, PPROFC_GATE_ASIDE}};
  for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
    struct fixture f;
    open_gate(&f);
    read_counted(&f, "base", 100000, 1);
    read_counted(&f, "head", heads[i].instructions, heads[i].seconds);
    CU_ASSERT_EQUAL(judge(&f), heads[i].status);
    CU_ASSERT_EQUAL(row_of(&f, "parse", "sec/op")->verdict, heads[i].time);
    CU_ASSERT_EQUAL(f.gate.compared, 1);
    f.gate.settings.overloaded = "load 20 on 2 processors";
    CU_ASSERT(!gate_is_inconclusive(&f.gate)); /* counts do not depend on the load */
    close_gate(&f);
  }
}
