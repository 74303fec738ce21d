/* Tests jemalloc's heap profiles: the lines with counts, the scaling of values, and the mappings of
 * addresses. */
#include "unit.h"

#include "core/str.h"
#include "pprofc/pprofc.h"

static pprofc_status read_text(const char *text, pprofc_profile **profile, pprofc_error *error) {
  *profile = NULL;
  return pprofc_profile_read_memory(text, strlen(text), NULL, profile, error);
}

static bool type_is(const pprofc_profile *profile, size_t index, const char *type,
                    const char *unit) {
  pprofc_value_type t = pprofc_profile_type(profile, index);
  return str_equal(t.type, str_of(type)) && str_equal(t.unit, str_of(unit));
}

static const char two_stacks[] = "heap_v2/16384\n"
                                 "  t*: 339: 1536105 [0: 0]\n"
                                 "  t0: 339: 1536105 [0: 0]\n"
                                 "@ 0x7fc7aa622045 0x55a1b2843198\n"
                                 "  t*: 248: 1257092 [0: 0]\n"
                                 "  t0: 200: 1000000 [0: 0]\n"
                                 "  t1: 48: 257092 [0: 0]\n"
                                 "@ 0x55a1b2843300\n"
                                 "  t*: 91: 279013 [0: 0]\n"
                                 "\n"
                                 "MAPPED_LIBRARIES:\n"
                                 "55a1b2843000-55a1b2844000 r-xp 00001000 fe:00 1001915  /app/j\n"
                                 "7fc7aa600000-7fc7aa700000 r-xp 00000000 fe:00 1001916  /lib/je\n";

TEST(test_live_counts_are_scaled) {
  pprofc_profile *p;
  CU_ASSERT_EQUAL_FATAL(read_text(two_stacks, &p, NULL), PPROFC_OK);
  CU_ASSERT_EQUAL(pprofc_profile_type_count(p), 2);
  CU_ASSERT(type_is(p, 0, "inuse_objects", "count") && type_is(p, 1, "inuse_space", "bytes"));
  pprofc_samples_view view;
  pprofc_profile_samples(p, &view);
  CU_ASSERT_EQUAL(view.count, 2);
  /* The value is scaled by 1 / (1 - exp(-5068.92 / 16384)), which is 3.758. */
  CU_ASSERT_EQUAL(view.values[0], 931);
  CU_ASSERT(view.values[1] > 4724000 && view.values[1] < 4724300);
  pprofc_header header;
  pprofc_profile_header(p, &header);
  CU_ASSERT_EQUAL(header.period, 16384);
  pprofc_profile_release(p);
}

TEST(test_addresses_have_mappings) {
  pprofc_profile *p;
  uint32_t frames[2];
  CU_ASSERT_EQUAL_FATAL(read_text(two_stacks, &p, NULL), PPROFC_OK);
  CU_ASSERT_EQUAL(pprofc_profile_stack(p, 0, frames, 2), 2);
  pprofc_location leaf = pprofc_profile_location(p, frames[0]);
  CU_ASSERT_EQUAL(leaf.address, 0x7fc7aa622044);
  CU_ASSERT(str_equal(pprofc_profile_mapping(p, leaf.mapping).file, STR("/lib/je")));
  pprofc_profile_release(p);
}

TEST(test_accumulated_counts_are_types_of_their_own) {
  pprofc_profile *p;
  CU_ASSERT_EQUAL_FATAL(
      read_text("heap_v2/1\n  t*: 1: 8 [3: 24]\n@ 0x10\n  t*: 1: 8 [3: 24]\n", &p, NULL),
      PPROFC_OK);
  CU_ASSERT(type_is(p, 0, "alloc_objects", "count") && type_is(p, 3, "inuse_space", "bytes"));
  pprofc_samples_view view;
  pprofc_profile_samples(p, &view);
  CU_ASSERT_EQUAL(view.values[0], 3);
  CU_ASSERT_EQUAL(view.values[1], 24);
  CU_ASSERT_EQUAL(view.values[2], 1);
  CU_ASSERT_EQUAL(view.values[3], 8);
  pprofc_profile_release(p);
}

TEST(test_broken_files_are_refused) {
  static const char *const texts[] = {
      "heap_v2/16384\n", "heap_v2/16384\n  t*: 1: 2 [0: 0]\n@ 0x1\n",
      "heap_v2/16384\n  t*: 1: 2 [0: 0]\n@ 0x1\n  t0: 1: 2 [0: 0]\n",
      "heap_v2/16384\n  t*: 1: 2 [0: 0]\n@ 0x11112222333344445555\n  t*: 1: 2 [0: 0]\n",
      "heap_v2/0\n  t*: 1: 2 [0: 0]\n"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    pprofc_profile *p;
    pprofc_error error;
    CU_ASSERT_EQUAL(read_text(texts[i], &p, &error), PPROFC_E_FORMAT);
    CU_ASSERT(error.message[0] != '\0');
  }
}
