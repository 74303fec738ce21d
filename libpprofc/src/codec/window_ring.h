/* The windows of a stream: one thread inflates them, the caller reads them in turn. */
#ifndef PPROFC_CODEC_WINDOW_RING_H
#define PPROFC_CODEC_WINDOW_RING_H

#include "codec/inflater.h"

struct window_ring;

struct window {
  const uint8_t *data;
  size_t size; /* 0: the stream is over */
};

/* Reads the stream ahead on a thread of its own; with `threads` 1, or when none can be started,
 * each window is filled when it is asked for. NULL when out of memory. The caller closes the
 * inflater after the ring. */
struct window_ring *window_ring_open(struct inflater *inflater, unsigned threads,
                                     const pprofc_allocator *mem);
void window_ring_close(struct window_ring *ring);

/* Gives the window before this one back and waits for the next one. False: the stream is bad. */
bool window_ring_next(struct window_ring *ring, struct window *window);

#endif
