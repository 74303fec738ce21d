/* Text inputs: byte order marks and UTF-16; saying what of them was not read. */
#include "import/lines.h"

#include "core/escape.h"

#include <stdio.h>

static uint32_t unit_at(pprofc_str data, size_t at, bool big_endian) {
  const unsigned char *p = (const unsigned char *)data.data + at;
  return big_endian ? (uint32_t)p[0] << 8 | p[1] : (uint32_t)p[1] << 8 | p[0];
}

/* Lone surrogates become U+FFFD; an odd last byte is dropped. */
static void convert_utf16(pprofc_str data, bool big_endian, struct buffer *utf8) {
  for (size_t at = 2; at + 1 < data.size; at += 2) {
    uint32_t code = unit_at(data, at, big_endian);
    if (code >= 0xD800 && code < 0xE000) {
      uint32_t low = code < 0xDC00 && at + 3 < data.size ? unit_at(data, at + 2, big_endian) : 0;
      bool pair = low >= 0xDC00 && low < 0xE000;
      code = pair ? 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00) : 0xFFFD;
      if (pair) at += 2;
    }
    char bytes[4];
    buffer_add(utf8, bytes, utf8_encode(code, bytes));
  }
}

pprofc_status import_text(pprofc_str data, const pprofc_allocator *mem, struct buffer *utf8,
                          pprofc_str *text, pprofc_error *error) {
  buffer_init(utf8, mem, SIZE_MAX / 2);
  *text = data;
  if (str_starts(data, STR("\xEF\xBB\xBF"))) {
    *text = str_slice(data, 3, data.size);
  } else if (str_starts(data, STR("\xFF\xFE")) || str_starts(data, STR("\xFE\xFF"))) {
    convert_utf16(data, data.data[0] == '\xFE', utf8);
    if (utf8->failed) return error_nomem(error);
    *text = buffer_str(utf8);
  }
  return PPROFC_OK;
}

void import_note_count(pprofc_builder *builder, uint64_t count, const char *what) {
  char note[160];
  if (!count) return;
  snprintf(note, sizeof note, "%llu %s", (unsigned long long)count, what);
  pprofc_builder_comment(builder, note);
}
