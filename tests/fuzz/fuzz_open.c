/* Opens any bytes as a profile of any format. The first reader that recognizes the bytes reads
 * them. Formats of other programs are recognized by their first bytes. */
#include "import_target.h"
#include "recordings.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  pprofc_limits limits = fuzz_limits();
  pprofc_read_options options;
  pprofc_profile *profile = NULL;
  pprofc_error error = {PPROFC_OK, PPROFC_NO_OFFSET, ""};
  (void)recording_find((pprofc_str){(const char *)data, size});
  pprofc_read_options_init(&options);
  options.limits = &limits;
  options.threads = 1;
  pprofc_status status = pprofc_profile_read_memory(data, size, &options, &profile, &error);
  REQUIRE((status == PPROFC_OK) == (profile != NULL));
  if (profile)
    import_target_check(profile);
  else
    REQUIRE(error.status == status && error.message[0]);
  pprofc_profile_release(profile);
  return 0;
}
