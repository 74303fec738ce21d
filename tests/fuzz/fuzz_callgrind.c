/* Reads any bytes as callgrind's output, with each method of making stacks. All methods must give
 * the same totals. */
#include "import_target.h"

#define MAX_TYPES 32

/* Computes the totals of a profile. Returns false if the text cannot be read. */
static bool sum(pprofc_str text, pprofc_call_stacks stacks, int64_t totals[MAX_TYPES]) {
  pprofc_limits limits = fuzz_limits();
  struct import_options options = {.limits = NULL};
  options.limits = &limits;
  options.call_stacks = stacks;
  pprofc_profile *profile = NULL;
  if (read_format(import_callgrind, text, &mem_default, &options, &profile, NULL) != PPROFC_OK)
    return false;
  pprofc_samples_view view;
  pprofc_profile_samples(profile, &view);
  for (size_t i = 0; i < view.count * view.types; i++) totals[i % view.types] += view.values[i];
  pprofc_profile_release(profile);
  return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  pprofc_str text = {(const char *)data, size};
  int64_t totals[3][MAX_TYPES] = {{0}};
  import_target(import_callgrind, data, size);
  bool is_read = sum(text, PPROFC_STACKS_PROPORTIONAL, totals[0]);
  REQUIRE(sum(text, PPROFC_STACKS_EDGES, totals[1]) == is_read);
  REQUIRE(sum(text, PPROFC_STACKS_FLAT, totals[2]) == is_read);
  REQUIRE(memcmp(totals[0], totals[1], sizeof totals[0]) == 0);
  REQUIRE(memcmp(totals[0], totals[2], sizeof totals[0]) == 0);
  return 0;
}
