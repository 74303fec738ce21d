/* Tests pprofc_sources_read: sums of several sources, the base, unreadable sources, warnings. */
#include "faults.h"
#include "pprofc/sources.h"
#include "profile_text.h"
#include "unit.h"

#include <unistd.h>

/* Messages of the callbacks, one on each line. */
static struct buffer messages;

static void note_warning(void *context, const char *message) {
  buffer_printf(&messages, "%s%s\n", (const char *)context, message);
}

static void note_skipped(void *context, const char *source, const pprofc_error *error) {
  (void)context;
  buffer_printf(&messages, "skip %s: %s\n", source, error->message);
}

/* ---- files in a temporary folder ---------------------- */

static const char *const files[][2] = {
    {"ab", "main;a 10\nmain;b 5\n"},
    {"a", "main;a 1\n"},
    {"base", "main;a 2\n"},
    {"base_c", "main;a 2\nmain;c 12\n"},
    {"broken", "r;a 1\na 1\na 1\nbroken\n"},
    {"broken_b", "r;b 1\nb 1\nb 1\nb 1\nbroken\n"},
};
#define FILES (sizeof files / sizeof *files)

static void write_text(const char *name, const char *text) {
  FILE *file = fopen(name, "w");
  fputs(text, file);
  fclose(file);
}

static char folder[64];

/* Changes to a new folder with the files. "heap" is a profile with another sample type, and "bad"
 * is unreadable. Returns options that collect warnings. */
static pprofc_sources_options begin(void) {
  pprofc_sources_options options;
  snprintf(folder, sizeof folder, "/tmp/test-sources-XXXXXX");
  CU_ASSERT_FATAL(mkdtemp(folder) && chdir(folder) == 0);
  for (size_t i = 0; i < FILES; i++) write_text(files[i][0], files[i][1]);
  CU_ASSERT_EQUAL(symlink(TESTDATA "/generator_mem.prof", "heap"), 0);
  buffer_init(&messages, &mem_default, SIZE_MAX);
  pprofc_sources_options_init(&options);
  options.warn = note_warning;
  options.warn_context = (void *)"warn ";
  return options;
}

/* Compares the collected messages. Removes the folder. */
static void end(const char *expected) {
  buffer_add_char(&messages, '\0');
  CU_ASSERT_STRING_EQUAL(messages.data, expected);
  buffer_free(&messages);
  for (size_t i = 0; i < FILES; i++) unlink(files[i][0]);
  unlink("heap");
  CU_ASSERT(chdir("/") == 0 && rmdir(folder) == 0);
}

static const char *const two[] = {"ab", "a"};

static void expect_sum(const char *const *sources, size_t count,
                       const pprofc_sources_options *options, const char *expected) {
  pprofc_profile *p = NULL;
  pprofc_error error;
  CU_ASSERT_EQUAL_FATAL(pprofc_sources_read(sources, count, options, &p, &error), PPROFC_OK);
  expect_samples(p, expected);
  pprofc_profile_release(p);
}

static void expect_failure(const char *const *sources, size_t count,
                           const pprofc_sources_options *options, pprofc_status status,
                           const char *message) {
  pprofc_profile *p = NULL;
  pprofc_error error = {PPROFC_OK, PPROFC_NO_OFFSET, ""};
  expect_message(pprofc_sources_read(sources, count, options, &p, &error), status, &error, message);
  CU_ASSERT_PTR_NULL(p);
}

TEST(test_sources_add_up) {
  pprofc_sources_options options = begin();
  expect_sum(two, 2, &options, "11: 1 2 | a main\n5: 3 2 | b main\n");
  end("");
}

TEST(test_the_base_is_compared_subtracted_or_scaled) {
  static const char *const base[] = {"base", "base_c"};
  pprofc_sources_options options = begin();
  options.bases = base;
  options.base_count = 2;
  expect_sum(two, 2, &options,
             "11: 1 2 | a main\n5: 3 2 | b main\n-4: 1 2 | a main | pprof::base=true\n"
             "-12: 4 2 | c main | pprof::base=true\n");
  options.kind = PPROFC_SUBTRACT;
  expect_sum(two, 2, &options, "7: 1 2 | a main\n5: 3 2 | b main\n-12: 4 2 | c main\n");
  options.base_count = 1; /* the head has 16, the base has 2 */
  options.normalize = true;
  expect_sum(two, 2, &options, "-1: 1 2 | a main\n1: 3 2 | b main\n");
  end("");
}

TEST(test_more_sources_than_a_chunk_keep_their_order) {
  enum { MANY = 150 };
  char names[MANY][24], line[24];
  const char *sources[MANY];
  pprofc_profile *p = NULL;
  pprofc_sources_options options = begin();
  for (int i = 0; i < MANY; i++) {
    snprintf(names[i], sizeof names[i], "f%d", i);
    snprintf(line, sizeof line, "main;f%d 1\n", i);
    write_text(sources[i] = names[i], line);
  }
  CU_ASSERT_EQUAL_FATAL(pprofc_sources_read(sources, MANY, &options, &p, NULL), PPROFC_OK);
  for (uint32_t i = 0; i < MANY; i++) {
    struct buffer text = buffer_make(&mem_default, SIZE_MAX);
    char name[24];
    snprintf(name, sizeof name, " | f%u main\n", (unsigned)i);
    text_of_sample(&text, p, i);
    buffer_add_char(&text, '\0');
    CU_ASSERT_PTR_NOT_NULL(strstr(text.data, name));
    buffer_free(&text);
    unlink(sources[i]);
  }
  pprofc_profile_release(p);
  end("");
}

TEST(test_an_unreadable_source_is_an_error_or_skipped) {
  static const char *const some[] = {"bad", "a", "bad"};
  pprofc_sources_options options = begin();
  expect_failure(some, 3, &options, PPROFC_E_IO, "cannot read 'bad': no such file or directory");
  options.skip = note_skipped;
  expect_sum(some, 3, &options, "1: 2 1 | a main\n");
  end("skip bad: cannot read 'bad': no such file or directory\nskip bad: cannot read 'bad': no "
      "such file or directory\n"
      "warn Fetched 1 source profiles out of 3\n");
}

TEST(test_a_sum_without_a_readable_source_is_an_error) {
  static const char *const bad[] = {"bad", "bad"};
  pprofc_sources_options options = begin();
  options.skip = note_skipped;
  expect_failure(bad, 1, &options, PPROFC_E_IO, "cannot read 'bad': no such file or directory");
  expect_failure(bad, 2, &options, PPROFC_E_IO, "failed to fetch any source profiles");
  options.bases = bad;
  options.base_count = 1;
  expect_failure(two, 2, &options, PPROFC_E_IO, "failed to fetch any base profiles");
  end("skip bad: cannot read 'bad': no such file or directory\nskip bad: cannot read 'bad': no "
      "such file or directory\n"
      "skip bad: cannot read 'bad': no such file or directory\n");
}

TEST(test_profiles_of_different_kinds_are_an_error) {
  static const char *const heap[] = {"heap"}, *const mixed[] = {"a", "heap"};
  pprofc_sources_options options = begin();
  const char *message = "profiles have empty common sample type list";
  expect_failure(mixed, 2, &options, PPROFC_E_INVALID, message);
  options.bases = heap;
  options.base_count = 1;
  expect_failure(two, 1, &options, PPROFC_E_INVALID, message);
  end("");
}

TEST(test_warnings_name_their_source_and_keep_the_order) {
  static const char *const some[] = {"broken", "broken_b"};
  pprofc_sources_options options = begin();
  pprofc_read_options read;
  pprofc_read_options_init(&read);
  read.warn = note_warning;
  read.warn_context = (void *)"";
  options.read = &read;
  expect_sum(some, 2, &options, "1: 1 2 | a r\n2: 1 | a\n1: 3 2 | b r\n3: 3 | b\n");
  end("broken: skipped: 1 of 4 lines (25.0%); -comments gives the reasons\n"
      "broken_b: skipped: 1 of 5 lines (20.0%); -comments gives the "
      "reasons\n");
}

/* The memory limit applies to all sources together. */
TEST(test_all_sources_have_one_memory_limit) {
  const char *heaps[16];
  pprofc_sources_options options = begin();
  pprofc_read_options read;
  pprofc_limits limits;
  pprofc_profile *p = NULL;
  pprofc_read_options_init(&read);
  pprofc_limits_init(&limits);
  limits.memory_bytes = 2 << 20;
  read.limits = &limits;
  options.read = &read;
  options.skip = note_skipped;
  for (size_t i = 0; i < 16; i++) heaps[i] = "heap";
  CU_ASSERT_EQUAL(pprofc_sources_read(heaps, 1, &options, &p, NULL), PPROFC_OK);
  pprofc_profile_release(p);
  p = NULL;
  CU_ASSERT_EQUAL(pprofc_sources_read(heaps, 16, &options, &p, NULL), PPROFC_E_LIMIT);
  CU_ASSERT_PTR_NULL(p);
  end("");
}

TEST(test_options_without_a_size_are_invalid) {
  pprofc_sources_options options = {0};
  pprofc_error error;
  pprofc_profile *p = NULL;
  CU_ASSERT_EQUAL(pprofc_sources_read(two, 2, &options, &p, &error), PPROFC_E_INVALID);
}

/* Each failed allocation gives an error and no leak. */
TEST(test_sources_survive_failed_allocations) {
  pprofc_sources_options options = begin();
  options.bases = two + 1;
  options.base_count = 1;
  for (size_t at = 0;; at++) {
    struct faults faults = {.fail_at = at};
    pprofc_allocator mem = {fault_alloc, fault_resize, fault_release, &faults};
    pprofc_profile *p = NULL;
    pprofc_read_options read;
    pprofc_read_options_init(&read);
    read.allocator = &mem;
    read.threads = 1;
    options.read = &read;
    pprofc_status status = pprofc_sources_read(two, 1, &options, &p, NULL);
    CU_ASSERT_EQUAL(status == PPROFC_OK, p != NULL);
    pprofc_profile_release(p);
    CU_ASSERT_EQUAL(faults.live, 0);
    if (status == PPROFC_OK) break;
    CU_ASSERT_EQUAL(status, PPROFC_E_NOMEM);
  }
  end("");
}
