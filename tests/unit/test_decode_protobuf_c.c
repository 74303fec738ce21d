/* Tests that the library and protobuf-c read the same data from each test profile, and that writing
 * loses nothing. */
#include "codec/codec.h"
#include "compare.h"
#include "unit.h"

#include <dirent.h>
#include <stdlib.h>

#define CHECK_SAME(difference, path)                                                               \
  do {                                                                                             \
    if ((difference).what)                                                                         \
      fprintf(stderr, "%s: %s %zu differs\n", path, (difference).what, (difference).index);        \
    CU_ASSERT_PTR_NULL((difference).what);                                                         \
  } while (0)

/* Writes the profile, reads the written file, and writes it again. The two profiles must be equal,
 * and the two files also. */
static void check_round_trip(const pprofc_profile *profile, const char *path) {
  struct buffer first, second;
  buffer_init(&first, &mem_default, PTRDIFF_MAX);
  buffer_init(&second, &mem_default, PTRDIFF_MAX);
  pprofc_profile *again = NULL;
  struct difference difference;
  CU_ASSERT_EQUAL(pprofc_profile_write(profile, buffer_write, &first, NULL), PPROFC_OK);
  CU_ASSERT_EQUAL_FATAL(pprofc_profile_read_memory(first.data, first.size, NULL, &again, NULL),
                        PPROFC_OK);
  compare_profiles(profile, again, &difference);
  CHECK_SAME(difference, path);
  CU_ASSERT_EQUAL(pprofc_profile_write(again, buffer_write, &second, NULL), PPROFC_OK);
  CU_ASSERT(str_equal(buffer_str(&first), buffer_str(&second)));
  pprofc_profile_release(again);
  buffer_free(&first);
  buffer_free(&second);
}

/* True if the file is a profile.proto that the library accepts. */
static bool check_file(const char *path) {
  pprofc_limits limits;
  pprofc_limits_init(&limits);
  struct input input;
  pprofc_profile *profile = NULL;
  bool certain;
  if (input_read_file(path, &mem_default, &limits, true, &input, NULL) != PPROFC_OK) return false;
  bool accepted = pprof_decode(&input, &limits, 1, &profile, &certain, NULL) == PPROFC_OK;
  if (accepted) {
    struct difference difference;
    CU_ASSERT(compare_with_protobuf_c(input.data, input.size, profile, &difference));
    CHECK_SAME(difference, path);
    check_round_trip(profile, path);
  }
  pprofc_profile_release(profile);
  region_release(input.region);
  return accepted;
}

static size_t check_folder(const char *folder) {
  DIR *dir = opendir(folder);
  CU_ASSERT_PTR_NOT_NULL_FATAL(dir);
  size_t accepted = 0;
  for (struct dirent *entry; (entry = readdir(dir));) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    if (entry->d_type == DT_REG) accepted += check_file(path);
  }
  closedir(dir);
  return accepted;
}

TEST(test_recorded_profiles_decode_as_with_protobuf_c) {
  CU_ASSERT(check_folder(TESTDATA) >= 15);
}

TEST(test_constructed_profiles_decode_as_with_protobuf_c) {
  CU_ASSERT(check_folder(TESTDATA "/valid") >= 12);
}
