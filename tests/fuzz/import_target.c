/* Reads any bytes with one reader of the import table. CMake compiles this file for each reader
 * that has no fuzz_NAME.c, and defines IMPORT as the name of its function. */
#include "import_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  return import_target(IMPORT, data, size);
}
