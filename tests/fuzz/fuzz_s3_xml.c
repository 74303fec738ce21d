/* Reads any bytes as a reply of S3. Each element must be inside the text, after the previous
 * element. */
#include "fuzz.h"
#include "run/files.h"
#include "store/store.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char *const names[] = {"Contents", "Key", "Upload", "Code", "a"};
  const pprofc_str text = {(const char *)data, size};
  struct buffer plain;
  buffer_init(&plain, &mem_default, PTRDIFF_MAX);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    pprofc_str rest = text, item;
    while (xml_next(&rest, names[i], &item)) {
      REQUIRE(item.data >= text.data && item.data + item.size <= text.data + text.size);
      REQUIRE(rest.data >= item.data + item.size && rest.data + rest.size == text.data + text.size);
      pprofc_str key = xml_first(item, "Key");
      buffer_clear(&plain);
      text_unescape(&plain, key);
      REQUIRE(plain.size <= 4 * key.size);
    }
  }
  buffer_free(&plain);
  return 0;
}
