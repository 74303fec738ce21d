/* Reads any bytes as a file of perf record. */
#include "import/formats.h"
#include "import_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  return import_target(import_perf_data, data, size);
}
