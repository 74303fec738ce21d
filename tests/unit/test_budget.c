/* Tests budgets of memory and time. Callers that share a profile have separate budgets. Memory of a
 * budget inside another budget counts against both. Work whose budget is stopped must end with a
 * reason. */
#include "core/budget.h"
#include "core/child.h"
#include "pprofc/report.h"
#include "profile/profile.h"
#include "report_text.h"
#include "unit.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static pprofc_error error;

static pprofc_profile *read_profile(const char *name) {
  pprofc_profile *profile = NULL;
  char path[512];
  snprintf(path, sizeof path, "%s/%s", TESTDATA, name);
  CU_ASSERT_EQUAL_FATAL(pprofc_profile_read_file(path, NULL, &profile, &error), PPROFC_OK);
  return profile;
}

/* Renders the report `format` of a profile with a budget; NULL: the profile's budget. */
static pprofc_status report_within(const pprofc_profile *profile, struct budget *budget,
                                   const char *format, struct buffer *text) {
  pprofc_report_options options;
  pprofc_report_options_init(&options);
  options.format = format;
  error = (pprofc_error){PPROFC_OK, PPROFC_NO_OFFSET, ""};
  if (!budget) return pprofc_report(profile, &options, buffer_write, text, &error);
  pprofc_profile *lent = profile_lend(profile, budget_allocator(budget));
  if (!lent) return PPROFC_E_NOMEM;
  pprofc_status status = pprofc_report(lent, &options, buffer_write, text, &error);
  pprofc_profile_release(lent);
  return status;
}

TEST(test_a_lent_profile_gives_the_same_reports) {
  pprofc_profile *profile = read_profile("generator_cpu.prof");
  const pprofc_format_info *format;
  for (size_t i = 0; (format = pprofc_format_at(i)); i++) {
    struct buffer own, lent;
    if (format->argument || format->graphviz) continue;
    struct budget *budget = budget_new(&mem_default, (uint64_t)1 << 30);
    buffer_init(&own, &mem_default, SIZE_MAX);
    buffer_init(&lent, &mem_default, SIZE_MAX);
    CU_ASSERT_EQUAL(report_within(profile, NULL, format->name, &own), PPROFC_OK);
    CU_ASSERT_EQUAL(report_within(profile, budget, format->name, &lent), PPROFC_OK);
    CU_ASSERT(str_equal(buffer_str(&own), buffer_str(&lent)));
    CU_ASSERT_EQUAL(budget_left(budget_allocator(budget)), (uint64_t)1 << 30);
    buffer_free(&own);
    buffer_free(&lent);
    budget_release(budget);
  }
  pprofc_profile_release(profile);
}

TEST(test_one_caller_without_memory_does_not_hurt_another) {
  pprofc_profile *profile = read_profile("generator_cpu.prof");
  struct budget *poor = budget_new(&mem_default, 160 << 10);
  struct budget *rich = budget_new(&mem_default, 64 << 20);
  struct buffer text;
  buffer_init(&text, &mem_default, SIZE_MAX);
  CU_ASSERT_EQUAL(report_within(profile, poor, "top", &text), PPROFC_E_LIMIT);
  CU_ASSERT_PTR_NOT_NULL(strstr(error.message, "memory_bytes"));
  CU_ASSERT_EQUAL(report_within(profile, rich, "top", &text), PPROFC_OK);
  buffer_free(&text);
  budget_release(poor);
  budget_release(rich);
  pprofc_profile_release(profile);
}

TEST(test_a_budget_inside_another_counts_against_both) {
  struct budget *outer = budget_new(&mem_default, 1000000);
  struct budget *inner = budget_new(budget_allocator(outer), 600000);
  const pprofc_allocator *mem = budget_allocator(inner);
  uint64_t before = budget_left(budget_allocator(outer));
  void *block = mem_array(mem, 500000, 1);
  CU_ASSERT_PTR_NOT_NULL(block);
  CU_ASSERT_EQUAL(budget_left(mem), 100000);
  CU_ASSERT_EQUAL(budget_left(budget_allocator(outer)), before - 500000);
  CU_ASSERT_PTR_NULL(mem_array(mem, 200000, 1));
  CU_ASSERT_EQUAL(budget_status(mem, PPROFC_E_NOMEM, &error), PPROFC_E_LIMIT);
  CU_ASSERT_PTR_NOT_NULL(strstr(error.message, "600000"));
  mem_free(mem, block, 500000, 1);
  CU_ASSERT_EQUAL(budget_left(budget_allocator(outer)), before);
  budget_release(outer); /* the inner budget keeps the outer budget alive */
  CU_ASSERT_PTR_NOT_NULL(block = mem_array(mem, 1000, 1));
  mem_free(mem, block, 1000, 1);
  budget_release(inner);
}

TEST(test_the_outer_budget_is_named_when_it_is_the_one_that_is_used_up) {
  struct budget *outer = budget_new(&mem_default, 1000);
  struct budget *inner = budget_new(budget_allocator(outer), 600000);
  const pprofc_allocator *mem = budget_allocator(inner);
  CU_ASSERT_PTR_NULL(mem_array(mem, 5000, 1));
  CU_ASSERT_EQUAL(budget_status(mem, PPROFC_E_NOMEM, &error), PPROFC_E_LIMIT);
  CU_ASSERT_PTR_NOT_NULL(strstr(error.message, "more than 1000 bytes"));
  budget_release(inner);
  budget_release(outer);
}

/* ---- stopping ---------------------------------------- */

static struct budget *interrupted;

static void cancel_on_signal(int number) {
  (void)number;
  budget_cancel(interrupted);
}

TEST(test_a_signal_handler_cancels_and_the_next_command_goes_on) {
  pprofc_profile *profile = read_profile("generator_cpu.prof");
  struct buffer text;
  buffer_init(&text, &mem_default, SIZE_MAX);
  interrupted = budget_new(&mem_default, 64 << 20);
  CU_ASSERT_PTR_NOT_EQUAL(signal(SIGUSR1, cancel_on_signal), SIG_ERR);
  raise(SIGUSR1);
  pprofc_profile *lent = profile_lend(profile, budget_allocator(interrupted));
  CU_ASSERT_PTR_NULL(lent);
  CU_ASSERT_EQUAL(budget_status(budget_allocator(interrupted), PPROFC_E_NOMEM, &error),
                  PPROFC_E_CANCELLED);
  CU_ASSERT_STRING_EQUAL(error.message, "the report was cancelled");
  budget_resume(interrupted);
  CU_ASSERT_EQUAL(report_within(profile, interrupted, "top", &text), PPROFC_OK);
  budget_release(interrupted);
  buffer_free(&text);
  pprofc_profile_release(profile);
}

TEST(test_stopping_the_outer_budget_stops_the_inner_one) {
  struct budget *outer = budget_new(&mem_default, 1 << 20);
  struct budget *inner = budget_new(budget_allocator(outer), 1 << 20);
  CU_ASSERT(!budget_stopped(budget_allocator(inner)));
  budget_cancel(outer);
  CU_ASSERT(budget_stopped(budget_allocator(inner)));
  CU_ASSERT_PTR_NULL(mem_array(budget_allocator(inner), 1, 1));
  budget_release(outer);
  budget_release(inner);
}

static int cancel_at_output(void *context, const void *data, size_t size) {
  (void)data;
  (void)size;
  budget_cancel(interrupted);
  ++*(size_t *)context;
  return 0;
}

/* -raw allocates almost nothing while it prints, so the output code must check the budget. */
TEST(test_output_ends_when_the_budget_is_stopped) {
  pprofc_profile *profile = read_profile("generator_cpu.prof");
  pprofc_report_options options;
  size_t writes = 0;
  interrupted = budget_new(&mem_default, 64 << 20);
  pprofc_profile *lent = profile_lend(profile, budget_allocator(interrupted));
  pprofc_report_options_init(&options);
  options.format = "raw";
  CU_ASSERT_EQUAL(pprofc_report(lent, &options, cancel_at_output, &writes, &error),
                  PPROFC_E_CANCELLED);
  CU_ASSERT_EQUAL(writes, 1);
  pprofc_profile_release(lent);
  budget_release(interrupted);
  pprofc_profile_release(profile);
}

TEST(test_a_deadline_has_a_message_of_its_own) {
  pprofc_profile *profile = read_profile("generator_cpu.prof");
  struct budget *budget = budget_new(&mem_default, 64 << 20);
  struct buffer text;
  buffer_init(&text, &mem_default, SIZE_MAX);
  pprofc_profile *lent = profile_lend(profile, budget_allocator(budget));
  pprofc_report_options options;
  pprofc_report_options_init(&options);
  budget_set_time(budget, 1);
  nanosleep(&(struct timespec){0, 30000000}, NULL);
  CU_ASSERT_EQUAL(pprofc_report(lent, &options, buffer_write, &text, &error), PPROFC_E_CANCELLED);
  CU_ASSERT_STRING_EQUAL(error.message, "the report took longer than 0.001 s");
  CU_ASSERT_EQUAL(text.size, 0);
  pprofc_profile_release(lent);
  budget_release(budget);
  buffer_free(&text);
  pprofc_profile_release(profile);
}

static void *cancel_soon(void *budget) {
  nanosleep(&(struct timespec){0, 50000000}, NULL);
  budget_cancel(budget);
  return NULL;
}

TEST(test_a_child_ends_when_another_thread_cancels) {
  const char *argv[] = {"sleep", "60", NULL};
  struct child child = {argv, STR(""), 60000};
  struct child_end end;
  struct buffer output;
  pthread_t thread;
  time_t before = time(NULL);
  struct budget *budget = budget_new(&mem_default, 1 << 20);
  buffer_init(&output, budget_allocator(budget), 1000);
  CU_ASSERT_EQUAL_FATAL(pthread_create(&thread, NULL, cancel_soon, budget), 0);
  pprofc_status status = child_run(&child, &output, &end, &error);
  status = budget_status(budget_allocator(budget), status, &error);
  CU_ASSERT_EQUAL(status, PPROFC_E_CANCELLED);
  CU_ASSERT(time(NULL) - before < 20);
  pthread_join(thread, NULL);
  buffer_free(&output);
  budget_release(budget);
}

/* Loops that only add numbers must notice a stopped budget although they allocate nothing. */
TEST(test_long_loops_look_at_the_budget) {
  struct budget *budget = budget_new(&mem_default, 1 << 20);
  const pprofc_allocator *mem = budget_allocator(budget);
  size_t turns = 0;
  budget_cancel(budget);
  while (!budget_poll(mem, turns)) turns++;
  CU_ASSERT_EQUAL(turns, 4095);
  CU_ASSERT(!budget_poll(&mem_default, 4095));
  budget_release(budget);
}
