/* Prepares text input: removes a byte order mark and converts UTF-16. */
#include "import/reader.h"

/* Number of bytes that decide if text without a byte order mark is UTF-16. */
#define UTF16_LOOK 1024u

static uint32_t unit_at(pprofc_str data, size_t at, bool big_endian) {
  const unsigned char *p = (const unsigned char *)data.data + at;
  return big_endian ? (uint32_t)p[0] << 8 | p[1] : (uint32_t)p[1] << 8 | p[0];
}

#define NOT_A_CHARACTER 0xFFFD

void import_add_utf8(struct buffer *out, uint32_t c) {
  char bytes[4];
  buffer_add(out, bytes, utf8_encode(c, bytes));
}

void import_add_utf16(struct buffer *out, uint32_t unit, uint32_t *high) {
  uint32_t half = unit >> 10; /* 0x36 for a high surrogate, 0x37 for a low surrogate */
  if (*high && half == 0x37) {
    import_add_utf8(out, 0x10000 + ((*high & 0x3FF) << 10) + (unit & 0x3FF));
    *high = 0;
    return;
  }
  if (*high) import_add_utf8(out, NOT_A_CHARACTER);
  *high = half == 0x36 ? unit : 0;
  if (!*high) import_add_utf8(out, half == 0x37 ? NOT_A_CHARACTER : unit);
}

/* Converts UTF-16 to UTF-8, beginning at byte `from`. Drops an odd last byte. */
static void convert_utf16(pprofc_str data, size_t from, bool big_endian, struct buffer *utf8) {
  uint32_t high = 0;
  for (size_t at = from; at + 1 < data.size; at += 2)
    import_add_utf16(utf8, unit_at(data, at, big_endian), &high);
  if (high) import_add_utf8(utf8, NOT_A_CHARACTER);
}

/* True if the data looks like UTF-16 without a byte order mark: at the start most high bytes are 0,
 * and no low byte is 0. */
static bool is_utf16(pprofc_str data, bool big_endian) {
  size_t units = (data.size < UTF16_LOOK ? data.size : UTF16_LOOK) / 2, zeros = 0;
  for (size_t i = 0; i < units; i++) {
    if (data.data[2 * i + big_endian] == '\0') return false;
    zeros += data.data[2 * i + !big_endian] == '\0';
  }
  return units >= 4 && zeros > units - units / 4;
}

/* True if the data is UTF-16. Sets *from to the offset of the text after a byte order mark. */
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
  if (str_take(text, STR("\xEF\xBB\xBF")) || !find_utf16(data, &from, &big_endian))
    return PPROFC_OK;
  convert_utf16(data, from, big_endian, utf8);
  if (utf8->failed) return error_nomem(error);
  *text = utf8->size ? buffer_str(utf8) : STR("");
  return PPROFC_OK;
}

pprofc_str import_first_line(pprofc_str text) {
  pprofc_str rest = text, line;
  while (str_next_line(&rest, &line) && !str_trim(line).size) text = rest;
  return text;
}

bool import_take_number(pprofc_str *text, int64_t *number) {
  size_t colon = str_find_last_char(*text, ':');
  int64_t value;
  if (!str_parse_int(str_from(*text, colon + 1), 10, &value) || value < 0) return false;
  *text = str_slice(*text, 0, colon);
  *number = value;
  return true;
}

bool import_next_word(pprofc_str *rest, pprofc_str *word) {
  size_t from = 0, to;
  while (from < rest->size && (rest->data[from] == ' ' || rest->data[from] == '\t')) from++;
  for (to = from; to < rest->size && rest->data[to] != ' ' && rest->data[to] != '\t';) to++;
  *word = str_slice(*rest, from, to);
  *rest = str_from(*rest, to);
  return word->size > 0;
}
