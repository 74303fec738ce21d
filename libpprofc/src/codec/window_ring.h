/* A stream in windows. A window is a block of a fixed size. One thread inflates windows, and the
 * caller reads them in order. */
#ifndef PPROFC_CODEC_WINDOW_RING_H
#define PPROFC_CODEC_WINDOW_RING_H

#include "codec/inflater.h"

struct window_ring;

struct window {
  const uint8_t *data;
  size_t size; /* size of the window in bytes; 0 at the end of the stream */
};

/* Inflates the stream in advance on a separate thread. If `threads` is 1 or no thread starts,
 * window_ring_next inflates instead. Returns NULL when out of memory. The caller must close the
 * ring before the inflater. */
struct window_ring *window_ring_open(struct inflater *inflater, unsigned threads,
                                     const pprofc_allocator *mem);
void window_ring_close(struct window_ring *ring);

/* Releases the previous window, and waits for the next window. Returns false if the stream is
 * corrupt. */
bool window_ring_next(struct window_ring *ring, struct window *window);

#endif
