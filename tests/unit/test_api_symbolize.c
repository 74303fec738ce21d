/* Tests symbolization that returns a new profile. If the tools are installed, checks names from the
 * binary of the test data. Also checks the warnings about a missing binary, and that the source
 * does not change. */
#include "core/child.h"
#include "failing.h"
#include "pprofc/symbolize.h"
#include "profile_text.h"
#include "unit.h"

#include <unistd.h>

#define NATIVE TESTDATA "/native/native_c"

static pprofc_error error;
static char warned[4096];

static void note_warning(void *context, const char *message) {
  size_t size = strlen(warned);
  *(int *)context += 1;
  snprintf(warned + size, sizeof warned - size, "%s\n", message);
}

static pprofc_profile *read_native(const pprofc_allocator *mem) {
  pprofc_profile *p = NULL;
  pprofc_read_options read;
  pprofc_read_options_init(&read);
  read.allocator = mem;
  read.threads = 1;
  CU_ASSERT_EQUAL_FATAL(
      pprofc_profile_read_file(TESTDATA "/native/native_c.cpu.prof", &read, &p, &error), PPROFC_OK);
  return p;
}

static size_t count_lines(const pprofc_profile *p) {
  size_t lines = 0;
  for (uint32_t i = 0; i < pprofc_profile_location_count(p); i++)
    lines += pprofc_profile_location(p, i).line_count;
  return lines;
}

TEST(test_addresses_get_names) {
  pprofc_profile *p = read_native(NULL), *named = NULL;
  pprofc_symbolize_options options;
  pprofc_symbolize_options_init(&options);
  options.executable = NATIVE;
  size_t before = count_lines(p);
  CU_ASSERT_EQUAL_FATAL(pprofc_symbolize(p, &options, &named, &error), PPROFC_OK);
  CU_ASSERT_EQUAL(count_lines(p), before);
  CU_ASSERT_EQUAL(before, 0);
  if (child_exists("addr2line") || child_exists("llvm-symbolizer") || child_exists("nm"))
    CU_ASSERT(count_lines(named) > 0);
  pprofc_profile_release(named);
  pprofc_profile_release(p);
}

TEST(test_mode_none_finds_no_names) {
  pprofc_profile *p = read_native(NULL), *same = NULL;
  pprofc_symbolize_options options;
  pprofc_symbolize_options_init(&options);
  options.mode = "none";
  options.executable = NATIVE;
  CU_ASSERT_EQUAL_FATAL(pprofc_symbolize(p, &options, &same, &error), PPROFC_OK);
  CU_ASSERT_EQUAL(count_lines(same), 0);
  CU_ASSERT(str_equal(pprofc_profile_mapping(same, 0).file, STR(NATIVE)));
  pprofc_profile_release(same);
  pprofc_profile_release(p);
}

TEST(test_warnings_go_to_the_caller) {
  pprofc_profile *p = read_native(NULL), *out = NULL;
  pprofc_symbolize_options options;
  int count = 0;
  warned[0] = '\0';
  pprofc_symbolize_options_init(&options);
  options.mode = "wrong";
  options.executable = "/no/such/binary";
  options.warn = note_warning;
  options.warn_context = &count;
  CU_ASSERT_EQUAL_FATAL(pprofc_symbolize(p, &options, &out, &error), PPROFC_OK);
  CU_ASSERT(count >= 2);
  CU_ASSERT_PTR_NOT_NULL(strstr(warned, "ignoring unrecognized symbolization option: wrong"));
  pprofc_profile_release(out);
  pprofc_profile_release(p);
}

TEST(test_options_must_be_initialised) {
  pprofc_profile *p = read_native(NULL), *out = NULL;
  pprofc_symbolize_options options = {0};
  CU_ASSERT_EQUAL(pprofc_symbolize(p, &options, &out, &error), PPROFC_E_INVALID);
  CU_ASSERT_PTR_NULL(out);
  CU_ASSERT_PTR_NOT_NULL(strstr(error.message, "pprofc_symbolize_options_init"));
  CU_ASSERT_EQUAL(pprofc_symbolize(p, NULL, &out, NULL), PPROFC_OK);
  pprofc_profile_release(out);
  pprofc_profile_release(p);
}

static pprofc_status symbolize_native(struct faults *faults, const pprofc_allocator *mem) {
  pprofc_profile *p = read_native(mem), *out = NULL;
  pprofc_symbolize_options options;
  pprofc_symbolize_options_init(&options);
  options.mode = "fastlocal";
  options.executable = NATIVE;
  failing_arm(faults);
  pprofc_status status = pprofc_symbolize(p, &options, &out, &error);
  CU_ASSERT_EQUAL(status == PPROFC_OK, out != NULL);
  pprofc_profile_release(out);
  pprofc_profile_release(p);
  return status;
}

/* Runs last, because PATH then has only the tools of binutils, if /usr/bin has them. LLVM's start
 * slowly. */
TEST(test_an_allocation_that_fails_is_an_error) {
  static const char *const tools[] = {"/usr/bin/nm", "/usr/bin/objdump"};
  char folder[] = "/tmp/test_api_symbolize.XXXXXX", links[2][64];
  bool found = access(tools[0], X_OK) == 0 && access(tools[1], X_OK) == 0;
  CU_ASSERT_FATAL(mkdtemp(folder) != NULL);
  for (size_t i = 0; i < 2; i++) {
    snprintf(links[i], sizeof links[i], "%s%s", folder, strrchr(tools[i], '/'));
    CU_ASSERT_EQUAL(symlink(tools[i], links[i]), 0);
  }
  if (found) setenv("PATH", folder, 1);
  CU_ASSERT(failing_each(symbolize_native) > 20);
  for (size_t i = 0; i < 2; i++) unlink(links[i]);
  rmdir(folder);
}
