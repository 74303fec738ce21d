/* Reads strings of recordings: a byte with the encoding, then the text. */
#include "import/jfr/jfr.h"

enum jfr_encoding {
  JFR_NULL,
  JFR_EMPTY,
  JFR_POOLED, /* key of an entry in the pool of strings */
  JFR_UTF8,
  JFR_CHARS, /* number of UTF-16 units, then each unit as an integer */
  JFR_LATIN1,
};

static pprofc_str text_latin1(const uint8_t *data, size_t size, struct buffer *out) {
  size_t i = 0;
  while (i < size && data[i] < 0x80) i++;
  if (i == size || !out) return (pprofc_str){(const char *)data, size};
  for (i = 0; i < size; i++) import_add_utf8(out, data[i]);
  return buffer_str(out);
}

static pprofc_str text_chars(struct jfr_reader *r, uint32_t count, struct buffer *out) {
  uint32_t high = 0;
  for (uint32_t i = 0; i < count && !r->failed; i++) {
    uint32_t unit = (uint32_t)jfr_integer(r, 2) & 0xFFFF;
    if (out) import_add_utf16(out, unit, &high);
  }
  if (!out) return STR("");
  if (high) import_add_utf8(out, 0xFFFD);
  return buffer_str(out);
}

pprofc_str jfr_read_string(struct jfr_reader *r, struct buffer *decode, uint64_t *key) {
  uint8_t encoding = (uint8_t)jfr_fixed(r, 1);
  *key = 0;
  if (encoding == JFR_NULL || encoding == JFR_EMPTY) return STR("");
  if (encoding == JFR_POOLED) {
    *key = jfr_long(r);
    return STR("");
  }
  if (encoding > JFR_LATIN1) {
    jfr_fail_read(r);
    return STR("");
  }
  uint32_t size = jfr_int(r);
  if (encoding == JFR_CHARS) return text_chars(r, size, decode);
  const uint8_t *data = r->at;
  jfr_skip(r, size);
  if (r->failed) return STR("");
  if (encoding == JFR_LATIN1) return text_latin1(data, size, decode);
  return (pprofc_str){(const char *)data, size};
}

pprofc_str jfr_text(struct jfr *j, uint64_t offset) {
  struct jfr_reader r = jfr_reader_at(j, offset);
  uint64_t key;
  buffer_clear(&j->text);
  pprofc_str s = jfr_read_string(&r, &j->text, &key);
  if (key) {
    const struct jfr_entry *entry = jfr_entry_of(j, JFR_STRINGS, key);
    if (!entry) return STR("");
    r = jfr_reader_at(j, entry->slots[JFR_TEXT]);
    /* An entry must contain its text, so ignore a key in place of the text. */
    s = jfr_read_string(&r, &j->text, &key);
  }
  import_need(j->builder, !j->text.failed);
  jfr_take(j, &j->text_bytes, s.size, "texts");
  return builder_ok(j->builder) ? s : STR("");
}
