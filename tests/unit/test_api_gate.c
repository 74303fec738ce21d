/* Tests that the public gate returns the same verdicts as parse_bench_regressions for the same
 * inputs, as data. */
#include "core/buffer.h"
#include "failing.h"
#include "pprofc/gate.h"
#include "unit.h"

#include <math.h>
#include <unistd.h>

static pprofc_error error;

/* Six samples per side. B gets 30 % slower, A stays the same, C is missing in the head. */
#define RUN(name, unit, a)                                                                         \
  "Benchmark" name " 1 " a "00 " unit "\nBenchmark" name " 1 " a "01 " unit "\nBenchmark" name     \
  " 1 " a "02 " unit "\nBenchmark" name " 1 " a "03 " unit "\nBenchmark" name " 1 " a "04 " unit   \
  "\nBenchmark" name " 1 " a "05 " unit "\n"

static const char base_text[] =
    "pkg: p\n" RUN("A", "ns/op", "10") RUN("B", "ns/op", "10") RUN("C", "ns/op", "10");
static const char head_text[] = "pkg: p\n" RUN("A", "ns/op", "10") RUN("B", "ns/op", "13");

static pprofc_gate *gate_with(const pprofc_gate_options *options) {
  pprofc_gate *gate = NULL;
  CU_ASSERT_EQUAL_FATAL(pprofc_gate_new(options, &gate, &error), PPROFC_OK);
  return gate;
}

static void read_side(pprofc_gate *gate, pprofc_gate_side side, const char *path,
                      const char *text) {
  pprofc_status status = pprofc_gate_read_memory(gate, side, path, text, strlen(text), &error);
  CU_ASSERT_EQUAL_FATAL(status, PPROFC_OK);
}

static pprofc_gate *judged_gate(const pprofc_gate_options *options) {
  pprofc_gate *gate = gate_with(options);
  read_side(gate, PPROFC_GATE_BASE, "old.txt", base_text);
  read_side(gate, PPROFC_GATE_HEAD, "new.txt", head_text);
  CU_ASSERT_EQUAL_FATAL(pprofc_gate_judge(gate, &error), PPROFC_OK);
  return gate;
}

static const pprofc_gate_row *row_of(const pprofc_gate *gate, const char *name) {
  size_t count;
  const pprofc_gate_row *rows = pprofc_gate_rows(gate, &count);
  for (size_t i = 0; i < count; i++)
    if (str_equal(rows[i].name, str_of(name))) return &rows[i];
  CU_FAIL_FATAL("there is no such row");
  return NULL;
}

TEST(test_rows_are_data) {
  pprofc_gate *gate = judged_gate(NULL);
  const pprofc_gate_row *b = row_of(gate, "B"), *a = row_of(gate, "A"), *c = row_of(gate, "C");
  CU_ASSERT_EQUAL(b->verdict, PPROFC_GATE_REGRESSED);
  CU_ASSERT(str_equal(b->unit, STR("sec/op")) && str_equal(b->group, STR("p")));
  CU_ASSERT(str_equal(b->file, STR("new.txt")) && b->line == 8);
  CU_ASSERT_DOUBLE_EQUAL(b->base, 1002.5e-9, 1e-12);
  CU_ASSERT_DOUBLE_EQUAL(b->effect, 0.299, 0.001);
  CU_ASSERT(b->low < b->effect && b->effect < b->high && b->low > 0.29 && b->high < 0.31);
  CU_ASSERT(b->tested && b->p < 1e-6 && b->adjusted >= b->p && b->significant);
  CU_ASSERT(b->base_count == 6 && b->head_count == 6 && b->direction == -1);
  CU_ASSERT(b->threshold == 0.05 && b->alpha == 0.05 && b->visible_effect < 0.05);
  CU_ASSERT_STRING_EQUAL(pprofc_gate_verdict_name(b->verdict), "regressed");
  CU_ASSERT_EQUAL(a->verdict, PPROFC_GATE_UNCHANGED);
  CU_ASSERT(!a->significant && fabs(a->effect) < 1e-9);
  CU_ASSERT_EQUAL(c->verdict, PPROFC_GATE_MISSING);
  CU_ASSERT(c->in_base && !c->in_head && isnan(c->effect));
  pprofc_gate_totals t = pprofc_gate_totals_of(gate);
  CU_ASSERT(t.compared == 2 && t.significant == 1 && t.regressed == 1 && t.missing == 1);
  CU_ASSERT_EQUAL(t.problems, 0);
  CU_ASSERT_EQUAL(pprofc_gate_exit_status(gate), 2);
  CU_ASSERT_EQUAL(pprofc_gate_problems(gate).size, 0);
  pprofc_gate_free(gate);
  pprofc_gate_free(NULL);
}

TEST(test_rules_and_options) {
  static const char rules[] = "{\"rules\": [{\"benchmark\": \"B\", \"accept\": \"40%\", \"until\": "
                              "\"2027-01-31\", \"reason\": \"new encoder\"}]}";
  pprofc_gate_options options;
  pprofc_gate_options_init(&options);
  static const struct {
    const char *today;
    int status;
    pprofc_gate_verdict verdict;
  } days[] = {{"2027-01-31", 0, PPROFC_GATE_ACCEPTED}, {"2027-02-01", 2, PPROFC_GATE_REGRESSED}};
  for (size_t i = 0; i < 2; i++) {
    options.today = days[i].today;
    pprofc_gate *gate = gate_with(&options);
    CU_ASSERT_EQUAL(pprofc_gate_read_rules(gate, "gate.json", rules, sizeof rules - 1, &error),
                    PPROFC_OK);
    read_side(gate, PPROFC_GATE_BASE, "old.txt", base_text);
    read_side(gate, PPROFC_GATE_HEAD, "new.txt", head_text);
    CU_ASSERT_EQUAL(pprofc_gate_judge(gate, &error), PPROFC_OK);
    CU_ASSERT_EQUAL(pprofc_gate_exit_status(gate), days[i].status);
    CU_ASSERT_EQUAL(row_of(gate, "B")->verdict, days[i].verdict);
    pprofc_gate_free(gate);
  }
  options.today = "";
  options.threshold = 0.5;
  pprofc_gate *gate = judged_gate(&options);
  CU_ASSERT_EQUAL(pprofc_gate_exit_status(gate), 0);
  pprofc_gate_free(gate);
  options.strict = true;
  gate = judged_gate(&options);
  CU_ASSERT_EQUAL(pprofc_gate_exit_status(gate), 3);
  pprofc_gate_free(gate);
  options.threshold = 0.05;
  options.strict = false;
  options.floor = "1us";
  gate = judged_gate(&options);
  CU_ASSERT_EQUAL(pprofc_gate_exit_status(gate), 0);
  pprofc_gate_free(gate);
}

TEST(test_rules_that_are_wrong) {
  pprofc_gate *gate = gate_with(NULL);
  CU_ASSERT_EQUAL(pprofc_gate_read_rules(gate, "gate.json", "{\"alpha\": 2}", 12, &error),
                  PPROFC_E_FORMAT);
  CU_ASSERT_STRING_EQUAL(error.message, "gate.json:1:2: \"alpha\" must be from 0 to 1");
  pprofc_gate_free(gate);
}

/* A set must give the same result as the text that the set was read from. */
TEST(test_sets_are_copied) {
  pprofc_bench *base = pprofc_bench_new(NULL), *head = pprofc_bench_new(NULL);
  static const char bad[] = "BenchmarkD 1 x ns/op\n";
  CU_ASSERT_EQUAL(pprofc_bench_read(base, "x", "old.txt", base_text, strlen(base_text), &error),
                  PPROFC_OK);
  CU_ASSERT_EQUAL(pprofc_bench_read(head, "y", "new.txt", head_text, strlen(head_text), &error),
                  PPROFC_OK);
  CU_ASSERT_EQUAL(pprofc_bench_read(head, "y", "bad.txt", bad, strlen(bad), &error), PPROFC_OK);
  pprofc_gate *gate = gate_with(NULL);
  CU_ASSERT_EQUAL(pprofc_gate_read_set(gate, PPROFC_GATE_BASE, base, &error), PPROFC_OK);
  CU_ASSERT_EQUAL(pprofc_gate_read_set(gate, PPROFC_GATE_HEAD, head, &error), PPROFC_OK);
  pprofc_bench_free(base);
  pprofc_bench_free(head);
  CU_ASSERT_EQUAL(pprofc_gate_judge(gate, &error), PPROFC_OK);
  pprofc_gate *other = judged_gate(NULL);
  static const char *const names[] = {"A", "B", "C"};
  for (size_t i = 0; i < 3; i++) {
    const pprofc_gate_row *x = row_of(gate, names[i]), *y = row_of(other, names[i]);
    CU_ASSERT(x->verdict == y->verdict && x->p == y->p && x->adjusted == y->adjusted);
    CU_ASSERT(x->line == y->line && str_equal(x->file, y->file) && str_equal(x->group, y->group));
    CU_ASSERT(str_equal(x->unit, y->unit) && x->base_count == y->base_count);
  }
  CU_ASSERT_EQUAL(pprofc_gate_totals_of(gate).problems, 1);
  pprofc_str problems = pprofc_gate_problems(gate);
  CU_ASSERT(str_starts(problems, STR("bad.txt:1: ")));
  CU_ASSERT_EQUAL(pprofc_gate_exit_status(gate), 1);
  pprofc_gate_free(gate);
  pprofc_gate_free(other);
}

TEST(test_files) {
  pprofc_gate *gate = gate_with(NULL);
  const char *old = TESTDATA "/bench/gate_old.txt", *new = TESTDATA "/bench/gate_new.txt";
  CU_ASSERT_EQUAL(pprofc_gate_read_file(gate, PPROFC_GATE_BASE, old, &error), PPROFC_OK);
  CU_ASSERT_EQUAL(pprofc_gate_read_file(gate, PPROFC_GATE_HEAD, new, &error), PPROFC_OK);
  CU_ASSERT_EQUAL(pprofc_gate_read_file(gate, PPROFC_GATE_HEAD, "/no/such", &error), PPROFC_E_IO);
  CU_ASSERT_STRING_EQUAL(error.message, "cannot read '/no/such': no such file or directory");
  CU_ASSERT_EQUAL(pprofc_gate_read_file(gate, (pprofc_gate_side)2, old, &error), PPROFC_E_INVALID);
  CU_ASSERT_EQUAL(pprofc_gate_judge(gate, &error), PPROFC_OK);
  CU_ASSERT(pprofc_gate_totals_of(gate).compared > 10);
  /* A caller that ignores a failed read must not get a pass. */
  CU_ASSERT_EQUAL(pprofc_gate_exit_status(gate), 1);
  CU_ASSERT(str_starts(pprofc_gate_problems(gate), STR("cannot read '/no/such': ")));
  pprofc_gate_free(gate);
}

TEST(test_a_run_that_failed_is_no_pass) {
  pprofc_gate *gate = gate_with(NULL);
  read_side(gate, PPROFC_GATE_BASE, "old.txt", base_text);
  read_side(gate, PPROFC_GATE_HEAD, "new.txt", RUN("A", "ns/op", "10") "--- FAIL: BenchmarkB\n");
  CU_ASSERT_EQUAL(pprofc_gate_judge(gate, &error), PPROFC_OK);
  CU_ASSERT_EQUAL(pprofc_gate_exit_status(gate), 1);
  CU_ASSERT(pprofc_gate_problems(gate).size > 0);
  pprofc_gate_free(gate);
  gate = gate_with(NULL);
  read_side(gate, PPROFC_GATE_BASE, "old.txt", base_text);
  CU_ASSERT_EQUAL(pprofc_gate_judge(gate, &error), PPROFC_OK);
  CU_ASSERT_EQUAL(pprofc_gate_exit_status(gate), 1);
  pprofc_gate_free(gate);
}

static int refuse(void *context, const void *data, size_t size) {
  (void)context;
  (void)data;
  (void)size;
  return 1;
}

TEST(test_printing) {
  pprofc_gate *gate = judged_gate(NULL);
  static const char *const formats[] = {"text",  "github", "markdown", "json",
                                        "junit", "gitlab", "csv"};
  struct buffer text;
  buffer_init(&text, &mem_default, 1 << 20);
  for (size_t i = 0; i < 7; i++) {
    buffer_clear(&text);
    CU_ASSERT_EQUAL(pprofc_gate_print(gate, formats[i], true, buffer_write, &text, &error),
                    PPROFC_OK);
    CU_ASSERT(str_find(buffer_str(&text), STR("B")) < text.size);
  }
  CU_ASSERT_EQUAL(pprofc_gate_print(gate, "xml", true, buffer_write, &text, &error),
                  PPROFC_E_INVALID);
  CU_ASSERT_EQUAL(pprofc_gate_print(gate, NULL, true, buffer_write, &text, &error),
                  PPROFC_E_INVALID);
  CU_ASSERT_EQUAL(pprofc_gate_print(gate, "text", true, refuse, NULL, &error), PPROFC_E_IO);
  buffer_free(&text);
  pprofc_gate_free(gate);
}

TEST(test_a_gate_is_judged_once) {
  pprofc_gate *gate = gate_with(NULL);
  size_t count = 9;
  CU_ASSERT_EQUAL(pprofc_gate_exit_status(gate), 1);
  CU_ASSERT_PTR_NULL(pprofc_gate_rows(gate, &count));
  CU_ASSERT_EQUAL(count, 0);
  CU_ASSERT_EQUAL(pprofc_gate_print(gate, "text", true, refuse, NULL, &error), PPROFC_E_INVALID);
  CU_ASSERT_EQUAL(pprofc_gate_judge(gate, &error), PPROFC_OK);
  CU_ASSERT_EQUAL(pprofc_gate_exit_status(gate), 1);
  CU_ASSERT_EQUAL(pprofc_gate_judge(gate, &error), PPROFC_E_INVALID);
  CU_ASSERT_EQUAL(pprofc_gate_read_rules(gate, "r", "{}", 2, &error), PPROFC_E_INVALID);
  CU_ASSERT_EQUAL(pprofc_gate_read_comparison(gate, "c", "", 0, &error), PPROFC_E_INVALID);
  CU_ASSERT_EQUAL(pprofc_gate_read_file(gate, PPROFC_GATE_BASE, "f", &error), PPROFC_E_INVALID);
  pprofc_gate_free(gate);
}

TEST(test_comparisons) {
  static const char table[] = ",old.txt,CI,new.txt,CI,vs base,P\n,sec/op,CI,sec/op,CI,vs base,P\n"
                              "B,1e-06,1%,1.3e-06,1%,+30.00%,p=0.000 n=10\n";
  char text[sizeof table];
  memcpy(text, table, sizeof table);
  pprofc_gate *gate = gate_with(NULL);
  CU_ASSERT_EQUAL(pprofc_gate_read_comparison(gate, "t.csv", text, sizeof table - 1, &error),
                  PPROFC_OK);
  memset(text, 'x', sizeof text);
  CU_ASSERT_EQUAL(pprofc_gate_judge(gate, &error), PPROFC_OK);
  CU_ASSERT_EQUAL(row_of(gate, "B")->verdict, PPROFC_GATE_REGRESSED);
  CU_ASSERT_EQUAL(pprofc_gate_exit_status(gate), 2);
  pprofc_gate_free(gate);
}

static void expect_refused(const pprofc_gate_options *options, const char *message) {
  pprofc_gate *gate = NULL;
  CU_ASSERT_EQUAL(pprofc_gate_new(options, &gate, &error), PPROFC_E_INVALID);
  CU_ASSERT_PTR_NULL(gate);
  if (strcmp(error.message, message) != 0) printf("\n%s\n", error.message);
  CU_ASSERT_STRING_EQUAL(error.message, message);
}

TEST(test_settings_without_meaning) {
  pprofc_gate_options good, o;
  pprofc_gate_options_init(&good);
  o = good;
  o.threshold = (double)NAN;
  expect_refused(&o, "the threshold must be a number from 0 up, not nan");
  o = good;
  o.alpha = 1.5;
  expect_refused(&o, "alpha must be from 0 to 1, not 1.5");
  o = good;
  o.min_samples = 0;
  expect_refused(&o, "min_samples must be at least 1");
  o = good;
  o.test = (pprofc_gate_test)7;
  expect_refused(&o, "unknown test 7, correction 0 or time 0");
  o = good;
  o.floor = "much";
  expect_refused(&o, "the floor must be like \"1us or 16 B\", not \"much\"");
  o = good;
  o.today = "31.1.2027";
  expect_refused(&o, "today must be a date like 2027-01-31, not \"31.1.2027\"");
  memset(&o, 0, sizeof o);
  expect_refused(&o, "pprofc_gate_options is not initialised: call pprofc_gate_options_init first");
}

/* ---- earlier runs ------------------------------------ */

static char folder[] = "/tmp/pprofc_gate_XXXXXX";

static void save_run(const char *name, const char *text) {
  char path[80];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "w");
  CU_ASSERT_PTR_NOT_NULL_FATAL(file);
  fputs(text, file);
  fclose(file);
}

static void remove_run(const char *name) {
  char path[80];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  unlink(path);
}

/* B is 30 % slower in the head, and two earlier runs differ by 40 %; A does not differ. */
TEST(test_noise_of_earlier_runs) {
  pprofc_gate_options options;
  CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
  pprofc_gate_options_init(&options);
  options.noise_from = folder;
  save_run("1.txt", "pkg: p\n" RUN("A", "ns/op", "10") RUN("B", "ns/op", "10"));
  save_run("2.txt", "pkg: p\n" RUN("A", "ns/op", "10") RUN("B", "ns/op", "14"));
  pprofc_gate *gate = judged_gate(&options);
  CU_ASSERT_EQUAL(pprofc_gate_exit_status(gate), 0);
  CU_ASSERT_EQUAL(row_of(gate, "B")->verdict, PPROFC_GATE_INCONCLUSIVE);
  CU_ASSERT_STRING_EQUAL(row_of(gate, "B")->test, "t on earlier runs");
  CU_ASSERT(row_of(gate, "A")->threshold == 0.05);
  pprofc_gate_free(gate);

  remove_run("2.txt"); /* a single run shows no noise, so the result is not a pass */
  gate = judged_gate(&options);
  CU_ASSERT_EQUAL(pprofc_gate_exit_status(gate), 1);
  CU_ASSERT(str_starts(pprofc_gate_problems(gate), STR("noise needs at least two runs")));
  pprofc_gate_free(gate);
  remove_run("1.txt");
  options.noise_from = "/no/such/folder";
  gate = judged_gate(&options);
  CU_ASSERT_EQUAL(pprofc_gate_exit_status(gate), 1);
  CU_ASSERT(str_starts(pprofc_gate_problems(gate), STR("cannot read '/no/such/folder': ")));
  pprofc_gate_free(gate);
}

static pprofc_status learn_noise(struct faults *faults, const pprofc_allocator *mem) {
  pprofc_gate_options options;
  pprofc_gate *gate = NULL;
  pprofc_gate_options_init(&options);
  options.noise_from = folder;
  options.allocator = mem;
  failing_arm(faults);
  pprofc_status status = pprofc_gate_new(&options, &gate, &error);
  CU_ASSERT_EQUAL(status == PPROFC_OK, gate != NULL);
  pprofc_gate_free(gate);
  return status;
}

TEST(test_noise_without_memory_is_an_error) {
  save_run("1.txt", base_text);
  save_run("2.txt", head_text);
  CU_ASSERT(failing_each(learn_noise) > 10);
  remove_run("1.txt");
  remove_run("2.txt");
  CU_ASSERT_EQUAL(rmdir(folder), 0);
}

/* ---- memory ------------------------------------------ */

/* Calls each function that a caller can call. */
static pprofc_status use_gate(struct faults *faults, const pprofc_allocator *mem) {
  static const char rules[] = "{\"rules\": [{\"benchmark\": \"A\", \"ignore\": true}]}";
  pprofc_gate_options options;
  pprofc_gate *gate = NULL;
  pprofc_bench *set = pprofc_bench_new(NULL);
  pprofc_gate_options_init(&options);
  options.allocator = mem;
  failing_arm(faults);
  (void)pprofc_bench_read(set, "", "old.txt", base_text, strlen(base_text), &error);
  pprofc_status status = pprofc_gate_new(&options, &gate, &error);
  if (!status) status = pprofc_gate_read_rules(gate, "r", rules, sizeof rules - 1, &error);
  if (!status) status = pprofc_gate_read_set(gate, PPROFC_GATE_BASE, set, &error);
  if (!status)
    status = pprofc_gate_read_memory(gate, PPROFC_GATE_HEAD, "new.txt", head_text,
                                     strlen(head_text), &error);
  if (!status) status = pprofc_gate_judge(gate, &error);
  struct buffer text;
  buffer_init(&text, &mem_default, 1 << 20);
  if (!status) status = pprofc_gate_print(gate, "json", true, buffer_write, &text, &error);
  buffer_free(&text);
  if (!status) CU_ASSERT_EQUAL(pprofc_gate_exit_status(gate), 2);
  pprofc_gate_free(gate);
  pprofc_bench_free(set);
  return status;
}

TEST(test_an_allocation_that_fails_is_an_error) {
  CU_ASSERT(failing_each(use_gate) > 20);
}
