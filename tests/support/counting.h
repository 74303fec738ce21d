/* An allocator that counts the bytes in use, and their maximum. */
#ifndef COUNTING_H
#define COUNTING_H

#include "pprofc/base.h"

#include <stdlib.h>

struct counting {
  size_t live, peak;
};

static inline void counting_add(struct counting *c, size_t more, size_t less) {
  size_t live = __atomic_add_fetch(&c->live, more - less, __ATOMIC_RELAXED);
  size_t peak = __atomic_load_n(&c->peak, __ATOMIC_RELAXED);
  while (live > peak && !__atomic_compare_exchange_n(&c->peak, &peak, live, true, __ATOMIC_RELAXED,
                                                     __ATOMIC_RELAXED)) {
  }
}

static inline void *counting_alloc(void *context, size_t size) {
  counting_add(context, size, 0);
  return malloc(size);
}

static inline void *counting_resize(void *context, void *block, size_t old_size, size_t new_size) {
  counting_add(context, new_size, old_size);
  return realloc(block, new_size);
}

static inline void counting_release(void *context, void *block, size_t size) {
  counting_add(context, 0, size);
  free(block);
}

static inline pprofc_allocator counting_allocator(struct counting *counts) {
  return (pprofc_allocator){counting_alloc, counting_resize, counting_release, counts};
}

#endif
