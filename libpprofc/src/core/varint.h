/* Varints of protobuf: integers with 7 bits per byte, the lowest bits first. A set top bit means
 * that another byte follows. All code that reads or writes varints uses this header. */
#ifndef PPROFC_CORE_VARINT_H
#define PPROFC_CORE_VARINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Maximum size of a varint of 64 and of 32 bits, in bytes. */
#define VARINT_BYTES_MAX    10
#define VARINT32_BYTES_MAX  5
#define VARINT_MORE         0x80u
#define VARINT_PAYLOAD      0x7Fu
#define VARINT_PAYLOAD_BITS 7u

/* Returns the size of v as a varint, in bytes. */
static inline size_t varint_bytes(uint64_t v) {
  size_t bytes = 1;
  for (; v >= VARINT_MORE; v >>= VARINT_PAYLOAD_BITS) bytes++;
  return bytes;
}

/* Writes v as a varint of at most VARINT_BYTES_MAX bytes and returns its size. */
static inline size_t varint_put(uint8_t *out, uint64_t v) {
  size_t bytes = 0;
  for (; v >= VARINT_MORE; v >>= VARINT_PAYLOAD_BITS) out[bytes++] = (uint8_t)(v | VARINT_MORE);
  out[bytes++] = (uint8_t)v;
  return bytes;
}

enum varint_fault { VARINT_GOOD, VARINT_TRUNCATED, VARINT_TOO_LONG };

/* Reads a varint from untrusted bytes at *p and advances *p. Returns VARINT_GOOD or the fault;
 * after a fault *p and *value are unchanged. Drops bits above the 64th, as the reference
 * implementation does. */
static inline enum varint_fault varint_read(const uint8_t **p, const uint8_t *end,
                                            uint64_t *value) {
  const uint8_t *at = *p;
  uint64_t v = 0;
  for (unsigned shift = 0; shift < VARINT_BYTES_MAX * VARINT_PAYLOAD_BITS;
       shift += VARINT_PAYLOAD_BITS) {
    if (at == end) return VARINT_TRUNCATED;
    v |= (uint64_t)(*at & VARINT_PAYLOAD) << shift;
    if (*at++ < VARINT_MORE) {
      *value = v;
      *p = at;
      return VARINT_GOOD;
    }
  }
  return VARINT_TOO_LONG;
}

static inline const char *varint_fault_text(enum varint_fault fault) {
  return fault == VARINT_TRUNCATED ? "truncated varint" : "varint longer than 10 bytes";
}

/* True if the next varint has three bytes, the usual size in the stacks of large profiles. */
static inline bool varint_is_three(const uint8_t *p, const uint8_t *end) {
  return end - p >= 3 && p[0] >= VARINT_MORE && p[1] >= VARINT_MORE && p[2] < VARINT_MORE;
}

/* Returns the value of a varint of three bytes. */
static inline uint32_t varint_three(const uint8_t *p) {
  return (p[0] & VARINT_PAYLOAD) | (p[1] & VARINT_PAYLOAD) << 7 | (uint32_t)p[2] << 14;
}

/* Reads the rest of a varint of four or more bytes. `v` contains the value of the first three
 * bytes. */
static inline const uint8_t *varint_next_long(const uint8_t *p, uint32_t v, uint32_t *value) {
  uint32_t byte, shift = 3 * VARINT_PAYLOAD_BITS;
  do {
    byte = *p++;
    if (shift < 32) v |= (byte & VARINT_PAYLOAD) << shift;
    shift += VARINT_PAYLOAD_BITS;
  } while (byte & VARINT_MORE);
  *value = v;
  return p;
}

/* Reads a varint that is known to be complete and to fit 32 bits; returns the address after it. */
static inline const uint8_t *varint_next(const uint8_t *p, uint32_t *value) {
  uint32_t v = p[0];
  if (v >= VARINT_MORE) {
    uint32_t second = p[1];
    v = (v & VARINT_PAYLOAD) | (second & VARINT_PAYLOAD) << VARINT_PAYLOAD_BITS;
    if (second >= VARINT_MORE) {
      uint32_t third = p[2];
      v |= (third & VARINT_PAYLOAD) << 2 * VARINT_PAYLOAD_BITS;
      if (third >= VARINT_MORE) return varint_next_long(p + 3, v, value);
      *value = v;
      return p + 3;
    }
    *value = v;
    return p + 2;
  }
  *value = v;
  return p + 1;
}

/* Reads the varint that ends before p, and returns the address of its first byte. [begin, p) must
 * not be empty. All its varints must be complete and fit 32 bits. */
static inline const uint8_t *varint_before(const uint8_t *begin, const uint8_t *p,
                                           uint32_t *value) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  if (p - begin >= 4) { /* read three bytes, the usual size in large profiles, at once */
    uint32_t w;
    memcpy(&w, p - 4, 4);
    if ((w & 0x808080u) == 0x808000u) {
      *value = (w >> 8 & 0x7Fu) | (w >> 9 & 0x3F80u) | (w >> 10 & 0x1FC000u);
      return p - 3;
    }
  }
#endif
  uint32_t v = *--p;
  while (p > begin && p[-1] >= VARINT_MORE) v = v << VARINT_PAYLOAD_BITS | (*--p & VARINT_PAYLOAD);
  *value = v;
  return p;
}

#endif
