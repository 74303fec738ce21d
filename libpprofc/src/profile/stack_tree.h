/* Tree of stacks: stores only once the bytes that stacks share at their root ends.
 *
 * A stack is cut from its root end into chunks of STACK_CHUNK bytes, regardless of the boundaries
 * of varints. Two stacks share a chunk if the chunk and all chunks nearer to the root are equal.
 * Each stack stores its own rest at the leaf end, which is shorter than a chunk. The samples of a
 * profile with a tree are sorted by their chunks. Only the functions of profile/delta.h read such
 * stacks: they build each stack from the previous stack. */
#ifndef PPROFC_PROFILE_STACK_TREE_H
#define PPROFC_PROFILE_STACK_TREE_H

#include "core/base.h"

#define STACK_CHUNK 28

#define STACK_TREE_ALL UINT32_MAX

struct stack_chunk {
  uint32_t parent; /* index of the next chunk towards the root; 0: no chunk */
  uint8_t bytes[STACK_CHUNK];
};

struct stack_ref {
  uint32_t chunk; /* index of the stack's chunk nearest to the leaf; 0: no chunk */
  uint32_t leaf;  /* offset in `leaves` of the stack's bytes outside of chunks */
  uint32_t size;  /* size of the stack in bytes */
  uint32_t label_set;
};

struct stack_tree {
  const struct stack_chunk *chunks; /* chunks of all stacks; indices start at 1 */
  size_t chunk_count;
  const uint8_t *leaves;        /* stack bytes outside of chunks, after STACK_CHUNK zeros */
  const struct stack_ref *refs; /* references to stacks, in the order of the file */
  size_t ref_count;             /* number of elements of `refs`, from which filters drop nothing */
  const uint32_t *sorted;       /* for each sample, the index of its reference in `refs` */
  size_t count;                 /* number of samples */
  uint32_t longest;             /* size of the largest stack in bytes */
  uint32_t type;                /* the only sample type with values, or STACK_TREE_ALL */
  bool labels;                  /* true if the reader dropped no labels */
};

/* Cursor over the stacks of several trees. `room` is a buffer that contains the current stack.
 * `end` is the end of the stack, after the byte nearest to the root. */
struct stack_cursor {
  const struct stack_tree *tree;
  size_t first;     /* index of the current tree's first sample in the profile */
  uint32_t longest; /* size of the largest stack of any tree in bytes */
  uint8_t *room;
  uint8_t *end;
  uint32_t *path; /* indices of the stack's chunks; the chunk at the root is first */
  uint32_t size;
};

/* Prepares a cursor for the trees. The caller calls stack_cursor_enter before the first move.
 * Returns false when out of memory. */
bool stack_cursor_init(struct stack_cursor *cursor, const pprofc_allocator *mem,
                       const struct stack_tree *trees, size_t count);
/* Moves to a tree whose first stack belongs to sample `first`. The next stack is built as if no
 * stack preceded it. */
void stack_cursor_enter(struct stack_cursor *cursor, const struct stack_tree *tree, size_t first);
void stack_cursor_free(struct stack_cursor *cursor, const pprofc_allocator *mem);

/* Builds the stack of a sample. Returns the number of bytes at the root end that this stack shares
 * with the previous stack, rounded down to whole frames. */
uint32_t stack_cursor_move(struct stack_cursor *cursor, size_t sample);

/* Copies a stack to `out`, which has space for the whole stack. */
void stack_tree_copy(const struct stack_tree *tree, const struct stack_ref *ref, uint8_t *out);

/* True if the stack equals `data`, which has the same size. */
static inline bool stack_tree_equal(const struct stack_tree *tree, const struct stack_ref *ref,
                                    const uint8_t *data) {
  size_t at = ref->size % STACK_CHUNK;
  if (at && memcmp(tree->leaves + ref->leaf, data, at) != 0) return false;
  for (uint32_t chunk = ref->chunk; chunk; at += STACK_CHUNK) {
    const struct stack_chunk *c = &tree->chunks[chunk];
    if (memcmp(c->bytes, data + at, STACK_CHUNK) != 0) return false;
    chunk = c->parent;
  }
  return true;
}

/* Sorts samples by stack, so that stacks with many common frames are adjacent. from[i] becomes the
 * sample at position i. Returns false when out of memory. */
bool stack_tree_order(const struct stack_tree *tree, size_t count, const pprofc_allocator *mem,
                      uint32_t *from);

#endif
