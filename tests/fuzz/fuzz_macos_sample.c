/* Reads any bytes as a call graph of macOS's sample. */
#include "import/formats.h"
#include "import_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  return import_target(import_macos_sample, data, size);
}
