/* Reading stacks one after the other, each as a difference to the one before: real profiles share
 * most of the root side between neighbours, and what is shared need not be looked at again. */
#ifndef PPROFC_GRAPH_DELTA_H
#define PPROFC_GRAPH_DELTA_H

#include "profile/profile.h"

/* A path (an array of any steps) with room for `needed` of them, or NULL when out of memory. A
 * location may be several steps, so that a path can get longer than any stack. */
static inline void *delta_room(const pprofc_allocator *mem, void *path, size_t *capacity,
                               size_t needed, size_t step_size) {
  if (needed <= *capacity) return path;
  void *grown = mem_resize(mem, path, *capacity, needed * 2, step_size);
  if (grown) *capacity = needed * 2;
  return grown;
}

/* A frame that the stack before did not have. `offset` is the number of bytes from where the frame
 * is written to the end of the stack: the greater, the nearer to the leaf. */
struct fresh_frame {
  uint32_t location, offset;
};

struct stack_delta {
  struct stack_reader reader;
  const uint8_t *stack;
  uint32_t size;
  const uint32_t *map;
  bool started;
  uint32_t shared;           /* bytes at the root side that are frames of the stack before, too */
  struct fresh_frame *fresh; /* [max_depth], leaf first */
  size_t count;
};

static inline uint64_t delta_word(const uint8_t *p) {
  uint64_t word;
  memcpy(&word, p, sizeof word);
  return word;
}

/* How many of the last `most` bytes before both ends are equal. */
static inline uint32_t delta_suffix(const uint8_t *a_end, const uint8_t *b_end, uint32_t most) {
  uint32_t n = 0;
  while (most - n >= 8 && delta_word(a_end - n - 8) == delta_word(b_end - n - 8)) n += 8;
  while (n < most && a_end[-(ptrdiff_t)n - 1] == b_end[-(ptrdiff_t)n - 1]) n++;
  return n;
}

static inline bool delta_frame_starts(const uint8_t *stack, uint32_t at) {
  return at == 0 || !(stack[at - 1] & 0x80);
}

/* Moves on to `sample` and says how much of the stack is shared; samples are asked for in ascending
 * order. */
static inline void delta_move(struct stack_delta *d, size_t sample) {
  const struct samples *s = d->reader.samples;
  const uint32_t *map = stack_map(&d->reader, sample);
  const uint8_t *stack = s->stack[sample];
  uint32_t size = s->stack_size[sample], shared = 0;
  if (d->started && map == d->map) {
    uint32_t most = size < d->size ? size : d->size;
    shared = delta_suffix(stack + size, d->stack + d->size, most);
    /* A frame is shared only when it begins there in both. */
    if (shared && (!delta_frame_starts(stack, size - shared) ||
                   !delta_frame_starts(d->stack, d->size - shared))) {
      while (stack[size - shared] & 0x80) shared--;
      shared--;
    }
  }
  d->started = true;
  d->map = map;
  d->stack = stack;
  d->size = size;
  d->shared = shared;
}

/* Reads the frames that are not shared. */
static inline void delta_read(struct stack_delta *d) {
  const uint32_t *map = d->map;
  const uint8_t *p = d->stack, *end = p + d->size, *stop = end - d->shared;
  size_t count = 0;
  while (p < stop) {
    uint32_t id, offset = (uint32_t)(end - p);
    p = stack_varint(p, &id);
    uint32_t location = map ? map[id] : id - 1;
    d->fresh[count] = (struct fresh_frame){location, offset};
    count += location != LOCATION_HIDDEN;
  }
  d->count = count;
}

static inline void delta_next(struct stack_delta *d, size_t sample) {
  delta_move(d, sample);
  delta_read(d);
}

static inline bool delta_init(struct stack_delta *d, const pprofc_allocator *mem,
                              const struct samples *samples, size_t first) {
  *d = (struct stack_delta){.reader = stack_reader_at(samples, first)};
  d->fresh = mem_array(mem, samples->max_depth + 1, sizeof *d->fresh);
  return d->fresh != NULL;
}

static inline void delta_free(struct stack_delta *d, const pprofc_allocator *mem) {
  mem_free(mem, d->fresh, d->reader.samples->max_depth + 1, sizeof *d->fresh);
}

#endif
