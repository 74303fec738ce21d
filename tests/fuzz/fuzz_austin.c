/* Reads any bytes as samples of Austin. */
#include "import/formats.h"
#include "import_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  return import_target(import_austin, data, size);
}
