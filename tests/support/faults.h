/* An allocator that fails at a given call. It detects blocks that are not freed, or are freed with
 * another size. */
#ifndef FAULTS_H
#define FAULTS_H

#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct faults {
  size_t calls;
  size_t fail_at; /* index of the call that fails, from 0; SIZE_MAX: no call fails */
  bool from_there_on;
  size_t fails_after; /* number of calls after failing_arm that succeed */
  size_t live;        /* number of blocks that have not been freed */
  size_t wrong_sizes;
};

/* Bytes before a block that store the size of the block. */
#define FAULT_HEADER alignof(max_align_t)

static inline void *fault_alloc(void *context, size_t size) {
  struct faults *f = context;
  size_t call = f->calls++;
  if (f->from_there_on ? call >= f->fail_at : call == f->fail_at) return NULL;
  char *block = malloc(size + FAULT_HEADER);
  if (!block) abort();
  memcpy(block, &size, sizeof size);
  f->live++;
  return block + FAULT_HEADER;
}

static inline void fault_release(void *context, void *block, size_t size) {
  struct faults *f = context;
  char *start = (char *)block - FAULT_HEADER;
  f->wrong_sizes += memcmp(start, &size, sizeof size) != 0;
  f->live--;
  free(start);
}

/* Always moves the block. A sanitizer then finds the use of an old pointer. */
static inline void *fault_resize(void *context, void *block, size_t old_size, size_t new_size) {
  void *moved = fault_alloc(context, new_size);
  if (!moved) return NULL;
  memcpy(moved, block, old_size < new_size ? old_size : new_size);
  fault_release(context, block, old_size);
  return moved;
}

#endif
