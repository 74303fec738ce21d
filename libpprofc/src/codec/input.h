/* What input.c and input_mapped.c share. */
#ifndef PPROFC_CODEC_INPUT_H
#define PPROFC_CODEC_INPUT_H

#include "codec/codec.h"

/* The inflated bytes: one large arena block that grows. */
struct input_sink {
  struct region *region;
  const pprofc_limits *limits;
  uint8_t *data;
  size_t size, capacity;
  uint64_t source_size; /* bytes that were read for it */
  bool map;             /* the file may be mapped */
};

/* Makes the block at least that large; false when out of memory. */
bool input_sink_grow(struct input_sink *sink, size_t capacity);

/* The size that a gzip trailer (its last four bytes) claims for `size` compressed bytes, or 0 when
 * it is too large to be believed. The claim is not trusted: it only sizes a buffer. */
size_t input_claimed_size(const uint8_t *trailer, uint64_t size, const pprofc_limits *limits);

/* Inflates one gzip member that is wholly in memory with libdeflate. False: not done (several
 * members, a wrong claim, corrupt data, no libdeflate); the caller inflates with zlib, which
 * reports the reason. */
bool input_inflate_whole(const uint8_t *data, size_t size, struct input_sink *sink);

/* The same for a large file that hardly compresses: mapped instead of read, so that compressed and
 * inflated bytes are not in memory together. False: not done. */
bool input_inflate_mapped(int fd, size_t size, struct input_sink *sink);

#endif
