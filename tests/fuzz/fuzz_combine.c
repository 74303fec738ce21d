/* Merges and compares up to three hostile profiles. Writing and reading the result must not change
 * it. Its values must be the sums of the inputs. A profile minus itself must be empty. */
#include "hostile.h"
#include "import_target.h"
#include "pprofc/pprofc.h"

/* Returns the sum of the values of a sample type. The sum overflows modulo 2^64, as in Go. */
static uint64_t sum_of(const pprofc_profile *profile, size_t type) {
  uint64_t sum = 0;
  pprofc_samples_view view;
  pprofc_profile_samples(profile, &view);
  for (size_t i = 0; i < view.count; i++) sum += (uint64_t)view.values[i * view.types + type];
  return sum;
}

/* Checks that merging a profile with itself doubles each value. */
static void check_doubled(const pprofc_profile *profile) {
  const pprofc_profile *both[2] = {profile, profile};
  pprofc_profile *twice = NULL;
  pprofc_error error = {PPROFC_OK, PPROFC_NO_OFFSET, ""};
  pprofc_status status = pprofc_merge(both, 2, &twice, &error);
  REQUIRE(status == PPROFC_OK || error.message[0]);
  if (status != PPROFC_OK) return;
  size_t types = pprofc_profile_type_count(profile);
  if (pprofc_profile_type_count(twice) == types)
    for (size_t i = 0; i < types; i++) REQUIRE(sum_of(twice, i) == 2 * sum_of(profile, i));
  import_target_check(twice);
  pprofc_profile_release(twice);
}

/* True if the values are exact: pprof negates the base as doubles, which are exact for integers up
 * to 2^53. */
static bool is_exact(const pprofc_profile *profile) {
  pprofc_samples_view view;
  pprofc_profile_samples(profile, &view);
  for (size_t i = 0; i < view.count * view.types; i++)
    if (view.values[i] > (int64_t)1 << 53 || view.values[i] < -((int64_t)1 << 53)) return false;
  return true;
}

static void check_nothing_left(const pprofc_profile *profile) {
  if (!is_exact(profile)) return;
  pprofc_profile *nothing = NULL;
  pprofc_status status = pprofc_diff(profile, profile, PPROFC_SUBTRACT, false, &nothing, NULL);
  if (status != PPROFC_OK) return;
  for (size_t i = 0; i < pprofc_profile_type_count(nothing); i++) REQUIRE(sum_of(nothing, i) == 0);
  import_target_check(nothing);
  pprofc_profile_release(nothing);
}

static void combine(pprofc_profile *const *profiles, size_t count, unsigned how) {
  pprofc_profile *made = NULL;
  pprofc_error error = {PPROFC_OK, PPROFC_NO_OFFSET, ""};
  pprofc_status status;
  if (how & 1 && count > 1)
    status = pprofc_diff(profiles[0], profiles[1], how & 2 ? PPROFC_SUBTRACT : PPROFC_COMPARE,
                         how & 4, &made, &error);
  else
    status = pprofc_merge((const pprofc_profile *const *)profiles, count, &made, &error);
  REQUIRE((status == PPROFC_OK) == (made != NULL));
  REQUIRE(status == PPROFC_OK || (error.status == status && error.message[0]));
  if (made) import_target_check(made);
  pprofc_profile_release(made);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct hostile in = {data, data + size};
  pprofc_profile *profiles[3];
  size_t count = 0;
  unsigned how = hostile_byte(&in);
  for (unsigned wanted = 1 + (how >> 4) % 3; wanted; wanted--) {
    pprofc_profile *profile = hostile_profile(&in);
    if (profile) profiles[count++] = profile;
  }
  if (count) {
    combine(profiles, count, how);
    check_doubled(profiles[0]);
    check_nothing_left(profiles[0]);
  }
  while (count) pprofc_profile_release(profiles[--count]);
  return 0;
}
