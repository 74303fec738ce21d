/* Reads the integers of a chunk. The header of the chunk shows if integers are compressed or have a
 * fixed width. After a failure all reads return 0, and `at` equals `end`. */
#ifndef PPROFC_IMPORT_JFR_READER_H
#define PPROFC_IMPORT_JFR_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct jfr_reader {
  const uint8_t *at, *end;
  bool compressed;
  bool failed;
};

static inline void jfr_fail_read(struct jfr_reader *r) {
  r->failed = true;
  r->at = r->end;
}

/* True if at least `size` bytes are left. Otherwise sets `failed` and returns false. */
static inline bool jfr_has(struct jfr_reader *r, uint64_t size) {
  if (size <= (uint64_t)(r->end - r->at)) return true;
  jfr_fail_read(r);
  return false;
}

static inline void jfr_skip(struct jfr_reader *r, uint64_t size) {
  if (jfr_has(r, size)) r->at += size;
}

/* Reads a big-endian integer of `size` bytes. */
static inline uint64_t jfr_fixed(struct jfr_reader *r, unsigned size) {
  uint64_t value = 0;
  if (!jfr_has(r, size)) return 0;
  for (unsigned i = 0; i < size; i++) value = value << 8 | *r->at++;
  return value;
}

/* Reads a varint: 7 bits per byte, lowest bits first; a ninth byte has 8 bits. */
static inline uint64_t jfr_compressed(struct jfr_reader *r) {
  uint64_t value = 0;
  if (r->at < r->end && *r->at < 0x80) return *r->at++; /* most values have one byte */
  for (unsigned shift = 0; r->at < r->end; shift += 7) {
    uint8_t byte = *r->at++;
    if (shift == 56) return value | (uint64_t)byte << 56;
    value |= (uint64_t)(byte & 0x7F) << shift;
    if (byte < 0x80) return value;
  }
  jfr_fail_read(r);
  return 0;
}

/* Skips `count` compressed integers. */
static inline void jfr_skip_compressed(struct jfr_reader *r, uint64_t count) {
  const uint8_t *at = r->at;
  for (; count; count--) {
    const uint8_t *last = r->end - at > 8 ? at + 8 : r->end;
    while (at < last && *at >= 0x80) at++;
    if (at == r->end) {
      jfr_fail_read(r);
      return;
    }
    at++;
  }
  r->at = at;
}

/* Reads an integer, which is compressed or has `size` bytes. */
static inline uint64_t jfr_integer(struct jfr_reader *r, unsigned size) {
  return r->compressed ? jfr_compressed(r) : jfr_fixed(r, size);
}

static inline uint64_t jfr_long(struct jfr_reader *r) {
  return jfr_integer(r, 8);
}

static inline uint32_t jfr_int(struct jfr_reader *r) {
  return (uint32_t)jfr_integer(r, 4);
}

#endif
