/* Reads any bytes as a file of Python's pstats. */
#include "import/formats.h"
#include "import_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  return import_target(import_pstats, data, size);
}
