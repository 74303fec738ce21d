/* Measures the common prefix of two texts. Readers of folded and speedscope files use it. */
#ifndef PPROFC_CORE_PREFIX_H
#define PPROFC_CORE_PREFIX_H

#include "core/str.h"

/* Returns the number of equal bytes at the start of a and b. */
static inline size_t str_common(pprofc_str a, pprofc_str b) {
  size_t most = a.size < b.size ? a.size : b.size, n = 0;
  for (uint64_t x = 0, y = 0; n + sizeof x <= most; n += sizeof x) {
    memcpy(&x, a.data + n, sizeof x);
    memcpy(&y, b.data + n, sizeof y);
    if (x != y) break;
  }
  while (n < most && a.data[n] == b.data[n]) n++;
  return n;
}

#endif
