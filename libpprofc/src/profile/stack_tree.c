/* Putting the stacks of a tree together, and their order. */
#include "profile/stack_tree.h"

#include "profile/stack.h"

static size_t stack_cursor_levels(const struct stack_tree *tree) {
  return tree->longest / STACK_CHUNK + 1;
}

bool stack_cursor_init(struct stack_cursor *c, const pprofc_allocator *mem,
                       const struct stack_tree *tree) {
  *c = (struct stack_cursor){.tree = tree};
  c->room = mem_array(mem, (size_t)tree->longest + 1, 1);
  c->path = mem_zero_array(mem, stack_cursor_levels(tree), sizeof *c->path);
  if (c->room) c->end = c->room + tree->longest;
  return c->room && c->path;
}

void stack_cursor_free(struct stack_cursor *c, const pprofc_allocator *mem) {
  mem_free(mem, c->room, (size_t)c->tree->longest + 1, 1);
  mem_free(mem, c->path, stack_cursor_levels(c->tree), sizeof *c->path);
}

/* Puts the chunks of a stack into place, as far as the stack before has others; returns how many of
 * them it had. What the last one that is new replaces goes to `old`. */
static size_t stack_cursor_place(struct stack_cursor *c, uint32_t chunk, size_t level,
                                 uint8_t old[STACK_CHUNK]) {
  size_t known = c->size / STACK_CHUNK;
  for (; chunk; chunk = c->tree->chunks[chunk].parent, level--) {
    if (level <= known && c->path[level - 1] == chunk) break;
    uint8_t *at = c->end - level * STACK_CHUNK;
    c->path[level - 1] = chunk;
    memcpy(old, at, STACK_CHUNK);
    memcpy(at, c->tree->chunks[chunk].bytes, STACK_CHUNK);
  }
  return level;
}

/* The whole frames among the first `n` bytes from the root that two stacks share, of which the
 * bytes before are those at `old` and `now`; NULL: the stack has no more. */
static uint32_t stack_cursor_whole(const uint8_t *root, size_t n, const uint8_t *old,
                                   const uint8_t *now) {
  if ((!old || *old < 0x80) && (!now || *now < 0x80)) return (uint32_t)n;
  for (const uint8_t *at = root - n; n && *at >= 0x80; at++) n--; /* a varint begins before them */
  return n ? (uint32_t)n - 1 : 0;
}

static uint32_t stack_cursor_move_row(struct stack_cursor *c, size_t sample) {
  if (!c->next || sample >= c->next_sample + STACK_ROW_GROUP) {
    c->next = c->tree->rows + c->tree->row_groups[sample / STACK_ROW_GROUP];
    c->next_sample = sample / STACK_ROW_GROUP * STACK_ROW_GROUP;
  }
  const uint8_t *before = c->end, *stack = c->next;
  uint32_t before_size = c->size;
  for (; c->next_sample <= sample; c->next_sample++) {
    stack = varint_next(c->next, &c->size);
    c->next = stack + c->size;
  }
  c->end = (uint8_t *)(uintptr_t)c->next;
  if (!before_size) return 0;
  return (uint32_t)stack_shared_tail(before - before_size, before_size, stack, c->size);
}

uint32_t stack_cursor_move(struct stack_cursor *c, size_t sample) {
  if (c->tree->rows) return stack_cursor_move_row(c, sample);
  const struct stack_ref *ref = &c->tree->refs[sample];
  size_t levels = ref->size / STACK_CHUNK, rest = ref->size % STACK_CHUNK, before = c->size;
  uint8_t old[STACK_CHUNK] = {0};
  size_t shared = stack_cursor_place(c, ref->chunk, levels, old) * STACK_CHUNK;
  /* The first piece that is new, and what was there. */
  size_t piece = STACK_CHUNK, left = before - shared < piece ? before - shared : piece;
  if (shared == levels * STACK_CHUNK) {
    piece = rest;
    memcpy(old + STACK_CHUNK - left, c->end - shared - left, left);
  }
  if (rest) memcpy(c->end - ref->size, c->tree->leaves + ref->leaf, rest);
  c->size = ref->size;
  const uint8_t *root = c->end;
  size_t equal = stack_equal_bytes(old + STACK_CHUNK, root - shared, left < piece ? left : piece);
  size_t n = shared + equal;
  const uint8_t *then = n < before ? &old[STACK_CHUNK - equal - 1] : NULL;
  const uint8_t *now = n < ref->size ? root - n - 1 : NULL;
  return stack_cursor_whole(root, n, then, now);
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

/* Sets place[i] to the place of chunk i when every chunk comes before those on top of it. */
static void stack_tree_number(const struct stack_tree *tree, uint32_t *place, uint32_t *next) {
  size_t count = tree->chunk_count + 1;
  for (size_t i = 0; i < count; i++) place[i] = 1;
  for (size_t i = count; i-- > 1;) place[tree->chunks[i].parent] += place[i];
  next[0] = 1;
  place[0] = 0;
  for (size_t i = 1; i < count; i++) {
    uint32_t parent = tree->chunks[i].parent, all = place[i];
    place[i] = next[parent];
    next[parent] += all;
    next[i] = place[i] + 1;
  }
}

bool stack_tree_order(const struct stack_tree *tree, size_t count, const pprofc_allocator *mem,
                      uint32_t *to) {
  size_t chunks = tree->chunk_count + 1;
  uint32_t *place = mem_array(mem, chunks, sizeof *place);
  uint32_t *next = mem_array(mem, chunks, sizeof *next);
  bool done = place && next;
  if (done) {
    stack_tree_number(tree, place, next);
    memset(next, 0, chunks * sizeof *next);
    for (size_t i = 0; i < count; i++) next[place[tree->refs[i].chunk]]++;
    uint32_t first = 0;
    for (size_t i = 0; i < chunks; i++) {
      uint32_t here = next[i];
      next[i] = first;
      first += here;
    }
    for (size_t i = 0; i < count; i++) to[i] = next[place[tree->refs[i].chunk]]++;
  }
  mem_free(mem, place, chunks, sizeof *place);
  mem_free(mem, next, chunks, sizeof *next);
  return done;
}
