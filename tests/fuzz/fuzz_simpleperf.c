/* Reads any bytes as the output of simpleperf report-sample. */
#include "import/formats.h"
#include "import_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  return import_target(import_simpleperf, data, size);
}
