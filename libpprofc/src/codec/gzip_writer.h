/* Compresses with several threads. Passes the gzip stream to a write callback. */
#ifndef PPROFC_CODEC_GZIP_WRITER_H
#define PPROFC_CODEC_GZIP_WRITER_H

#include "core/base.h"

struct gzip_writer;

/* Opens a stream with the same header as Go's compress/gzip: no time, no name, unknown system. The
 * stream is a single gzip member. Its bytes do not depend on `threads`, the number of threads; 0
 * means one per processor. Only the thread of the caller calls `write`. `mem` must outlive the
 * writer. Returns NULL when out of memory. */
struct gzip_writer *gzip_writer_open(const pprofc_allocator *mem, unsigned threads,
                                     pprofc_write_fn write, void *context);

/* Compresses bytes. After a failure, drops all further bytes. */
void gzip_writer_add(struct gzip_writer *writer, const void *data, size_t size);
/* True if all calls so far have succeeded. */
bool gzip_writer_good(const struct gzip_writer *writer);

/* Ends the stream and frees the writer. Returns the first error, or PPROFC_OK. */
pprofc_status gzip_writer_finish(struct gzip_writer *writer);

/* Frees the writer without completing the stream. */
void gzip_writer_abandon(struct gzip_writer *writer);

#endif
