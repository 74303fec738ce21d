/* A gzip stream going to a write callback. */
#ifndef PPROFC_CODEC_GZIP_WRITER_H
#define PPROFC_CODEC_GZIP_WRITER_H

#include "base/error.h"
#include "base/mem.h"

#include <zlib.h>

/* The first failure sticks in `status`; everything after it is dropped. */
struct gzip_writer {
  z_stream zlib;
  gz_header header;
  pprofc_write_fn write;
  void *context;
  pprofc_status status;
  size_t pending; /* bytes of `in` */
  uint8_t in[64 * 1024];
  uint8_t out[64 * 1024];
};

/* Header bytes as Go's compress/gzip writes them: no time, no name, unknown system. `mem` must
 * outlive the writer. False when out of memory; then nothing is to be closed. */
bool gzip_writer_open(struct gzip_writer *writer, const pprofc_allocator *mem,
                      pprofc_write_fn write, void *context);
void gzip_writer_add(struct gzip_writer *writer, const void *data, size_t size);

/* Ends the stream and frees its memory; the status of all that was written. */
pprofc_status gzip_writer_finish(struct gzip_writer *writer);

/* Frees without ending. */
void gzip_writer_abandon(struct gzip_writer *writer);

#endif
