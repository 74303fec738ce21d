/* Reads the stacks of samples in order, each as the difference from the previous stack. In real
 * profiles, consecutive stacks share most of their callers, so a loop over the samples handles most
 * frames only once. */
#ifndef PPROFC_PROFILE_DELTA_H
#define PPROFC_PROFILE_DELTA_H

#include "profile/stack.h"
#include "profile/stack_tree.h"

/* A frame that the previous stack does not have. `offset` is the number of bytes from the first
 * byte of the frame to the end of the stack, so it increases towards the leaf. */
struct fresh_frame {
  uint32_t location, offset;
};

struct stack_delta {
  struct stack_reader reader;
  struct stack_cursor cursor; /* cursor at the current stack, if the profile has a stack tree */
  /* table from varints to locations for the current segment (a range of samples with the same
   * table); NULL: varint v means location v - 1 */
  const uint32_t *map;
  struct packed_stack stack;
  uint32_t size;   /* size of the current stack in bytes */
  uint32_t shared; /* number of bytes at the root end that are the same as in the previous stack */
  /* Frames that the previous stack does not have, leaf first; space for max_depth + 1. */
  struct fresh_frame *fresh;
  size_t count;
};

/* Makes the cursor's stack the current stack. */
static inline void delta_take_cursor(struct stack_delta *d) {
  d->size = d->cursor.size;
  d->stack = (struct packed_stack){d->cursor.end - d->size, d->cursor.end, d->map};
}

/* Moves the cursor to the tree that has the stack of `sample`, because each segment (a range of
 * samples) has its own tree. */
static inline void delta_enter_tree(struct stack_delta *d, size_t sample) {
  struct stack_reader *r = &d->reader;
  const struct samples *s = r->samples;
  d->map = stack_map(r, sample);
  stack_cursor_enter(&d->cursor, &s->tree[r->segment], s->segments[r->segment].first);
}

/* Moves to the stack of `sample`, and sets `shared`. Call this function with ascending sample
 * indices. */
static inline void delta_move(struct stack_delta *d, size_t sample) {
  if (d->cursor.tree) {
    if (sample >= d->reader.segment_end) delta_enter_tree(d, sample);
    d->shared = stack_cursor_move(&d->cursor, sample);
    delta_take_cursor(d);
    return;
  }
  struct packed_stack stack = stack_of(&d->reader, sample);
  d->shared = (uint32_t)stack_shared(&d->stack, &stack);
  d->stack = stack;
  d->size = (uint32_t)(stack.root - stack.leaf);
}

/* Fills `fresh` with the frames that the previous stack does not have. */
static inline void delta_read(struct stack_delta *d) {
  const uint8_t *end = d->stack.root;
  struct packed_stack rest = {d->stack.leaf, end - d->shared, d->stack.map};
  size_t count = 0;
  uint32_t id, offset = d->size;
  while (stack_take_leaf_id(&rest, &id)) {
    uint32_t location = stack_location(rest.map, id);
    d->fresh[count] = (struct fresh_frame){location, offset};
    count += location != LOCATION_HIDDEN;
    offset = (uint32_t)(end - rest.leaf);
  }
  d->count = count;
}

static inline void delta_next(struct stack_delta *d, size_t sample) {
  delta_move(d, sample);
  delta_read(d);
}

/* Restarts at the sample `first`, as if it were the first sample of the profile. */
static inline void delta_restart(struct stack_delta *d, size_t first) {
  const struct samples *samples = d->reader.samples;
  d->reader = stack_reader_at(samples, first);
  d->stack = stack_none();
  if (samples->tree) delta_enter_tree(d, first);
}

static inline void delta_free(struct stack_delta *d, const pprofc_allocator *mem) {
  if (d->cursor.tree) stack_cursor_free(&d->cursor, mem);
  mem_free(mem, d->fresh, d->reader.samples->max_depth + 1, sizeof *d->fresh);
}

static inline bool delta_init(struct stack_delta *d, const pprofc_allocator *mem,
                              const struct samples *samples, size_t first) {
  *d = (struct stack_delta){.reader = stack_reader_at(samples, first), .stack = stack_none()};
  d->fresh = mem_array(mem, samples->max_depth + 1, sizeof *d->fresh);
  bool room =
      !samples->tree || stack_cursor_init(&d->cursor, mem, samples->tree, samples->segment_count);
  if (room && samples->tree) delta_enter_tree(d, first);
  if (d->fresh && room) return true;
  delta_free(d, mem);
  return false;
}

#endif
