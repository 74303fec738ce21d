/* Reads any bytes as a profile in JSON: every structure that json/json.c knows. */
#include "import/formats.h"
#include "import_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  return import_target(import_json, data, size);
}
