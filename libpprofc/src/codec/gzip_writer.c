/* A gzip stream going to a write callback: small pieces are gathered, since each call of deflate
 * has its price. */
#include "codec/gzip_writer.h"

#include "codec/zlib_memory.h"

#include <string.h>

#define GZIP_WINDOW_BITS (15 + 16)
#define MEMORY_LEVEL     8
#define GZIP_OS_UNKNOWN  255

bool gzip_writer_open(struct gzip_writer *writer, const pprofc_allocator *mem,
                      pprofc_write_fn write, void *context) {
  memset(&writer->zlib, 0, sizeof writer->zlib);
  writer->write = write;
  writer->context = context;
  writer->status = PPROFC_OK;
  writer->pending = 0;
  zlib_use_memory(&writer->zlib, mem);
  if (deflateInit2(&writer->zlib, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW_BITS, MEMORY_LEVEL,
                   Z_DEFAULT_STRATEGY) != Z_OK)
    return false;
  writer->header = (gz_header){.os = GZIP_OS_UNKNOWN};
  deflateSetHeader(&writer->zlib, &writer->header);
  return true;
}

/* Compresses `in` and hands over what comes out. */
static void deflate_pending(struct gzip_writer *writer, int flush) {
  z_stream *zlib = &writer->zlib;
  zlib->next_in = writer->in;
  zlib->avail_in = (uInt)writer->pending;
  writer->pending = 0;
  do {
    zlib->next_out = writer->out;
    zlib->avail_out = sizeof writer->out;
    deflate(zlib, flush);
    size_t size = sizeof writer->out - zlib->avail_out;
    if (size && writer->write(writer->context, writer->out, size) != 0)
      writer->status = PPROFC_E_IO;
  } while (zlib->avail_out == 0 && writer->status == PPROFC_OK);
}

void gzip_writer_add(struct gzip_writer *writer, const void *data, size_t size) {
  const char *from = data;
  while (size && writer->status == PPROFC_OK) {
    size_t room = sizeof writer->in - writer->pending;
    size_t part = size < room ? size : room;
    memcpy(writer->in + writer->pending, from, part);
    writer->pending += part;
    from += part;
    size -= part;
    if (writer->pending == sizeof writer->in) deflate_pending(writer, Z_NO_FLUSH);
  }
}

pprofc_status gzip_writer_finish(struct gzip_writer *writer) {
  if (writer->status == PPROFC_OK) deflate_pending(writer, Z_FINISH);
  deflateEnd(&writer->zlib);
  return writer->status;
}

void gzip_writer_abandon(struct gzip_writer *writer) {
  deflateEnd(&writer->zlib);
}
