/* A gzip stream going to a write callback, compressed by several threads. */
#ifndef PPROFC_CODEC_GZIP_WRITER_H
#define PPROFC_CODEC_GZIP_WRITER_H

#include "core/error.h"
#include "core/mem.h"

struct gzip_writer;

/* Header bytes as Go's compress/gzip writes them: no time, no name, unknown system. The stream is
 * one member, the same bytes for any number of `threads` (0: one per processor); `write` is called
 * by the caller's thread only. `mem` must outlive the writer. NULL when out of memory. */
struct gzip_writer *gzip_writer_open(const pprofc_allocator *mem, unsigned threads,
                                     pprofc_write_fn write, void *context);

/* The first failure sticks; everything after it is dropped. */
void gzip_writer_add(struct gzip_writer *writer, const void *data, size_t size);
/* Whether nothing has failed so far. */
bool gzip_writer_good(const struct gzip_writer *writer);

/* Ends the stream and frees its memory; the status of all that was written. */
pprofc_status gzip_writer_finish(struct gzip_writer *writer);

/* Frees without ending. */
void gzip_writer_abandon(struct gzip_writer *writer);

#endif
