/* Stacks as a tree: what many stacks end with is stored once.
 *
 * A stack is cut from its root end into chunks of STACK_CHUNK bytes, wherever varints begin. Equal
 * chunks with equal chunks nearer to the root are one. What is left at the leaf end, fewer bytes
 * than a chunk, is stored for each stack. Samples of such a profile are sorted by their chunks, and
 * only passes with graph/delta.h read them: each stack is put together as the change to the one
 * before. */
#ifndef PPROFC_PROFILE_STACK_TREE_H
#define PPROFC_PROFILE_STACK_TREE_H

#include "core/mem.h"

#include <stdbool.h>
#include <string.h>

#define STACK_CHUNK 28

#define STACK_TREE_ALL UINT32_MAX

struct stack_chunk {
  uint32_t parent; /* the chunk nearer to the root, 0: none. Lower than its own index */
  uint8_t bytes[STACK_CHUNK];
};

struct stack_ref {
  uint32_t chunk; /* 0: none */
  uint32_t leaf;  /* where the size % STACK_CHUNK bytes of the leaf end are */
  uint32_t size;  /* bytes of the stack */
  uint32_t label_set;
};

/* Stacks that have hardly anything in common are rows instead: each behind its size, a varint, and
 * behind the one before. They are read in order. */
#define STACK_ROW_GROUP 64

/* What was counted of rows while they were read, by location; of those behind, nothing. */
struct stack_counts {
  const uint16_t *sizes; /* values in units of 2^shift, each rounded up, added up as often as a
                            stack has the location */
  const int64_t *leaves; /* values of the samples of which it is the leaf */
  size_t count;
  unsigned shift;
  int64_t total; /* of all values, none of which is below 0 */
};

#define STACK_COUNT_FULL UINT16_MAX /* so much or more */

/* Bytes of a stack, on average, up to which counters pay; longer ones are those of recursions. */
#define STACK_COUNTED 256

struct stack_tree {
  const uint8_t *rows;      /* not NULL: there is no tree */
  const size_t *row_groups; /* where rows 0, STACK_ROW_GROUP, 2 * STACK_ROW_GROUP, ... begin */
  const struct stack_counts *counts; /* of rows; NULL: none */
  const struct stack_chunk *chunks;  /* from 1 on */
  size_t chunk_count;
  const uint8_t *leaves;        /* from STACK_CHUNK on */
  const struct stack_ref *refs; /* of the samples */
  size_t count;                 /* of refs */
  uint32_t longest;             /* bytes of a stack */
  uint32_t type;                /* the one that samples have a value of, or STACK_TREE_ALL */
};

/* The stack at hand; `end` is behind its root, in `room` or in the rows. */
struct stack_cursor {
  const struct stack_tree *tree;
  size_t first;     /* sample of the tree */
  uint32_t longest; /* bytes of a stack, of all trees that there are */
  uint8_t *room;
  uint8_t *end;
  uint32_t *path; /* the chunks of the stack, from the root */
  uint32_t size;
  uint32_t fetched;    /* a chunk that was asked for */
  const uint8_t *next; /* of rows: the one of sample next_sample */
  size_t next_sample;
};

/* A cursor for the trees, which is at none of them yet. */
bool stack_cursor_init(struct stack_cursor *cursor, const pprofc_allocator *mem,
                       const struct stack_tree *trees, size_t count);
/* Goes to a tree, which has the stacks from sample `first` on. No stack is before the next one. */
void stack_cursor_enter(struct stack_cursor *cursor, const struct stack_tree *tree, size_t first);
void stack_cursor_free(struct stack_cursor *cursor, const pprofc_allocator *mem);

/* Puts the stack of a sample together; returns how many bytes at its root end are whole frames that
 * the stack before had, too. */
uint32_t stack_cursor_move(struct stack_cursor *cursor, size_t sample);

/* The same for rows, without a look at the stack before. */
void stack_cursor_take_row(struct stack_cursor *cursor, size_t sample);

/* Copies a stack to `out`, which has room for it. */
void stack_tree_copy(const struct stack_tree *tree, const struct stack_ref *ref, uint8_t *out);

/* Whether the stack has the bytes; both are of one size. */
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

/* Sets to[i] to the place that sample i has when samples are sorted by their stacks, so that those
 * with many frames in common come one after the other. False when out of memory. */
bool stack_tree_order(const struct stack_tree *tree, size_t count, const pprofc_allocator *mem,
                      uint32_t *to);

#endif
