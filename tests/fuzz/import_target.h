/* Body of a fuzz target for one format of the import table. */
#ifndef TESTS_FUZZ_IMPORT_TARGET_H
#define TESTS_FUZZ_IMPORT_TARGET_H

#include "compare.h"
#include "core/buffer.h"
#include "fuzz.h"
#include "read_format.h"

/* Checks that an accepted profile is valid, and that writing and reading it again does not change
 * it. */
static inline void import_target_check(const pprofc_profile *profile) {
  struct buffer written;
  struct difference difference;
  pprofc_profile *again = NULL;
  buffer_init(&written, &mem_default, PTRDIFF_MAX);
  REQUIRE(pprofc_profile_write(profile, buffer_write, &written, NULL) == PPROFC_OK);
  REQUIRE(pprofc_profile_read_memory(written.data, written.size, NULL, &again, NULL) == PPROFC_OK);
  compare_profiles(profile, again, &difference);
  REQUIRE(!difference.what);
  pprofc_profile_release(again);
  buffer_free(&written);
}

static inline int import_target_with(import_fn read, pprofc_call_stacks stacks, const uint8_t *data,
                                     size_t size) {
  pprofc_limits limits = fuzz_limits();
  struct import_options options = {.times = true};
  options.limits = &limits;
  options.call_stacks = stacks;
  pprofc_profile *profile = NULL;
  pprofc_error error = {PPROFC_OK, PPROFC_NO_OFFSET, ""};
  char *copy = malloc(size ? size : 1); /* a copy, because a reader may free the text after use */
  REQUIRE(copy);
  if (size) memcpy(copy, data, size);
  pprofc_str text = {copy, size};
  pprofc_status status = read_format(read, text, &mem_default, &options, &profile, &error);
  REQUIRE((status == PPROFC_OK) == (profile != NULL));
  if (profile)
    import_target_check(profile);
  else
    REQUIRE(status == PPROFC_E_NO_MATCH || (error.status == status && error.message[0]));
  pprofc_profile_release(profile);
  free(copy);
  return 0;
}

static inline int import_target(import_fn read, const uint8_t *data, size_t size) {
  return import_target_with(read, PPROFC_STACKS_PROPORTIONAL, data, size);
}

#endif
