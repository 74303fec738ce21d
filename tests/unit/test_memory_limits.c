/* Tests that memory stays within the limits of docs/ARCHITECTURE.md for each type of message.
 * Reading needs at most the input plus a fixed number of bytes per message. A limit must stop the
 * reader before it allocates much. Results computed from a profile also count. */
#include "core/budget.h"
#include "counting.h"
#include "faults.h"
#include "hostile.h"
#include "pprofc/transform.h"
#include "report_text.h"
#include "unit.h"

/* Permitted bytes besides the messages: blocks that are not full, and small tables. EARLY_BYTES are
 * permitted before the first column. */
#define FIXED_BYTES ((size_t)1 << 18)
#define EARLY_BYTES ((size_t)68 << 10)
#define RAW_BYTES   ((size_t)1 << 19)

/* Reads with a memory limit; 0: the default limit. */
static pprofc_status read_within(const struct buffer *raw, const pprofc_allocator *mem,
                                 uint64_t memory, pprofc_profile **profile, pprofc_error *error) {
  pprofc_limits limits;
  pprofc_read_options options;
  pprofc_limits_init(&limits);
  pprofc_read_options_init(&options);
  limits.memory_bytes = memory;
  options.allocator = mem;
  options.limits = &limits;
  options.threads = 1;
  return pprofc_profile_read_memory(raw->data, raw->size, &options, profile, error);
}

static void check_kind(const struct hostile_kind *kind) {
  struct buffer raw;
  struct counting counts = {0, 0};
  pprofc_profile *profile = NULL;
  pprofc_error error = {0};
  uint64_t count = hostile_count(kind, RAW_BYTES);
  pprofc_allocator mem = counting_allocator(&counts);
  buffer_init(&raw, &mem_default, 1 << 28);
  hostile_profile(kind, count, &raw);
  pprofc_status status = read_within(&raw, &mem, 0, &profile, &error);
  size_t promised = raw.size + count * kind->bytes + FIXED_BYTES;
  CU_ASSERT_EQUAL(status, kind->is_bad ? PPROFC_E_FORMAT : PPROFC_OK);
  CU_ASSERT(counts.peak <= promised);
  if (counts.peak > promised || (status != PPROFC_OK) != kind->is_bad)
    printf("%s: %zu bytes raw, peak %zu, promised %zu: %s\n", kind->name, raw.size, counts.peak,
           promised, error.message);
  pprofc_profile_release(profile);
  CU_ASSERT_EQUAL(counts.live, 0);
  buffer_free(&raw);
}

TEST(test_reading_takes_what_is_promised_for_every_kind_of_message) {
  for (size_t i = 0; i < hostile_kind_count; i++) check_kind(&hostile_kinds[i]);
}

/* ---- limits ------------------------------------------ */

static bool says_memory(const pprofc_error *error) {
  return error->status == PPROFC_E_LIMIT &&
         strstr(error->message, "(raise the limit memory_bytes)") != NULL &&
         strchr(error->message, '\n') == NULL;
}

/* Checks that only the input is allocated if the limit is half the size of the columns. */
static void check_early(const struct hostile_kind *kind) {
  struct buffer raw;
  struct counting counts = {0, 0};
  pprofc_allocator mem = counting_allocator(&counts);
  pprofc_profile *profile = NULL;
  pprofc_error error = {0};
  uint64_t count = hostile_count(kind, RAW_BYTES);
  buffer_init(&raw, &mem_default, 1 << 28);
  hostile_profile(kind, count, &raw);
  uint64_t memory = raw.size + FIXED_BYTES / 2 + count * kind->bytes / 2;
  pprofc_status status = read_within(&raw, &mem, memory, &profile, &error);
  CU_ASSERT_EQUAL(status, PPROFC_E_LIMIT);
  CU_ASSERT(says_memory(&error));
  CU_ASSERT(counts.peak <= raw.size + EARLY_BYTES);
  if (counts.peak > raw.size + EARLY_BYTES || status != PPROFC_E_LIMIT)
    printf("%s: %zu bytes raw, peak %zu of %zu: %s\n", kind->name, raw.size, counts.peak,
           (size_t)memory, error.message);
  CU_ASSERT_EQUAL(counts.live, 0);
  buffer_free(&raw);
}

TEST(test_what_cannot_fit_is_refused_before_it_is_allocated) {
  for (size_t i = 0; i < hostile_kind_count; i++)
    if (!hostile_kinds[i].is_bad) check_early(&hostile_kinds[i]);
}

/* Creates a profile that needs six times its size in memory. Its report needs two or three times
 * its size. */
static void raw_of_single_values(struct buffer *raw) {
  const struct hostile_kind *kind = hostile_kinds;
  while (strcmp(kind->name, "samples of one value") != 0) kind++;
  buffer_init(raw, &mem_default, 1 << 24);
  hostile_profile(kind, hostile_count(kind, 4 * RAW_BYTES), raw);
}

TEST(test_a_report_counts_against_the_limit_of_its_profile) {
  struct buffer raw, text;
  struct counting counts = {0, 0};
  pprofc_allocator mem = counting_allocator(&counts);
  pprofc_profile *profile = NULL;
  pprofc_error error = {0};
  raw_of_single_values(&raw);
  size_t memory = 8 * raw.size;
  buffer_init(&text, &mem_default, 1 << 28);
  CU_ASSERT_EQUAL_FATAL(read_within(&raw, &mem, memory, &profile, &error), PPROFC_OK);
  size_t live = counts.live;
  pprofc_report_options o = report_options("top");
  o.tagroot = "key"; /* makes the report rewrite each stack */
  CU_ASSERT_EQUAL(pprofc_report(profile, &o, buffer_write, &text, &error), PPROFC_E_LIMIT);
  CU_ASSERT(says_memory(&error));
  CU_ASSERT(counts.peak <= memory + 1024);
  CU_ASSERT_EQUAL(counts.live, live);
  o = report_options("top"); /* this report needs little memory, because the profile is still
                                usable */
  CU_ASSERT_EQUAL(pprofc_report(profile, &o, buffer_write, &text, &error), PPROFC_OK);
  pprofc_profile_release(profile);
  CU_ASSERT_EQUAL(counts.live, 0);
  buffer_free(&text);
  buffer_free(&raw);
}

TEST(test_a_merge_counts_against_the_limit_of_its_first_profile) {
  struct buffer raw;
  struct counting counts = {0, 0};
  pprofc_allocator mem = counting_allocator(&counts);
  pprofc_profile *first = NULL, *second = NULL, *both = NULL;
  pprofc_error error = {0};
  raw_of_single_values(&raw);
  CU_ASSERT_EQUAL_FATAL(read_within(&raw, &mem, 8 * raw.size, &first, &error), PPROFC_OK);
  CU_ASSERT_EQUAL_FATAL(read_within(&raw, &mem, 0, &second, &error), PPROFC_OK);
  size_t live = counts.live;
  const pprofc_profile *pair[] = {first, second};
  CU_ASSERT_EQUAL(pprofc_merge(pair, 2, &both, &error), PPROFC_E_LIMIT);
  CU_ASSERT(says_memory(&error));
  CU_ASSERT_EQUAL(pprofc_diff(first, second, PPROFC_COMPARE, false, &both, &error), PPROFC_E_LIMIT);
  CU_ASSERT(says_memory(&error));
  CU_ASSERT_PTR_NULL(both);
  CU_ASSERT_EQUAL(counts.live, live);
  pair[0] = second, pair[1] = first; /* `second` has the default limit */
  CU_ASSERT_EQUAL(pprofc_merge(pair, 2, &both, &error), PPROFC_OK);
  pprofc_profile_release(second);
  pprofc_profile_release(first);
  pprofc_profile_release(both); /* the result keeps its budget alive */
  CU_ASSERT_EQUAL(counts.live, 0);
  buffer_free(&raw);
}

TEST(test_profiles_share_a_budget_that_they_were_read_with) {
  struct buffer raw;
  struct counting counts = {0, 0};
  pprofc_allocator mem = counting_allocator(&counts);
  pprofc_profile *profiles[4] = {NULL};
  pprofc_error error = {0};
  raw_of_single_values(&raw);
  struct budget *budget = budget_new(&mem, 20 * raw.size);
  CU_ASSERT_PTR_NOT_NULL_FATAL(budget);
  for (size_t i = 0; i < 4; i++) {
    pprofc_status status = read_within(&raw, budget_allocator(budget), 0, &profiles[i], &error);
    CU_ASSERT_EQUAL(status, i < 3 ? PPROFC_OK : PPROFC_E_LIMIT); /* each profile needs six times its
                                                                    size in memory */
    CU_ASSERT_EQUAL(budget_passed(budget_allocator(budget)), i == 3);
  }
  CU_ASSERT(says_memory(&error));
  CU_ASSERT(counts.peak <= 20 * raw.size + 1024);
  pprofc_profile_release(profiles[0]);
  CU_ASSERT_EQUAL(read_within(&raw, budget_allocator(budget), 0, &profiles[3], &error), PPROFC_OK);
  budget_release(budget);
  for (size_t i = 1; i < 4; i++) pprofc_profile_release(profiles[i]);
  CU_ASSERT_EQUAL(counts.live, 0);
  buffer_free(&raw);
}

/* If the machine is out of memory, the error must not be PPROFC_E_LIMIT. */
TEST(test_out_of_memory_is_not_called_a_limit) {
  struct buffer raw;
  raw_of_single_values(&raw);
  size_t failures = 0;
  for (bool through = false; !through; failures += !through) {
    struct faults f = {.fail_at = failures, .from_there_on = true};
    pprofc_allocator mem = {fault_alloc, fault_resize, fault_release, &f};
    pprofc_profile *profile = NULL;
    pprofc_error error = {0};
    through = read_within(&raw, &mem, 0, &profile, &error) == PPROFC_OK;
    CU_ASSERT_EQUAL(error.status, through ? PPROFC_OK : PPROFC_E_NOMEM);
    CU_ASSERT_STRING_EQUAL(error.message, through ? "" : "out of memory");
    pprofc_profile_release(profile);
    CU_ASSERT_EQUAL(f.live, 0);
    CU_ASSERT_EQUAL(f.wrong_sizes, 0);
  }
  CU_ASSERT(failures > 5);
  buffer_free(&raw);
}
