/* What the files that bring the bytes of an input share: input.c, input_mapped.c, inflater.c. */
#ifndef PPROFC_CODEC_INPUT_H
#define PPROFC_CODEC_INPUT_H

#include "codec/codec.h"

#define INPUT_STEP       ((size_t)256 * 1024) /* bytes that are read or inflated at a time */
#define INPUT_RATIO_FROM ((uint64_t)32 << 20) /* inflated bytes from which the ratio is checked */

/* Where compressed bytes come from. */
struct input_source {
  int fd;              /* or -1: what is left is in memory */
  const uint8_t *rest; /* of a source in memory */
  size_t rest_size;
  uint8_t *step;       /* [INPUT_STEP] room for the next read of fd */
  const uint8_t *data; /* the piece at hand */
  size_t size;
  uint64_t consumed; /* bytes of the pieces before it */
};

/* Gets the next piece; size 0 at the end. */
pprofc_status input_source_next(struct input_source *source, pprofc_error *error);

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
