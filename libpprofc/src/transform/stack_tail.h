/* Walking stacks from the root, doing work only for what is new: consecutive samples of real
 * profiles share most of their root side, which is the tail of the stored run, often byte for byte.
 *
 * A pass keeps what it computed for the previous stack in an array indexed by bytes from the end,
 * asks how many bytes the next stack shares with it, and goes on from there towards the leaf. */
#ifndef PPROFC_TRANSFORM_STACK_TAIL_H
#define PPROFC_TRANSFORM_STACK_TAIL_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* How many equal bytes a and b end with. */
static inline size_t stack_equal_bytes(const uint8_t *a_end, const uint8_t *b_end, size_t most) {
  size_t n = 0;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  for (; n + 8 <= most; n += 8) {
    uint64_t x, y;
    memcpy(&x, a_end - n - 8, 8);
    memcpy(&y, b_end - n - 8, 8);
    if (x != y) return n + (size_t)__builtin_clzll(x ^ y) / 8;
  }
#endif
  while (n < most && a_end[-(ptrdiff_t)n - 1] == b_end[-(ptrdiff_t)n - 1]) n++;
  return n;
}

/* The same, in whole frames: the bytes begin with a varint in both stacks. */
static inline size_t stack_shared_tail(const uint8_t *a, size_t a_size, const uint8_t *b,
                                       size_t b_size) {
  size_t n = stack_equal_bytes(a + a_size, b + b_size, a_size < b_size ? a_size : b_size);
  const uint8_t *at_a = a + a_size - n, *at_b = b + b_size - n;
  if ((at_a == a || at_a[-1] < 0x80) && (at_b == b || at_b[-1] < 0x80)) return n;
  while (n && *at_a >= 0x80) at_a++, n--; /* the rest of a varint that begins before the tail */
  return n ? n - 1 : 0;
}

/* Decodes the varint that ends before p in a stack that begins at `begin` < p; returns where it
 * starts. */
static inline const uint8_t *stack_varint_before(const uint8_t *begin, const uint8_t *p,
                                                 uint32_t *value) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  if (p - begin >= 4) { /* three bytes, the usual length of large profiles, in one step */
    uint32_t w;
    memcpy(&w, p - 4, 4);
    if ((w & 0x808080u) == 0x808000u) {
      *value = (w >> 8 & 0x7Fu) | (w >> 9 & 0x3F80u) | (w >> 10 & 0x1FC000u);
      return p - 3;
    }
  }
#endif
  uint32_t v = *--p;
  while (p > begin && p[-1] >= 0x80) v = v << 7 | (*--p & 0x7Fu);
  *value = v;
  return p;
}

#endif
