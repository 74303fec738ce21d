/* Declarations that input.c, input_mapped.c and inflater.c share. */
#ifndef PPROFC_CODEC_INPUT_H
#define PPROFC_CODEC_INPUT_H

#include "codec/codec.h"

#define INPUT_STEP ((size_t)256 * 1024) /* bytes read or inflated at a time */
/* Size in bytes above which the reader checks the compression ratio. */
#define INPUT_RATIO_FROM ((uint64_t)32 << 20)

/* Source of the compressed bytes: bytes in memory, followed by the rest of a file. */
struct input_source {
  int fd;              /* file descriptor of the source, or -1 */
  const uint8_t *rest; /* unread bytes in memory */
  size_t rest_size;
  uint8_t *step;       /* buffer of INPUT_STEP bytes for reads of fd */
  const uint8_t *data; /* bytes of the current piece */
  size_t size;
  uint64_t consumed; /* total size of the previous pieces in bytes */
};

/* Gets the next piece. The size of the piece is 0 at the end of the input. */
pprofc_status input_source_next(struct input_source *source, pprofc_error *error);

/* Checks the limit on the number of inflated bytes `made`. For gzip, also checks the limit on the
 * ratio of `made` to the `read` compressed bytes. */
pprofc_status input_check_limits(const pprofc_limits *limits, uint64_t made, uint64_t read,
                                 bool gzip, pprofc_error *error);

/* The inflated bytes, in one large arena block that grows. */
struct input_sink {
  struct region *region;
  const pprofc_limits *limits;
  uint8_t *data;
  size_t size, capacity;
  uint64_t source_size; /* bytes read from the source */
  bool map;             /* true if the file may be mapped */
};

/* Grows the block to at least `capacity` bytes. Returns false when out of memory. */
bool input_sink_grow(struct input_sink *sink, size_t capacity);

/* Returns the inflated size that a gzip trailer (the last four bytes) gives for `size` compressed
 * bytes, or 0 if it is implausible. The size may be wrong: use it only as a size for a buffer. */
size_t input_claimed_size(const uint8_t *trailer, uint64_t size, const pprofc_limits *limits);

/* True if all decoders accept or reject this header of a gzip member alike, because it has no
 * reserved flag and no header checksum. zlib checks the flag and the checksum, libdeflate ignores
 * the checksum, and ISA-L ignores both. */
static inline bool gzip_header_is_usual(const uint8_t *data, size_t size) {
  return size >= 4 && !(data[3] & 0xE2);
}

/* Inflates one gzip member in memory with libdeflate. Returns false for several members, a wrong
 * size, corrupt data, or without libdeflate. Then the caller inflates with zlib, which reports the
 * reason. */
bool input_inflate_whole(const uint8_t *data, size_t size, struct input_sink *sink);

/* Inflates a large file with a low compression ratio. Maps the file, to avoid having the compressed
 * and the inflated bytes in memory together. Returns false if that is not possible. */
bool input_inflate_mapped(int fd, size_t size, struct input_sink *sink);

#endif
