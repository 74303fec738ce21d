/* Text input: byte order marks, UTF-16, and comments about what was left out. */
#include "import/lines.h"

#include "core/escape.h"

#include <stdio.h>

#define UTF16_LOOK                                                                                 \
  1024u /* number of bytes that decide if text without a byte order mark is                        \
           UTF-16 */

static uint32_t unit_at(pprofc_str data, size_t at, bool big_endian) {
  const unsigned char *p = (const unsigned char *)data.data + at;
  return big_endian ? (uint32_t)p[0] << 8 | p[1] : (uint32_t)p[1] << 8 | p[0];
}

/* Converts UTF-16 to UTF-8. Unpaired surrogates become U+FFFD; an odd last byte is dropped. */
static void convert_utf16(pprofc_str data, size_t from, bool big_endian, struct buffer *utf8) {
  for (size_t at = from; at + 1 < data.size; at += 2) {
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

/* True if the data looks like UTF-16 without a mark: most high bytes at the start are 0, and
 * all low bytes are not 0. */
static bool is_utf16(pprofc_str data, bool big_endian) {
  size_t units = (data.size < UTF16_LOOK ? data.size : UTF16_LOOK) / 2, zeros = 0;
  for (size_t i = 0; i < units; i++) {
    if (data.data[2 * i + big_endian] == '\0') return false;
    zeros += data.data[2 * i + !big_endian] == '\0';
  }
  return units >= 4 && zeros > units - units / 4;
}

/* True if the data is UTF-16. Sets *from to the first byte after the mark. */
static bool find_utf16(pprofc_str data, size_t *from, bool *big_endian) {
  *big_endian = str_starts(data, STR("\xFE\xFF"));
  *from = 2;
  if (*big_endian || str_starts(data, STR("\xFF\xFE"))) return true;
  *from = 0;
  *big_endian = is_utf16(data, true);
  return *big_endian || is_utf16(data, false);
}

pprofc_status import_text(pprofc_str data, const pprofc_allocator *mem, struct buffer *utf8,
                          pprofc_str *text, pprofc_error *error) {
  size_t from;
  bool big_endian;
  buffer_init(utf8, mem, SIZE_MAX / 2);
  *text = data;
  if (str_starts(data, STR("\xEF\xBB\xBF"))) {
    *text = str_slice(data, 3, data.size);
  } else if (find_utf16(data, &from, &big_endian)) {
    convert_utf16(data, from, big_endian, utf8);
    if (utf8->failed) return error_nomem(error);
    *text = utf8->size ? buffer_str(utf8) : STR("");
  }
  return PPROFC_OK;
}

pprofc_str import_first_line(pprofc_str text) {
  pprofc_str rest = text, line;
  while (str_next_line(&rest, &line) && !str_trim(line).size) text = rest;
  return text;
}

void import_note_count(pprofc_builder *builder, uint64_t count, const char *one, const char *many) {
  char note[160];
  if (!count) return;
  snprintf(note, sizeof note, "%llu %s", (unsigned long long)count, count == 1 ? one : many);
  pprofc_builder_comment(builder, note);
}

void import_note_share(pprofc_builder *builder, uint64_t read, uint64_t left_out,
                       const char *events) {
  char note[160];
  double share = 100.0 * (double)left_out / ((double)read + (double)left_out);
  if (!left_out) return;
  snprintf(note, sizeof note, IMPORT_LEFT_OUT "%llu of %llu %s (%.1f%%)",
           (unsigned long long)left_out, (unsigned long long)(read + left_out), events, share);
  pprofc_builder_comment(builder, note);
}
