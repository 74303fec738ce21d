/* Inflating in steps, for a reader that keeps nothing but the step at hand. */
#ifndef PPROFC_CODEC_INFLATER_H
#define PPROFC_CODEC_INFLATER_H

#include "codec/input.h"

struct inflater;

/* A stream of the bytes of a regular file from its beginning (fd >= 0, `size` bytes), or of memory;
 * inflated when they are gzip; with `zlib` ISA-L is not used even where it is installed. NULL when
 * out of memory, or when the file cannot be read. */
struct inflater *inflater_open(int fd, const void *data, size_t size, bool zlib,
                               const pprofc_allocator *mem, const pprofc_limits *limits);
void inflater_close(struct inflater *inflater);

/* Fills `room` bytes, or fewer at the end of the stream, then none: *got. False when the bytes are
 * corrupt or a limit is passed. Allocates nothing. */
bool inflater_fill(struct inflater *inflater, uint8_t *out, size_t room, size_t *got);

#endif
