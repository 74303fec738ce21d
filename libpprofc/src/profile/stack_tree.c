/* Builds the stacks of a stack tree one after another, and sorts samples by stack. */
#include "profile/stack_tree.h"
#include "profile/stack.h"

/* ---- segments --------------------------------------- */

size_t stack_longest(const struct samples *s) {
  uint32_t longest = 0;
  for (size_t i = 0; s->tree && i < s->segment_count; i++)
    if (s->tree[i].longest > longest) longest = s->tree[i].longest;
  for (size_t i = 0; !s->tree && i < s->count; i++)
    if (s->stack_size[i] > longest) longest = s->stack_size[i];
  return longest;
}

uint32_t stack_position(const struct samples *s, size_t sample) {
  size_t before = 0, k = 0;
  if (!s->tree) return (uint32_t)sample;
  for (; k + 1 < s->segment_count && s->segments[k + 1].first <= sample; k++)
    before += s->tree[k].ref_count;
  return (uint32_t)before + s->tree[k].sorted[sample - s->segments[k].first];
}

/* Returns a map for segments without a map. In the returned map, varint i + 1 means location i, or
 * LOCATION_HIDDEN if hidden[i] is set. */
static const uint32_t *stack_plain_map(struct arena *arena, const uint8_t *hidden,
                                       size_t locations) {
  uint32_t *map = arena_array(arena, locations + 1, sizeof *map);
  if (!map) return NULL;
  map[0] = LOCATION_HIDDEN;
  for (uint32_t i = 0; i < locations; i++) map[i + 1] = hidden[i] ? LOCATION_HIDDEN : i;
  return map;
}

static const uint32_t *stack_other_map(struct arena *arena, const struct segment *segment,
                                       const uint8_t *hidden) {
  uint32_t *map = arena_array(arena, segment->map_size, sizeof *map);
  if (!map) return NULL;
  for (size_t v = 0; v < segment->map_size; v++) {
    uint32_t location = segment->map[v];
    map[v] = location == LOCATION_HIDDEN || hidden[location] ? LOCATION_HIDDEN : location;
  }
  return map;
}

bool segment_hide(struct arena *arena, struct segment *segment, const uint8_t *hidden,
                  size_t locations, const uint32_t **plain) {
  if (segment->map) {
    segment->map = stack_other_map(arena, segment, hidden);
    return segment->map != NULL;
  }
  if (!*plain) *plain = stack_plain_map(arena, hidden, locations);
  segment->map = *plain;
  segment->map_size = locations + 1;
  return segment->map != NULL;
}

bool segment_extend(struct arena *arena, struct segment *segment, size_t locations, size_t more,
                    size_t *base) {
  if (!segment->map) {
    *base = locations + 1;
    return true;
  }
  size_t old = segment->map_size;
  uint32_t *map = arena_extend(arena, segment->map, old, more, sizeof *map);
  if (!map) return false;
  for (size_t i = 0; i < more; i++) map[old + i] = (uint32_t)(locations + i);
  segment->map = map;
  segment->map_size = old + more;
  *base = old;
  return old + more < NONE;
}

/* Distances in samples between the current sample and the samples whose data is prefetched. */
#define FETCH_REF    32
#define FETCH_STACK  16
#define FETCH_PARENT 8

/* Returns the size of a cursor's buffer in bytes. The cursor fills the buffer from its end to its
 * start, and always copies STACK_CHUNK bytes. So the last copy may begin up to STACK_CHUNK bytes
 * before the stack. The buffer has space for these bytes. */
static size_t stack_cursor_room(const struct stack_cursor *c) {
  return STACK_CHUNK + (size_t)c->longest;
}

static size_t stack_cursor_levels(const struct stack_cursor *c) {
  return c->longest / STACK_CHUNK + 1;
}

bool stack_cursor_init(struct stack_cursor *c, const pprofc_allocator *mem,
                       const struct stack_tree *trees, size_t count) {
  *c = (struct stack_cursor){.tree = trees};
  for (size_t i = 0; i < count; i++)
    if (trees[i].longest > c->longest) c->longest = trees[i].longest;
  c->room = mem_zero_array(mem, stack_cursor_room(c), 1);
  c->path = mem_zero_array(mem, stack_cursor_levels(c), sizeof *c->path);
  return c->room && c->path;
}

void stack_cursor_enter(struct stack_cursor *c, const struct stack_tree *tree, size_t first) {
  c->tree = tree;
  c->first = first;
  c->end = c->room + stack_cursor_room(c);
  c->size = 0;
}

void stack_cursor_free(struct stack_cursor *c, const pprofc_allocator *mem) {
  mem_free(mem, c->room, stack_cursor_room(c), 1);
  mem_free(mem, c->path, stack_cursor_levels(c), sizeof *c->path);
}

/* Stores in c->path the chunks (parts of a stack) that differ from the previous stack. Returns how
 * many chunks the two stacks share. */
static size_t stack_cursor_follow(struct stack_cursor *c, uint32_t chunk, size_t level) {
  size_t known = c->size / STACK_CHUNK;
  for (; chunk && (level > known || c->path[level - 1] != chunk); level--) {
    c->path[level - 1] = chunk;
    chunk = c->tree->chunks[chunk].parent;
  }
  return level;
}

/* Returns how many bytes at the root end the new stack shares with the stack in the buffer. The
 * stacks share `shared` chunks and differ in the next chunk. */
static size_t stack_cursor_equal(const struct stack_cursor *c, const struct stack_ref *ref,
                                 size_t shared) {
  size_t n = shared * STACK_CHUNK, most = ref->size - n < STACK_CHUNK ? ref->size - n : STACK_CHUNK;
  if (!most) return n;
  const uint8_t *data = c->tree->leaves + ref->leaf;
  if (most == STACK_CHUNK) data = c->tree->chunks[c->path[shared]].bytes;
  const uint8_t *end = data + most;
  if (most > c->size - n) most = c->size - n;
  return n + stack_equal_bytes(c->end - n, end, most);
}

/* Prefetches data of later samples: the reference, the chunk and the bytes outside of chunks, and
 * the parent of a chunk. These reads are scattered, because samples are sorted by stack, but chunks
 * are in the order of the file. The function must be inlined, because gcc removes calls of
 * functions that only prefetch. */
static inline __attribute__((always_inline)) void stack_cursor_fetch(const struct stack_tree *tree,
                                                                     size_t sample) {
  __builtin_prefetch(&tree->refs[tree->sorted[sample + FETCH_REF]]);
  const struct stack_ref *far = &tree->refs[tree->sorted[sample + FETCH_STACK]];
  /* `leaves` may be NULL, and pointer arithmetic on NULL is undefined, so compute with integers. */
  uintptr_t leaf_end = (uintptr_t)tree->leaves + far->leaf + far->size % STACK_CHUNK;
  if (far->chunk) __builtin_prefetch(&tree->chunks[far->chunk]);
  __builtin_prefetch((const void *)(leaf_end - STACK_CHUNK));
  __builtin_prefetch((const void *)(leaf_end - 1));
  uint32_t chunk = tree->refs[tree->sorted[sample + FETCH_PARENT]].chunk;
  if (chunk) __builtin_prefetch(&tree->chunks[tree->chunks[chunk].parent]);
}

uint32_t stack_cursor_move(struct stack_cursor *c, size_t sample) {
  sample -= c->first;
  if (sample + FETCH_REF < c->tree->count) stack_cursor_fetch(c->tree, sample);
  const struct stack_ref *ref = &c->tree->refs[c->tree->sorted[sample]];
  size_t levels = ref->size / STACK_CHUNK, rest = ref->size % STACK_CHUNK;
  size_t level = stack_cursor_follow(c, ref->chunk, levels);
  size_t n = stack_cursor_equal(c, ref, level);
  bool whole = n == c->size || *(c->end - n - 1) < 0x80;
  while (level < levels) {
    const struct stack_chunk *chunk = &c->tree->chunks[c->path[level++]];
    memcpy(c->end - level * STACK_CHUNK, chunk->bytes, STACK_CHUNK);
  }
  if (rest)
    memcpy(c->end - (levels + 1) * STACK_CHUNK, c->tree->leaves + ref->leaf + rest - STACK_CHUNK,
           STACK_CHUNK);
  c->size = ref->size;
  if (whole && (n == ref->size || *(c->end - n - 1) < 0x80)) return (uint32_t)n;
  /* A frame can begin before the shared bytes and end in them. Skip this frame. */
  for (const uint8_t *at = c->end - n; n && *at >= 0x80; at++) n--;
  return n ? (uint32_t)n - 1 : 0;
}

void stack_tree_copy(const struct stack_tree *tree, const struct stack_ref *ref, uint8_t *out) {
  size_t rest = ref->size % STACK_CHUNK;
  if (rest) memcpy(out, tree->leaves + ref->leaf, rest);
  out += rest;
  for (uint32_t chunk = ref->chunk; chunk; chunk = tree->chunks[chunk].parent) {
    memcpy(out, tree->chunks[chunk].bytes, STACK_CHUNK);
    out += STACK_CHUNK;
  }
}

/* ---- order ------------------------------------------- */

/* An item that is sorted: a chunk among the children of the same parent, or a sample among the
 * samples of the same chunk. */
struct stack_tree_item {
  uint32_t key;
  uint32_t index;
};

/* Returns the last 4 of the `size` bytes before `end` as a number. The most significant byte is
 * nearest to the root. The 4 bytes before `end` are readable even if the data is shorter. */
static uint32_t stack_tree_key(const uint8_t *end, size_t size) {
  uint32_t key;
  memcpy(&key, end - sizeof key, sizeof key);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  key = __builtin_bswap32(key);
#endif
  if (size >= sizeof key) return key;
  return size ? key & UINT32_MAX << (sizeof key - size) * 8 : 0;
}

/* Number of items up to which insertion sort is the fastest. */
#define STACK_TREE_FEW 24

/* Copies items to `to`, sorted by a byte of their keys. Items with the same byte keep their
 * order. */
static void stack_tree_sort_byte(const struct stack_tree_item *items, struct stack_tree_item *to,
                                 size_t count, unsigned shift) {
  uint32_t place[256] = {0}, next = 0;
  for (size_t i = 0; i < count; i++) place[items[i].key >> shift & 0xFF]++;
  for (size_t i = 0; i < 256; i++) {
    uint32_t size = place[i];
    place[i] = next;
    next += size;
  }
  for (size_t i = 0; i < count; i++) to[place[items[i].key >> shift & 0xFF]++] = items[i];
}

/* Sorts items by key. Items with the same key keep their order. `scratch` has space for all
 * items. */
static void stack_tree_sort(struct stack_tree_item *items, struct stack_tree_item *scratch,
                            size_t count) {
  if (count > STACK_TREE_FEW) {
    for (unsigned shift = 0; shift < 32; shift += 16) {
      stack_tree_sort_byte(items, scratch, count, shift);
      stack_tree_sort_byte(scratch, items, count, shift + 8);
    }
    return;
  }
  for (size_t i = 1; i < count; i++) {
    struct stack_tree_item item = items[i];
    size_t at = i;
    for (; at && items[at - 1].key > item.key; at--) items[at] = items[at - 1];
    items[at] = item;
  }
}

/* Groups of items. Group g is items[from[g]] up to items[from[g + 1]]. */
struct stack_tree_groups {
  struct stack_tree_item *items, *scratch;
  uint32_t *from; /* for each group, the index of its first item; one more element has the end of
                     the last group */
};

/* Converts the sizes of groups to starts. Before the call, from[g + 1] is the size of group g.
 * After the call, from[g + 1] is the start of group g. */
static void stack_tree_begin(struct stack_tree_groups *s, size_t groups) {
  uint32_t first = 0;
  for (size_t g = 0; g < groups; g++) {
    uint32_t size = s->from[g + 1];
    s->from[g + 1] = first;
    first += size;
  }
}

static void stack_tree_sort_groups(const struct stack_tree_groups *s, size_t groups) {
  for (size_t g = 0; g < groups; g++)
    stack_tree_sort(s->items + s->from[g], s->scratch, s->from[g + 1] - s->from[g]);
}

/* Groups chunks (parts of stacks) by parent, and sorts each group. */
static void stack_tree_group_chunks(const struct stack_tree *tree, struct stack_tree_groups *s) {
  size_t chunks = tree->chunk_count + 1;
  for (size_t i = 1; i < chunks; i++) s->from[tree->chunks[i].parent + 1]++;
  stack_tree_begin(s, chunks);
  for (size_t i = 1; i < chunks; i++) {
    const struct stack_chunk *c = &tree->chunks[i];
    s->items[s->from[c->parent + 1]++] =
        (struct stack_tree_item){stack_tree_key(c->bytes + STACK_CHUNK, STACK_CHUNK), (uint32_t)i};
  }
  stack_tree_sort_groups(s, chunks);
}

/* Sets place[i] to the position of chunk i in preorder, in which parents precede their children. */
static void stack_tree_number(const struct stack_tree *tree, const struct stack_tree_groups *s,
                              uint32_t *place) {
  size_t chunks = tree->chunk_count + 1;
  uint32_t *size = place; /* for each chunk, number of chunks in its subtree; the positions in
                             `place` overwrite these numbers one by one */
  for (size_t i = 0; i < chunks; i++) size[i] = 1;
  for (size_t i = chunks; i-- > 1;) size[tree->chunks[i].parent] += size[i];
  place[0] = 0;
  for (size_t i = 0; i < chunks; i++) {
    uint32_t next = place[i] + 1;
    for (uint32_t k = s->from[i]; k < s->from[i + 1]; k++) {
      uint32_t chunk = s->items[k].index, all = size[chunk];
      place[chunk] = next;
      next += all;
    }
  }
}

/* Groups samples by chunk, in the order of `place`, and sorts each group. */
static void stack_tree_group_samples(const struct stack_tree *tree, size_t count,
                                     const uint32_t *place, struct stack_tree_groups *s) {
  size_t chunks = tree->chunk_count + 1;
  memset(s->from, 0, (chunks + 1) * sizeof *s->from);
  for (size_t i = 0; i < count; i++) s->from[place[tree->refs[i].chunk] + 1]++;
  stack_tree_begin(s, chunks);
  for (size_t i = 0; i < count; i++) {
    const struct stack_ref *ref = &tree->refs[i];
    size_t rest = ref->size % STACK_CHUNK;
    uint32_t key = stack_tree_key(tree->leaves + ref->leaf + rest, rest);
    s->items[s->from[place[ref->chunk] + 1]++] = (struct stack_tree_item){key, (uint32_t)i};
  }
  stack_tree_sort_groups(s, chunks);
}

bool stack_tree_order(const struct stack_tree *tree, size_t count, const pprofc_allocator *mem,
                      uint32_t *from) {
  size_t chunks = tree->chunk_count + 1, most = count > chunks ? count : chunks;
  uint32_t *place = mem_array(mem, chunks, sizeof *place);
  struct stack_tree_groups s = {mem_array(mem, most, sizeof *s.items),
                                mem_array(mem, most, sizeof *s.scratch),
                                mem_zero_array(mem, chunks + 1, sizeof *s.from)};
  bool done = place && s.items && s.scratch && s.from;
  if (done) {
    stack_tree_group_chunks(tree, &s);
    stack_tree_number(tree, &s, place);
    stack_tree_group_samples(tree, count, place, &s);
    for (size_t k = 0; k < count; k++) from[k] = s.items[k].index;
  }
  mem_free(mem, place, chunks, sizeof *place);
  mem_free(mem, s.items, most, sizeof *s.items);
  mem_free(mem, s.scratch, most, sizeof *s.scratch);
  mem_free(mem, s.from, chunks + 1, sizeof *s.from);
  return done;
}
