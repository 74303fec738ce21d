/* Reads strings of recordings: a byte with the encoding, then the text. */
#include "import/jfr/jfr.h"

#include "core/escape.h"

enum jfr_encoding {
  JFR_NULL,
  JFR_EMPTY,
  JFR_POOLED, /* key of an entry in the pool of strings */
  JFR_UTF8,
  JFR_CHARS, /* number of units, then UTF-16 with one integer for each unit */
  JFR_LATIN1,
};

static void text_add(struct buffer *out, uint32_t c) {
  char bytes[4];
  buffer_add(out, bytes, utf8_encode(c, bytes));
}

static pprofc_str text_latin1(const uint8_t *data, size_t size, struct buffer *out) {
  size_t i = 0;
  while (i < size && data[i] < 0x80) i++;
  if (i == size || !out) return (pprofc_str){(const char *)data, size};
  for (i = 0; i < size; i++) text_add(out, data[i]);
  return buffer_str(out);
}

#define NOT_A_CHARACTER 0xFFFD

/* Appends a unit of UTF-16. *high is the pending high surrogate, or 0. An unpaired surrogate
 * becomes U+FFFD. */
static void text_add_unit(struct buffer *out, uint32_t unit, uint32_t *high) {
  uint32_t half = unit >> 10; /* 0x36 for a high surrogate, 0x37 for a low surrogate */
  if (*high && half == 0x37) {
    text_add(out, 0x10000 + ((*high & 0x3FF) << 10) + (unit & 0x3FF));
    *high = 0;
    return;
  }
  if (*high) text_add(out, NOT_A_CHARACTER);
  *high = half == 0x36 ? unit : 0;
  if (half == 0x37) unit = NOT_A_CHARACTER;
  if (!*high) text_add(out, unit);
}

static pprofc_str text_chars(struct jfr_reader *r, uint32_t count, struct buffer *out) {
  uint32_t high = 0;
  for (uint32_t i = 0; i < count && !r->failed; i++) {
    uint32_t unit = (uint32_t)jfr_integer(r, 2) & 0xFFFF;
    if (out) text_add_unit(out, unit, &high);
  }
  if (!out) return STR("");
  if (high) text_add(out, NOT_A_CHARACTER);
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
    /* Ignore a second key, because an entry must not refer to another entry. */
    s = jfr_read_string(&r, &j->text, &key);
  }
  import_need(j->builder, !j->text.failed);
  jfr_take(j, &j->text_bytes, s.size, "texts");
  return builder_ok(j->builder) ? s : STR("");
}
