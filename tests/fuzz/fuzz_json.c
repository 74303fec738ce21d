/* Reads any bytes as a profile in JSON: every shape of json/json.c. */
#include "import/formats.h"
#include "import_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  return import_target(import_json, data, size);
}
