/* Packed stacks: how samples store their stacks, how they are read, and how edits change them.
 *
 * The packed form. A stack is a run of varints, leaf first. Most stacks stay in the memory of the
 * input, so the reader copies nothing. Consecutive samples form a segment, and the map of the
 * segment turns varint v into location map[v]. In a segment without a map, varint v means location
 * v - 1. The entry LOCATION_HIDDEN removes the frame from every stack of the segment. Two runs of
 * one segment with equal bytes are equal stacks. The varints of a stored stack are whole, fit 32
 * bits and have an entry in the map. The reader, the builder and the edits check this before they
 * store a stack, so the functions below check nothing.
 *
 * Shared tails. Consecutive samples of real profiles share most of their callers, which are the
 * last bytes of their runs. A loop over samples keeps a result for each frame of the previous
 * stack. The index of a result is the number of bytes from the frame to the end of the run. The
 * loop calls stack_shared_tail for the number of shared bytes, and continues from there towards the
 * leaf.
 *
 * Copy-on-write. A finished profile does not change. An edit makes a copy with profile_edit; the
 * copy points to all columns of the source, and its region keeps the source's region alive. The
 * edit allocates the columns that it changes in the copy's region. edit_finish passes the copy to
 * the caller or releases it. An edit of stacks writes little:
 *   - to cut a stack at the leaf or root end, it writes new `stack` and `stack_size` columns that
 *     point into the same bytes (edit_cut_stacks);
 *   - to hide locations, it writes new maps (edit_hide, segment_hide);
 *   - to add frames, it writes new runs and longer maps (tag_frames.c, segment_extend). If only the
 *     edit can read the old runs, it returns their pages to the system (region_discard);
 *   - to merge, it writes a map for each segment of a large source and new runs for small sources
 *     (merge/merge_write.c).
 * The bytes of a run are never overwritten: they may be part of the input, and several samples,
 * profiles and threads may read them.
 *
 * In place. A large profile that passes through four filters would be copied four times. To avoid
 * the copies, a caller sets profile->disposable if it will only release the profile after the edit.
 * If no other code has a reference to this profile or its region, profile_edit stores the region as
 * the copy's `lender`. edit_column then returns the old column, or a new column if another region
 * also uses the memory of the old column. Every edit follows rules that are safe in both cases:
 *   - only the edit writes, between profile_edit and edit_finish, which resets `lender`; worker
 *     threads write disjoint ranges;
 *   - it writes entries in ascending order, because the new column may be the old one. Before it
 *     writes entry n, it reads all source entries up to n;
 *   - it does not read the source through the old profile after it has begun to write;
 *   - after an edit, even a failed edit, the caller only releases the source.
 * One more function writes into the memory of its sources: append_difference
 * (transform/combine/append.c) owns both profiles and extends the columns of the first. */
#ifndef PPROFC_PROFILE_STACK_H
#define PPROFC_PROFILE_STACK_H

#include "profile/profile.h"

/* ---- one stack --------------------------------------- */

/* The unread frames of a stack: the bytes from `leaf` up to `root`. The functions below take frames
 * from the leaf end or from the root end. */
struct packed_stack {
  const uint8_t *leaf, *root;
  const uint32_t *map; /* `map` of the segment that contains the stack, or NULL */
};

/* Returns the location for an id from a stack: id - 1 if `map` is NULL, else map[id], which may be
 * LOCATION_HIDDEN. */
static inline uint32_t stack_location(const uint32_t *map, uint32_t id) {
  return map ? map[id] : id - 1;
}

/* Takes the varint at the leaf end. Returns false if no frame is left. */
static inline bool stack_take_leaf_id(struct packed_stack *s, uint32_t *id) {
  if (s->leaf >= s->root) return false;
  s->leaf = varint_next(s->leaf, id);
  return true;
}

/* Takes the varint at the root end. Returns false if no frame is left. */
static inline bool stack_take_root_id(struct packed_stack *s, uint32_t *id) {
  if (s->root <= s->leaf) return false;
  s->root = varint_before(s->leaf, s->root, id);
  return true;
}

/* Takes the location at the leaf end. Skips hidden locations. Returns false if no frame is left. */
static inline bool stack_take_leaf(struct packed_stack *s, uint32_t *location) {
  uint32_t id;
  while (stack_take_leaf_id(s, &id)) {
    uint32_t found = stack_location(s->map, id);
    if (found == LOCATION_HIDDEN) continue;
    *location = found;
    return true;
  }
  return false;
}

/* Stores the locations of a stack in `frames`, leaf first, and returns their number. `frames` has
 * space for max_depth locations. */
static inline size_t stack_unpack(struct packed_stack stack, uint32_t *frames) {
  size_t depth = 0;
  while (stack_take_leaf(&stack, &frames[depth])) depth++;
  return depth;
}

/* ---- shared tails ------------------------------------ */

/* Returns the number of equal bytes at the ends of a and b. Compares at most `most` bytes. */
static inline size_t stack_equal_bytes(const uint8_t *a_end, const uint8_t *b_end, size_t most) {
  size_t n = 0;
  if (a_end == b_end) return most; /* both stacks are the same memory */
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

/* Returns the number of bytes that two packed stacks share at their root ends, rounded down to
 * whole frames. Both stacks must be in one segment, or their varints must mean the same
 * locations. */
static inline size_t stack_shared_tail(const uint8_t *a, size_t a_size, const uint8_t *b,
                                       size_t b_size) {
  size_t n = stack_equal_bytes(a + a_size, b + b_size, a_size < b_size ? a_size : b_size);
  const uint8_t *at_a = a + a_size - n, *at_b = b + b_size - n;
  if ((at_a == a || at_a[-1] < 0x80) && (at_b == b || at_b[-1] < 0x80)) return n;
  for (; n && *at_a >= 0x80; at_a++)
    n--; /* skip the rest of a varint that begins before the shared bytes */
  return n ? n - 1 : 0;
}

/* Returns the number of bytes at the root end that a stack shares with the previous stack. Returns
 * 0 if the stacks have different maps. */
static inline size_t stack_shared(const struct packed_stack *previous,
                                  const struct packed_stack *stack) {
  if (stack->map != previous->map) return 0;
  return stack_shared_tail(previous->leaf, (size_t)(previous->root - previous->leaf), stack->leaf,
                           (size_t)(stack->root - stack->leaf));
}

/* Returns a stack without frames, for use as the previous stack of the first sample. */
static inline struct packed_stack stack_none(void) {
  static const uint8_t nothing;
  return (struct packed_stack){&nothing, &nothing, NULL};
}

/* ---- samples in order -------------------------------- */

/* Reads the stacks of samples in ascending order. Remembers the segment of the current sample. */
struct stack_reader {
  const struct samples *samples;
  size_t segment;
  size_t segment_end;
};

static inline size_t segment_end(const struct samples *s, size_t segment) {
  return segment + 1 < s->segment_count ? s->segments[segment + 1].first : s->count;
}

/* Returns a reader that starts at sample `first`. Takes time logarithmic in the number of
 * segments. */
static inline struct stack_reader stack_reader_at(const struct samples *s, size_t first) {
  struct stack_reader reader = {s, 0, 0};
  if (!s->segment_count) return reader;
  for (size_t end = s->segment_count; end - reader.segment > 1;) {
    size_t middle = reader.segment + (end - reader.segment) / 2;
    if (s->segments[middle].first > first)
      end = middle;
    else
      reader.segment = middle;
  }
  reader.segment_end = segment_end(s, reader.segment);
  return reader;
}

/* Returns the map from varints to locations for the segment that contains `sample`. Call this
 * function with ascending sample indices. */
static inline const uint32_t *stack_map(struct stack_reader *reader, size_t sample) {
  while (sample >= reader->segment_end && reader->segment + 1 < reader->samples->segment_count)
    reader->segment_end = segment_end(reader->samples, ++reader->segment);
  return reader->samples->segments[reader->segment].map;
}

/* Returns the stack of `sample`. Call this function with ascending sample indices. */
static inline struct packed_stack stack_of(struct stack_reader *reader, size_t sample) {
  const struct samples *s = reader->samples;
  const uint8_t *leaf = s->stack[sample];
  return (struct packed_stack){leaf, leaf + s->stack_size[sample], stack_map(reader, sample)};
}

/* Stores the locations of the stack of `sample` in `frames`, leaf first, and returns their number.
 * `frames` has space for max_depth locations. */
static inline size_t stack_read(struct stack_reader *reader, size_t sample, uint32_t *frames) {
  return stack_unpack(stack_of(reader, sample), frames);
}

/* ---- renumbered stacks ------------------------------- */

/* The varint of a location's new index. An edit keeps a table of these codes, and rewrites each
 * frame of a stack with one load and one store of 8 bytes. */
struct stack_code {
  uint8_t bytes[7]; /* the varint, up to 32 bits, followed by unused bytes */
  uint8_t size;     /* size of the varint in bytes; 0 for a hidden location */
};

static inline struct stack_code stack_code_of(uint32_t number) {
  struct stack_code code = {{0}, 0};
  code.size = (uint8_t)varint_put(code.bytes, number);
  return code;
}

/* Writes the code at `out`, which has space for 8 bytes. Returns the address after the code. */
static inline uint8_t *stack_put_code(uint8_t *out, const struct stack_code *code) {
  memcpy(out, code, sizeof *code);
  return out + code->size;
}

/* Returns the size of the largest stack in bytes; for stack trees, an upper bound of it. */
size_t stack_longest(const struct samples *samples);

/* Returns the position of a sample in the order of its file. The samples of later segments have
 * higher positions. Without a tree, returns the index of the sample. */
uint32_t stack_position(const struct samples *samples, size_t sample);

/* ---- maps of segments -------------------------------- */

/* Hides the locations i with hidden[i] != 0 in a segment (range of samples). *plain caches the map
 * for segments without a map, and is NULL at first. Returns false when out of memory. */
bool segment_hide(struct arena *arena, struct segment *segment, const uint8_t *hidden,
                  size_t locations, const uint32_t **plain);

/* Adds `more` new locations to the map of a segment. There are `locations` locations so far. Sets
 * `base`: in the new map, the varint base + i stands for the location with the index locations + i.
 * Returns false when out of memory. */
bool segment_extend(struct arena *arena, struct segment *segment, size_t locations, size_t more,
                    size_t *base);

#endif
