/* Reads any bytes as a dump of goroutines. */
#include "import/formats.h"
#include "import_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  return import_target(import_go_dump, data, size);
}
