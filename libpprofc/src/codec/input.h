/* Declarations that input.c, input_mapped.c and inflater.c share. */
#ifndef PPROFC_CODEC_INPUT_H
#define PPROFC_CODEC_INPUT_H

#include "codec/codec.h"

/* number of bytes that are read or inflated in one step */
#define INPUT_STEP ((size_t)256 * 1024)
/* Inflated size in bytes above which the reader checks the compression ratio. */
#define INPUT_RATIO_FROM ((uint64_t)32 << 20)

/* Checks the limit on `made`, the number of inflated bytes. For gzip, also checks the limit on the
 * ratio of `made` to `read`, the number of compressed bytes. */
pprofc_status input_check_limits(const pprofc_limits *limits, uint64_t made, uint64_t read,
                                 bool gzip, pprofc_error *error);

/* The inflated bytes. They are in one large arena block that grows. */
struct input_sink {
  struct region *region;
  const pprofc_limits *limits;
  uint8_t *data;
  size_t size, capacity;
  uint64_t source_size; /* number of bytes read from the source */
  bool map;             /* true if the file may be mapped */
};

/* Enlarges the block to at least `capacity` bytes. Returns false when out of memory. */
bool input_sink_grow(struct input_sink *sink, size_t capacity);

/* Returns the inflated size that a gzip trailer (its last four bytes) claims. Returns 0 if the size
 * is implausible for `size` compressed bytes. The size may be wrong, so it must only be used as the
 * size of a buffer. */
size_t input_claimed_size(const uint8_t *trailer, uint64_t size, const pprofc_limits *limits);

static inline bool input_is_gzip(const uint8_t *data, size_t size) {
  return size >= 2 && data[0] == 0x1F && data[1] == 0x8B;
}

/* True if all decoders treat this header of a gzip member in the same way, because it has no
 * reserved flag and no header checksum. zlib checks both, libdeflate ignores the checksum, and
 * ISA-L ignores both. */
static inline bool gzip_header_is_usual(const uint8_t *data, size_t size) {
  return size >= 4 && !(data[3] & 0xE2);
}

/* Inflates a single gzip member in memory with libdeflate. Returns false if there are several
 * members, the size is wrong, the data is corrupt, or libdeflate is missing. The caller then
 * inflates with zlib, which reports the reason. */
bool input_inflate_whole(const uint8_t *data, size_t size, struct input_sink *sink);

/* Inflates a large file with a low compression ratio. Maps the file, so that compressed and
 * inflated bytes need not be in memory together. Returns false if this is not possible. */
bool input_inflate_mapped(int fd, size_t size, struct input_sink *sink);

#endif
