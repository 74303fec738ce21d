/* Inflates step by step, for readers that do not keep the whole input. */
#ifndef PPROFC_CODEC_INFLATER_H
#define PPROFC_CODEC_INFLATER_H

#include "codec/input.h"

struct inflater;

/* Method of inflating gzip: ISA-L if it is installed and otherwise zlib; always zlib; or not at
 * all. Other input is copied. */
enum inflater_way { INFLATER_FASTEST, INFLATER_ZLIB, INFLATER_PLAIN };

/* Opens a stream of bytes: first `data`, then the rest of the file `fd`, unless `fd` is -1. Returns
 * NULL when out of memory. */
struct inflater *inflater_open(int fd, const void *data, size_t size, enum inflater_way way,
                               const pprofc_allocator *mem, const pprofc_limits *limits);
void inflater_close(struct inflater *inflater);

/* Writes up to `room` bytes. Sets *got to the number of written bytes, which is 0 at the end of the
 * stream. Returns false if the data is corrupt or exceeds a limit. Does not allocate memory. */
bool inflater_fill(struct inflater *inflater, uint8_t *out, size_t room, size_t *got);

/* Returns the number of input bytes read so far; for gzip, of compressed bytes. */
uint64_t inflater_read(const struct inflater *inflater);

/* Returns the reason why inflater_fill failed: an error of the file, or an exceeded limit.
 * PPROFC_OK means that the data is corrupt. */
pprofc_status inflater_status(const struct inflater *inflater, pprofc_error *error);

/* Works like inflater_status, but returns an error for corrupt data. Needs INFLATER_ZLIB. */
pprofc_status inflater_fault(const struct inflater *inflater, pprofc_error *error);

#endif
