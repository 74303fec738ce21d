/* Varints: integers of 7 bits a byte, the lowest bits first, as protobuf writes them. A set top bit
 * says that another byte follows. Every file that reads or writes varints does it through this
 * header. */
#ifndef PPROFC_CORE_VARINT_H
#define PPROFC_CORE_VARINT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The most bytes of a varint of 64 and of 32 bits. */
#define VARINT_BYTES_MAX    10
#define VARINT32_BYTES_MAX  5
#define VARINT_MORE         0x80u
#define VARINT_PAYLOAD      0x7Fu
#define VARINT_PAYLOAD_BITS 7u

/* The bytes that varint_put writes for v. */
static inline size_t varint_bytes(uint64_t v) {
  size_t bytes = 1;
  for (; v >= VARINT_MORE; v >>= VARINT_PAYLOAD_BITS) bytes++;
  return bytes;
}

/* Writes v in as few bytes as it needs, VARINT_BYTES_MAX at the most; returns how many. */
static inline size_t varint_put(uint8_t *out, uint64_t v) {
  size_t bytes = 0;
  for (; v >= VARINT_MORE; v >>= VARINT_PAYLOAD_BITS) out[bytes++] = (uint8_t)(v | VARINT_MORE);
  out[bytes++] = (uint8_t)v;
  return bytes;
}

/* Reads a varint of foreign bytes [p, end) and returns the byte behind it. NULL when it has more
 * than VARINT_BYTES_MAX bytes or does not end before `end`; it is truncated when fewer than
 * VARINT_BYTES_MAX bytes are there. Bits past the 64th are dropped, as the reference does. */
static inline const uint8_t *varint_read(const uint8_t *p, const uint8_t *end, uint64_t *value) {
  uint64_t v = 0;
  for (unsigned shift = 0; shift < VARINT_BYTES_MAX * VARINT_PAYLOAD_BITS;
       shift += VARINT_PAYLOAD_BITS) {
    if (p == end) return NULL;
    v |= (uint64_t)(*p & VARINT_PAYLOAD) << shift;
    if (*p++ < VARINT_MORE) {
      *value = v;
      return p;
    }
  }
  return NULL;
}

/* The same for a varint of three bytes, the usual length in the stacks of large profiles; NULL for
 * any other. */
static inline const uint8_t *varint_read_three(const uint8_t *p, const uint8_t *end,
                                               uint64_t *value) {
  if (end - p < 3 || p[0] < VARINT_MORE || p[1] < VARINT_MORE || p[2] >= VARINT_MORE) return NULL;
  *value = (p[0] & VARINT_PAYLOAD) | (p[1] & VARINT_PAYLOAD) << 7 | (uint32_t)p[2] << 14;
  return p + 3;
}

/* Reads a varint that is known to be whole and to fit 32 bits; returns the byte behind it. */
static inline const uint8_t *varint_next(const uint8_t *p, uint32_t *value) {
  uint32_t v = *p++;
  if (v >= VARINT_MORE) {
    v &= VARINT_PAYLOAD;
    uint32_t byte, shift = VARINT_PAYLOAD_BITS;
    do {
      byte = *p++;
      if (shift < 32) v |= (byte & VARINT_PAYLOAD) << shift;
      shift += VARINT_PAYLOAD_BITS;
    } while (byte & VARINT_MORE);
  }
  *value = v;
  return p;
}

/* Reads backwards: the varint that ends before p, in a run of whole varints of 32 bits that begins
 * at `begin` < p. Returns where it begins. */
static inline const uint8_t *varint_before(const uint8_t *begin, const uint8_t *p,
                                           uint32_t *value) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  if (p - begin >= 4) { /* three bytes, the usual length in large profiles, in one step */
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
