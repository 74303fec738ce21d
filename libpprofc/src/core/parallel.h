/* Running one pass over samples on several threads. */
#ifndef PPROFC_CORE_PARALLEL_H
#define PPROFC_CORE_PARALLEL_H

#include <stddef.h>

/* How many workers to use for `wanted` (0: one per processor) and `items` pieces of work of which
 * one worker should have at least `grain`. Never 0, never more than 16. */
unsigned parallel_workers(unsigned wanted, size_t items, size_t grain);

/* Calls fn(context, 0) ... fn(context, workers - 1), each once, and returns when all are done.
 * Worker 0 is the calling thread; when a thread cannot be started, the calling thread does its
 * work, so this never fails. */
void parallel_run(unsigned workers, void (*fn)(void *context, unsigned worker), void *context);

/* The first item of worker `worker` of `workers`; [parallel_from(w), parallel_from(w + 1)) is its
 * range. */
static inline size_t parallel_from(size_t items, unsigned worker, unsigned workers) {
  return items / workers * worker + (worker < items % workers ? worker : items % workers);
}

#endif
