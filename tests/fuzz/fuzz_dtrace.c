/* Prints hostile profiles, and differences of two profiles, as -flame=text. The output must be
 * valid UTF-8 without control characters, and must end with a newline. */
#include "import/formats.h"
#include "import_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  return import_target(import_dtrace, data, size);
}
