/* Tests files with sums over runs: sums must add up, stay the same in the file, and give the
 * verdicts that the runs give. */
#include "core/buffer.h"
#include "failing.h"
#include "profile_text.h"
#include "unit.h"
#include "verdict/sums.h"

#include <math.h>
#include <stdlib.h>

static pprofc_error error;

/* Creates a run of 15 functions with varying values. In the head one function grew, and one is new.
 * Time of the kernel or runtime grows below `caller`. */
static pprofc_profile *make_run(const pprofc_allocator *mem, int run, bool head, bool heap) {
  pprofc_builder *b = pprofc_builder_new(mem);
  if (!b) return NULL;
  if (heap) pprofc_builder_type(b, "inuse_objects", "count");
  pprofc_builder_type(b, heap ? "inuse_space" : "cpu", heap ? "bytes" : "nanoseconds");
  pprofc_builder_period(b, heap ? "space" : "cpu", heap ? "bytes" : "nanoseconds",
                        heap ? 524288 : 1000);
  for (int i = 0; i < 15; i++) {
    char stack[64];
    int64_t value = (3000 / (i + 1) + (run * 13 * (i + 3)) % 17) * 1000;
    if (head && i == 4) value *= 2;
    snprintf(stack, sizeof stack, "f%d caller main", i);
    sample(b, stack, heap ? 1 + value / 5000 : value, heap ? value * 100 : 0);
  }
  if (head && !heap) sample(b, "fresh main", 300 * 1000, 0);
  if (!heap) sample(b, "work handle_softirqs caller main", (head ? 200 : 100) * (1000 + run), 0);
  return finish(b);
}

static pprofc_status add_runs(struct sums *sums, int from, int end, bool head, bool heap) {
  pprofc_status status = PPROFC_OK;
  for (int i = from; i < end && !status; i++) {
    pprofc_profile *run = make_run(NULL, i, head, heap);
    status = sums_add(sums, run, &error);
    pprofc_profile_release(run);
  }
  return status;
}

static struct sums sums_of(int from, int end, bool head, bool heap) {
  struct sums sums;
  CU_ASSERT_EQUAL_FATAL(sums_init(&sums, &mem_default, &error), PPROFC_OK);
  CU_ASSERT_EQUAL_FATAL(add_runs(&sums, from, end, head, heap), PPROFC_OK);
  return sums;
}

static void text_of(const struct sums *sums, struct buffer *text) {
  struct output out;
  buffer_init(text, &mem_default, SIZE_MAX);
  output_init(&out, buffer_write, text);
  CU_ASSERT_EQUAL_FATAL(sums_write(sums, &out, &error), PPROFC_OK);
  CU_ASSERT_EQUAL_FATAL(output_flush(&out, &error), PPROFC_OK);
}

static pprofc_verdicts *verdicts_of(const struct sums *base, const struct sums *head,
                                    bool no_common) {
  pprofc_verdict_options options;
  pprofc_verdicts *verdicts = NULL;
  pprofc_verdict_options_init(&options);
  options.no_common = no_common;
  CU_ASSERT_EQUAL_FATAL(verdicts_of_sums(base, head, &options, &verdicts, &error), PPROFC_OK);
  return verdicts;
}

static pprofc_verdicts *verdicts_of_runs(bool heap, bool no_common) {
  pprofc_verdict_options options;
  pprofc_verdicts *verdicts = NULL;
  pprofc_verdict_run runs[9] = {{NULL, NULL, 0, 0}};
  pprofc_verdict_options_init(&options);
  options.no_common = no_common;
  if (!heap) options.normalize_by = PPROFC_EXPOSURE_TOTAL; /* files with sums use this setting */
  for (int i = 0; i < 9; i++) runs[i].profile = make_run(NULL, i, i >= 4, heap);
  CU_ASSERT_EQUAL_FATAL(pprofc_verdicts_new(runs, 4, runs + 4, 5, &options, &verdicts, &error),
                        PPROFC_OK);
  for (int i = 0; i < 9; i++) pprofc_profile_release((pprofc_profile *)(uintptr_t)runs[i].profile);
  return verdicts;
}

static bool is_close(double a, double b) {
  if (isnan(a) || isnan(b)) return isnan(a) && isnan(b);
  return fabs(a - b) <= 1e-9 * fmax(1, fmax(fabs(a), fabs(b)));
}

static void check_estimate(const pprofc_verdict_estimate *a, const pprofc_verdict_estimate *b) {
  CU_ASSERT_EQUAL(a->own, b->own);
  CU_ASSERT(is_close(a->p, b->p));
  CU_ASSERT(is_close(a->q, b->q));
  CU_ASSERT(is_close(a->samples, b->samples));
}

static void check_equal(const pprofc_verdicts *a, const pprofc_verdicts *b) {
  size_t count, other;
  const pprofc_verdict_row *rows = pprofc_verdicts_rows(a, &count);
  pprofc_verdicts_rows(b, &other);
  CU_ASSERT_EQUAL(count, other);
  for (size_t i = 0; i < count; i++) {
    const pprofc_verdict_row *row = pprofc_verdicts_find(b, rows[i].name);
    CU_ASSERT_FATAL(row != NULL);
    check_estimate(&rows[i].flat, &row->flat);
    check_estimate(&rows[i].cum, &row->cum);
  }
}

/* Without a common factor for each run, the sums contain all data that the tests of significance
 * need. */
TEST(test_sums_are_judged_as_runs) {
  for (int heap = 0; heap < 2; heap++) {
    struct sums base = sums_of(0, 4, false, heap), head = sums_of(4, 9, true, heap);
    pprofc_verdicts *sums = verdicts_of(&base, &head, true), *runs = verdicts_of_runs(heap, true);
    pprofc_verdict_summary a, b;
    check_equal(sums, runs);
    pprofc_verdicts_summary_of(sums, &a);
    pprofc_verdicts_summary_of(runs, &b);
    CU_ASSERT_EQUAL(a.base_runs, 4);
    CU_ASSERT_EQUAL(a.changed, b.changed);
    CU_ASSERT_EQUAL(a.exposure, PPROFC_EXPOSURE_NONE);
    CU_ASSERT(is_close(a.between_run_cv, b.between_run_cv));
    CU_ASSERT_PTR_NULL(a.common);
    pprofc_verdicts_free(sums);
    pprofc_verdicts_free(runs);
    sums_free(&base);
    sums_free(&head);
  }
}

/* Time of the kernel or runtime is included in cum, but must not be judged. */
TEST(test_time_of_the_machine_is_not_judged) {
  struct sums base = sums_of(0, 4, false, false), head = sums_of(4, 9, true, false);
  pprofc_verdicts *sums = verdicts_of(&base, &head, true);
  const pprofc_verdict_row *work = pprofc_verdicts_find(sums, STR("work"));
  const pprofc_verdict_row *caller = pprofc_verdicts_find(sums, STR("caller"));
  CU_ASSERT(work->cum.delta > 90 * 1000);
  CU_ASSERT_EQUAL(work->cum.own, PPROFC_VERDICT_ENVIRONMENT);
  CU_ASSERT(caller->cum.delta - verdicts_cum_change(sums, caller) > 90 * 1000);
  pprofc_verdicts_free(sums);
  sums_free(&base);
  sums_free(&head);
}

/* Files of older versions lack the sums without kernel and runtime, so all of cum is judged. */
TEST(test_older_files_are_read) {
  static const char text[] =
      "{\"pprofc_sums\":1,\"types\":[{\"type\":\"cpu\",\"unit\":\"count\",\"sampling\":\"period\","
      "\"period\":1,\"runs\":2,\"empty\":0,\"total\":8,\"squares\":32,\"inverse\":0.5,"
      "\"functions\":[{"
      "\"function\":\"f\",\"flat\":2,\"cum\":4,\"flat_noise\":2,\"cum_noise\":4,\"samples\":4,"
      "\"runs\":2,"
      "\"flat_share\":0.5,\"flat_squares\":0.125,\"cum_share\":1,\"cum_squares\":0.5}]}]}";
  struct sums sums;
  CU_ASSERT_EQUAL_FATAL(sums_init(&sums, &mem_default, &error), PPROFC_OK);
  for (int i = 1; i < 3; i++) {
    CU_ASSERT_EQUAL(sums_read(&sums, "x", str_of(text), &error), PPROFC_OK);
    CU_ASSERT_EQUAL(sums.types[0].cells[0].share[SUMS_JUDGED].sum, i);
    CU_ASSERT_EQUAL(sums.types[0].cells[0].share[SUMS_JUDGED].squares, i * 0.5);
    CU_ASSERT_EQUAL(sums.types[0].cells[0].cum, i * 4);
  }
  CU_ASSERT(sums.types[0].whole);
  sums_free(&sums);
}

/* If the file of one side does not separate the time of kernel and runtime, both sides must be
 * judged with that time. A copy of the sums does not separate the time either. */
TEST(test_older_files_are_judged_alike) {
  struct sums base = sums_of(0, 4, false, false), head = sums_of(4, 9, true, false);
  struct buffer text;
  head.types[0].whole = true;
  pprofc_verdicts *sums = verdicts_of(&base, &head, true);
  const pprofc_verdict_row *caller = pprofc_verdicts_find(sums, STR("caller"));
  CU_ASSERT(is_close(caller->cum.delta, verdicts_cum_change(sums, caller)));
  text_of(&head, &text);
  buffer_add_char(&text, '\0');
  CU_ASSERT(!strstr(text.data, "machine") && !strstr(text.data, "judged_share"));
  buffer_free(&text);
  text_of(&base, &text);
  buffer_add_char(&text, '\0');
  CU_ASSERT(strstr(text.data, "machine") && strstr(text.data, "judged_share"));
  buffer_free(&text);
  pprofc_verdicts_free(sums);
  sums_free(&base);
  sums_free(&head);
}

TEST(test_a_common_factor_is_taken_out) {
  struct sums base = sums_of(0, 4, false, false), head = sums_of(4, 9, true, false);
  pprofc_verdicts *sums = verdicts_of(&base, &head, false);
  pprofc_verdict_summary summary;
  pprofc_verdicts_summary_of(sums, &summary);
  CU_ASSERT(summary.has_common);
  CU_ASSERT(fabs(summary.common_change) < 0.02); /* f4 and fresh must not affect the values of the
                                                    other functions */
  CU_ASSERT_EQUAL(pprofc_verdicts_find(sums, STR("f4"))->flat.verdict, PPROFC_VERDICT_GREW);
  CU_ASSERT_EQUAL(pprofc_verdicts_find(sums, STR("fresh"))->flat.verdict, PPROFC_VERDICT_NEW);
  CU_ASSERT_EQUAL(pprofc_verdicts_find(sums, STR("f0"))->flat.verdict, PPROFC_VERDICT_UNCHANGED);
  pprofc_verdicts_free(sums);
  sums_free(&base);
  sums_free(&head);
}

TEST(test_sums_add_up_through_their_files) {
  struct sums whole = sums_of(0, 6, false, false), first = sums_of(0, 4, false, false);
  struct sums last = sums_of(4, 6, false, false), read;
  struct buffer texts[3], again;
  text_of(&whole, &texts[0]);
  text_of(&first, &texts[1]);
  text_of(&last, &texts[2]);
  CU_ASSERT(sums_is(buffer_str(&texts[0])));
  CU_ASSERT_EQUAL_FATAL(sums_init(&read, &mem_default, &error), PPROFC_OK);
  for (int i = 1; i < 3; i++)
    CU_ASSERT_EQUAL(sums_read(&read, "part", buffer_str(&texts[i]), &error), PPROFC_OK);
  text_of(&read, &again);
  CU_ASSERT_EQUAL(read.types[0].runs, 6);
  CU_ASSERT(is_close(read.types[0].total, whole.types[0].total));
  pprofc_verdicts *a = verdicts_of(&whole, &read, false);
  pprofc_verdict_summary summary;
  pprofc_verdicts_summary_of(a, &summary);
  CU_ASSERT_EQUAL(summary.changed, 0);
  pprofc_verdicts_free(a);
  for (int i = 0; i < 3; i++) buffer_free(&texts[i]);
  buffer_free(&again);
  sums_free(&whole);
  sums_free(&first);
  sums_free(&last);
  sums_free(&read);
}

TEST(test_runs_without_a_value_are_counted_apart) {
  struct sums sums = sums_of(0, 3, false, false);
  pprofc_builder *b = pprofc_builder_new(NULL);
  pprofc_builder_type(b, "cpu", "nanoseconds");
  pprofc_builder_period(b, "cpu", "nanoseconds", 1000);
  pprofc_profile *idle = finish(b);
  CU_ASSERT_EQUAL(sums_add(&sums, idle, &error), PPROFC_OK);
  CU_ASSERT_EQUAL(sums.types[0].runs, 3);
  CU_ASSERT_EQUAL(sums.types[0].empty, 1);
  pprofc_profile_release(idle);
  sums_free(&sums);
}

static pprofc_status judge(const struct sums *base, const struct sums *head, const char *index) {
  pprofc_verdict_options options;
  pprofc_verdicts *verdicts = NULL;
  pprofc_verdict_options_init(&options);
  options.sample_index = index;
  pprofc_status status = verdicts_of_sums(base, head, &options, &verdicts, &error);
  pprofc_verdicts_free(verdicts);
  return status;
}

TEST(test_what_cannot_be_compared_is_refused) {
  struct sums cpu = sums_of(0, 4, false, false), heap = sums_of(0, 4, false, true);
  struct sums one = sums_of(0, 1, false, false);
  CU_ASSERT_EQUAL(judge(&cpu, &heap, ""), PPROFC_E_INVALID);
  CU_ASSERT_EQUAL(judge(&cpu, &cpu, "nothing"), PPROFC_E_INVALID);
  CU_ASSERT_EQUAL(judge(&cpu, &one, "cpu"), PPROFC_E_INVALID);
  CU_ASSERT_EQUAL(judge(&cpu, &cpu, "cpu"), PPROFC_OK);
  cpu.types[0].mixed = true;
  CU_ASSERT_EQUAL(judge(&cpu, &cpu, "cpu"), PPROFC_E_INVALID);
  sums_free(&cpu);
  sums_free(&heap);
  sums_free(&one);
}

TEST(test_wrong_files_are_refused) {
  static const char *const texts[] = {
      "{\"pprofc_sums\":1,",
      "{\"pprofc_sums\":1,\"types\":{}}",
      "{\"pprofc_sums\":1,\"types\":[{}]}",
      "{\"pprofc_sums\":1,\"types\":[{\"type\":\"cpu\",\"functions\":[]}]}",
      "{\"pprofc_sums\":1,\"types\":[{\"type\":\"cpu\",\"functions\":[],\"sampling\":\"period\"}]}",
      "{\"pprofc_sums\":1,\"types\":[{\"type\":\"cpu\",\"functions\":[],\"sampling\":\"period\","
      "\"period\":1,\"runs\":-1}]}",
      "{\"pprofc_sums\":1,\"types\":[{\"type\":\"cpu\",\"sampling\":\"period\",\"period\":1,"
      "\"runs\":1,\"empty\":0,\"total\":1,\"squares\":1,\"inverse\":1,\"functions\":[{}]}]}",
      "{\"pprofc_sums\":1,\"types\":[{\"type\":\"cpu\",\"sampling\":\"period\",\"period\":1,"
      "\"runs\":1,\"empty\":0,\"total\":1,\"squares\":1,\"inverse\":1,"
      "\"functions\":[{\"function\":\"f\",\"flat\":1e999}]}]}",
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    struct sums sums;
    CU_ASSERT_EQUAL_FATAL(sums_init(&sums, &mem_default, &error), PPROFC_OK);
    CU_ASSERT_EQUAL(sums_read(&sums, "x", str_of(texts[i]), &error), PPROFC_E_FORMAT);
    sums_free(&sums);
  }
}

/* Creates a run, its file, and a verdict on both, with failing allocations. */
static pprofc_status sums_with_little_memory(struct faults *faults, const pprofc_allocator *mem) {
  pprofc_profile *run = make_run(mem, 1, false, false);
  struct sums made = sums_of(0, 3, false, false), sums;
  struct buffer text;
  pprofc_verdict_options options;
  pprofc_verdicts *verdicts = NULL;
  text_of(&made, &text);
  pprofc_verdict_options_init(&options);
  failing_arm(faults);
  pprofc_status status = sums_init(&sums, mem, &error);
  if (!status) status = sums_add(&sums, run, &error);
  if (!status) status = sums_read(&sums, "x", buffer_str(&text), &error);
  if (!status) status = verdicts_of_sums(&sums, &made, &options, &verdicts, &error);
  pprofc_verdicts_free(verdicts);
  sums_free(&sums);
  sums_free(&made);
  buffer_free(&text);
  pprofc_profile_release(run);
  return status;
}

TEST(test_memory_that_ends) {
  size_t failed = 0;
  for (bool more = true; more && failed < 5000; failed++) {
    struct faults faults = {.fail_at = SIZE_MAX, .fails_after = failed};
    pprofc_allocator mem = {fault_alloc, fault_resize, fault_release, &faults};
    pprofc_status status = sums_with_little_memory(&faults, &mem);
    CU_ASSERT(status == PPROFC_OK || status == PPROFC_E_NOMEM);
    CU_ASSERT_EQUAL(faults.live, 0);
    CU_ASSERT_EQUAL(faults.wrong_sizes, 0);
    more = faults.calls > faults.fail_at;
  }
  CU_ASSERT(failed > 20);
}
