/* Walks the frames of one sample's stack, from the root or from the leaf, without unpacking it. */
#ifndef PPROFC_STACKS_CURSOR_H
#define PPROFC_STACKS_CURSOR_H

#include "profile/stack.h"
#include "stacks/stacks.h"

/* The place of the stacks of a set, and the direction in which they are read. */
struct stack_source {
  const struct stack_frames *frames;
  const struct samples *samples;
  const uint32_t *sample; /* sample of each stack; NULL if stacks have the numbers of samples */
  bool from_leaf;
  size_t max_depth; /* frames that count; SIZE_MAX: all */
};

/* A place in a stack: the cursor has passed `at` bytes of its locations, and `taken` frames of
 * the next location. */
struct cursor_place {
  uint32_t at, taken;
};

struct frame_cursor {
  const struct stack_source *source;
  const uint8_t *leaf;
  const uint32_t *map;
  uint32_t size;
  struct cursor_place place;
};

/* The map of the segment of any sample. */
static inline const uint32_t *cursor_map(const struct samples *s, size_t sample) {
  size_t low = 0, high = s->segment_count;
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if (s->segments[middle].first <= sample)
      low = middle;
    else
      high = middle;
  }
  return s->segments[low].map;
}

static inline struct frame_cursor frame_cursor_at(const struct stack_source *source, size_t stack,
                                                  struct cursor_place place) {
  const struct samples *s = source->samples;
  size_t sample = source->sample ? source->sample[stack] : stack;
  return (struct frame_cursor){source, s->stack[sample], cursor_map(s, sample),
                               s->stack_size[sample], place};
}

static inline struct frame_cursor frame_cursor_begin(const struct stack_source *source,
                                                     size_t stack) {
  return frame_cursor_at(source, stack, (struct cursor_place){0, 0});
}

/* The next location that is not hidden, and the bytes that it ends at; false at the end. */
static inline bool cursor_location(struct frame_cursor *c, uint32_t *location, uint32_t *end) {
  while (c->place.at < c->size) {
    uint32_t id;
    if (c->source->from_leaf) {
      *end = (uint32_t)(varint_next(c->leaf + c->place.at, &id) - c->leaf);
    } else {
      const uint8_t *root = c->leaf + (c->size - c->place.at);
      *end = c->size - (uint32_t)(varint_before(c->leaf, root, &id) - c->leaf);
    }
    *location = stack_location(c->map, id);
    if (*location != LOCATION_HIDDEN) return true;
    c->place = (struct cursor_place){*end, 0};
  }
  return false;
}

/* True if two stacks are ends of the same bytes, as stacks of paths in a tree are
 * (import/call_paths.h): from the root, the one with fewer bytes is the beginning of the other. */
static inline bool cursor_is_same_path(const struct frame_cursor *a, const struct frame_cursor *b) {
  return a->size && b->size && a->leaf + a->size == b->leaf + b->size && a->map == b->map &&
         !a->source->from_leaf;
}

/* Takes a frame; false at the end of the stack. The caller counts the depth. */
static inline bool frame_cursor_next(struct frame_cursor *c, uint32_t *frame) {
  const struct stack_frames *f = c->source->frames;
  uint32_t location, end;
  while (cursor_location(c, &location, &end)) {
    uint32_t from = f->location_from[location], to = f->location_from[location + 1];
    uint32_t taken = c->place.taken++;
    if (from + taken + 1 >= to) c->place = (struct cursor_place){end, 0};
    if (from + taken >= to) continue; /* a location without frames */
    *frame = f->location_frames[c->source->from_leaf ? to - 1 - taken : from + taken];
    return true;
  }
  return false;
}

/* Returns the number of frames left. */
static inline uint64_t frame_cursor_rest(struct frame_cursor c) {
  const uint32_t *from = c.source->frames->location_from;
  uint64_t rest = 0;
  uint32_t location, end;
  while (cursor_location(&c, &location, &end)) {
    rest += from[location + 1] - from[location] - c.place.taken;
    c.place = (struct cursor_place){end, 0};
  }
  return rest;
}

/* Sorted stacks come in no order of memory. Before the stack at `at` of `order` is read, these read
 * a byte of what the next ones need, one level of pointers after the other, so that the processor
 * waits for many at once. Prefetches do not do: they end where an address is not in the TLB. */
#define CURSOR_FAR  16
#define CURSOR_NEAR 8

static inline void cursor_touch_ahead(const struct samples *s, const uint32_t *sample,
                                      const uint32_t *order, size_t at, size_t count) {
  if (at + CURSOR_FAR >= count) return;
  size_t far = order ? order[at + CURSOR_FAR] : at + CURSOR_FAR;
  size_t near = order ? order[at + CURSOR_NEAR] : at + CURSOR_NEAR;
  if (sample) far = sample[far];
  if (sample) near = sample[near];
  (void)*(const uint8_t *const volatile *)&s->stack[far];
  (void)*(const volatile uint32_t *)&s->stack_size[far];
  const uint8_t *leaf = s->stack[near];
  uint32_t size = s->stack_size[near];
  for (uint32_t byte = 0; byte < size && byte < 256; byte += 64)
    (void)*(const volatile uint8_t *)&leaf[byte];
  if (size) (void)*(const volatile uint8_t *)&leaf[size - 1];
}

#endif
