/* Divides work among several threads. Runs deep recursion on a thread with a large stack. Formats
 * output in blocks on several threads. */
#ifndef PPROFC_CORE_PARALLEL_H
#define PPROFC_CORE_PARALLEL_H

#include "core/mem.h"
#include "core/output.h"

#include <stdbool.h>
#include <stddef.h>

/* Returns the number of workers, 1 to 16. `wanted` is the number of threads that the user wants (0:
 * one per processor), and `items` is the number of items (units of work). Each worker gets at least
 * `grain` items. */
unsigned parallel_workers(unsigned wanted, size_t items, size_t grain);

/* Calls fn(context, 0) ... fn(context, workers - 1), each once. Returns when all calls have
 * returned. Worker 0 is the calling thread. It also does the work of threads that cannot be
 * started, so the function never fails. */
void parallel_run(unsigned workers, void (*fn)(void *context, unsigned worker), void *context);

/* Calls fn(context) on a thread with a stack of `stack` bytes, and waits for it. Returns false
 * without calling fn if the thread cannot be started. */
bool parallel_run_deep(size_t stack, void (*fn)(void *context), void *context);

/* Returns the index of the first item of a worker. The worker's items end before the first item of
 * worker + 1. */
static inline size_t parallel_from(size_t items, unsigned worker, unsigned workers) {
  return items / workers * worker + (worker < items % workers ? worker : items % workers);
}

/* ---- blocks of output ------------------------------- */

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

/* Writes all items. Uses one thread if a block would have fewer than 64 items. Returns false when
 * out of memory. `out` stores a failure of its callback. */
bool blocks_write(struct output *out, const pprofc_allocator *mem, unsigned threads,
                  const struct blocks *blocks);

#endif
