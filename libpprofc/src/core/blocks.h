/* Formats output in blocks on several threads, and writes the blocks in order. Reports that print a
 * text for each stack use this. */
#ifndef PPROFC_CORE_BLOCKS_H
#define PPROFC_CORE_BLOCKS_H

#include "core/mem.h"
#include "core/output.h"

/* Writes the text of the items [from, to). Any thread may call the function, so it must not change
 * shared data. `room` is scratch memory of the calling thread. */
typedef void (*block_fn)(const void *context, void *room, struct output *out, size_t from,
                         size_t to);

struct blocks {
  size_t items;
  size_t item_bytes; /* estimated maximum size of the text of one item, in bytes */
  size_t room;       /* size in bytes of the scratch memory of each thread */
  block_fn render;
  const void *context;
};

/* Writes all items. If the memory budget is too small for blocks, one thread writes the items
 * directly. Returns false when out of memory. The output stores a failure of its callback. */
bool blocks_write(struct output *out, const pprofc_allocator *mem, unsigned threads,
                  const struct blocks *blocks);

#endif
