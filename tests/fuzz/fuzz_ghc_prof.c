/* Reads any bytes as a profile of GHC. */
#include "import/formats.h"
#include "import_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  return import_target(import_ghc_prof, data, size);
}
