/* Compresses with several threads. Passes the gzip stream to a write callback.
 *
 * The input is cut into blocks of a fixed size, so the output does not depend on the number of
 * threads. Each block is compressed separately, with the end of the previous block as dictionary,
 * and ends on a byte boundary. The concatenated blocks are one deflate stream. The caller fills all
 * blocks, the threads compress them, and then the caller writes them in order. */
#include "codec/gzip_writer.h"
#include "codec/zlib_memory.h"
#include "core/parallel.h"

#define BLOCK_SIZE      ((size_t)128 * 1024)
#define DICTIONARY_SIZE ((size_t)32 * 1024)
#define RAW_DEFLATE     (-15)
#define MEMORY_LEVEL    8
/* Compression level. It is below 6, because level 6 would make profiles 1.5 to 3 % smaller, but
 * would take 1.3 to 1.6 times as long. */
#define GZIP_LEVEL        4
#define THREADS_MAX       16
#define BLOCKS_PER_THREAD 2
#define FLUSH_MARK_BYTES  16

struct gzip_writer_block {
  z_stream zlib;
  uint8_t *memory; /* dictionary of the block, then its input, then its output */
  size_t dictionary_size, size, out_size, out_room;
  uint32_t crc;
  bool last;
};

struct gzip_writer {
  const pprofc_allocator *mem;
  pprofc_write_fn write;
  void *context;
  pprofc_status status;
  struct gzip_writer_block blocks[THREADS_MAX * BLOCKS_PER_THREAD];
  size_t count;        /* number of filled blocks, including the block that the caller fills */
  size_t opened, most; /* current and maximum number of blocks that have memory */
  unsigned threads;
  uint64_t size; /* number of uncompressed bytes in the written blocks */
  uint32_t crc;
};

static uint8_t *input_of(const struct gzip_writer_block *b) {
  return b->memory + DICTIONARY_SIZE;
}

static uint8_t *output_of(const struct gzip_writer_block *b) {
  return b->memory + DICTIONARY_SIZE + BLOCK_SIZE;
}

/* ---- blocks ------------------------------------------ */

static size_t memory_size(const struct gzip_writer_block *b) {
  return DICTIONARY_SIZE + BLOCK_SIZE + b->out_room;
}

static bool block_open(struct gzip_writer *w, struct gzip_writer_block *b) {
  memset(b, 0, sizeof *b);
  zlib_use_memory(&b->zlib, w->mem);
  if (deflateInit2(&b->zlib, GZIP_LEVEL, Z_DEFLATED, RAW_DEFLATE, MEMORY_LEVEL,
                   Z_DEFAULT_STRATEGY) != Z_OK)
    return false;
  b->out_room = deflateBound(&b->zlib, BLOCK_SIZE) + FLUSH_MARK_BYTES;
  b->memory = mem_array(w->mem, memory_size(b), 1);
  if (!b->memory) deflateEnd(&b->zlib);
  return b->memory != NULL;
}

static void block_close(struct gzip_writer *w, struct gzip_writer_block *b) {
  deflateEnd(&b->zlib);
  mem_free(w->mem, b->memory, memory_size(b), 1);
}

/* Compresses a block. The output buffer fits any result. */
static void block_compress(struct gzip_writer_block *b) {
  deflateReset(&b->zlib);
  if (b->dictionary_size)
    deflateSetDictionary(&b->zlib, input_of(b) - b->dictionary_size, (uInt)b->dictionary_size);
  b->zlib.next_in = input_of(b);
  b->zlib.avail_in = (uInt)b->size;
  b->zlib.next_out = output_of(b);
  b->zlib.avail_out = (uInt)b->out_room;
  deflate(&b->zlib, b->last ? Z_FINISH : Z_SYNC_FLUSH);
  b->out_size = b->out_room - b->zlib.avail_out;
  b->crc = (uint32_t)crc32(0, input_of(b), (uInt)b->size);
}

/* ---- batches of blocks ------------------------------- */

static void gzip_writer_put(struct gzip_writer *w, const void *data, size_t size) {
  if (w->status == PPROFC_OK && w->write(w->context, data, size) != 0) w->status = PPROFC_E_IO;
}

static void gzip_writer_compress(void *context, unsigned thread) {
  struct gzip_writer *w = context;
  for (size_t i = thread; i < w->count; i += w->threads) block_compress(&w->blocks[i]);
}

/* Compresses and writes the filled blocks. */
static void gzip_writer_flush(struct gzip_writer *w, bool last) {
  w->blocks[w->count - 1].last = last;
  parallel_run(w->count < w->threads ? (unsigned)w->count : w->threads, gzip_writer_compress, w);
  for (size_t i = 0; i < w->count; i++) {
    const struct gzip_writer_block *b = &w->blocks[i];
    gzip_writer_put(w, output_of(b), b->out_size);
    w->crc = (uint32_t)crc32_combine(w->crc, b->crc, (z_off_t)b->size);
    w->size += b->size;
  }
}

/* Prepares another block after the last block was filled. Writes all blocks first if the maximum
 * number of blocks is in use. If memory runs out, the writer continues with fewer blocks. */
static void gzip_writer_next(struct gzip_writer *w) {
  const uint8_t *end = input_of(&w->blocks[w->count - 1]) + BLOCK_SIZE;
  if (w->count == w->opened && w->opened < w->most) {
    if (block_open(w, &w->blocks[w->opened]))
      w->opened++;
    else
      w->most = w->opened;
  }
  if (w->count == w->opened) {
    gzip_writer_flush(w, false);
    w->count = 0;
  }
  struct gzip_writer_block *next = &w->blocks[w->count++];
  memcpy(next->memory, end - DICTIONARY_SIZE, DICTIONARY_SIZE);
  next->dictionary_size = DICTIONARY_SIZE;
  next->size = 0;
}

/* ---- the stream -------------------------------------- */

struct gzip_writer *gzip_writer_open(const pprofc_allocator *mem, unsigned threads,
                                     pprofc_write_fn write, void *context) {
  static const uint8_t header[] = {0x1F, 0x8B, Z_DEFLATED, 0, 0, 0, 0, 0, 0, 0xFF};
  struct gzip_writer *w = mem_zero_array(mem, 1, sizeof *w);
  if (!w) return NULL;
  w->mem = mem;
  w->write = write;
  w->context = context;
  w->threads = parallel_workers(threads, THREADS_MAX, 1);
  w->most = w->threads > 1 ? w->threads * BLOCKS_PER_THREAD : 1;
  w->count = w->opened = 1;
  if (!block_open(w, &w->blocks[0])) {
    mem_free(mem, w, 1, sizeof *w);
    return NULL;
  }
  gzip_writer_put(w, header, sizeof header);
  return w;
}

void gzip_writer_add(struct gzip_writer *w, const void *data, size_t size) {
  const uint8_t *from = data;
  while (size && w->status == PPROFC_OK) {
    struct gzip_writer_block *b = &w->blocks[w->count - 1];
    if (b->size == BLOCK_SIZE) {
      gzip_writer_next(w);
      continue;
    }
    size_t part = size < BLOCK_SIZE - b->size ? size : BLOCK_SIZE - b->size;
    memcpy(input_of(b) + b->size, from, part);
    b->size += part;
    from += part;
    size -= part;
  }
}

bool gzip_writer_good(const struct gzip_writer *w) {
  return w->status == PPROFC_OK;
}

void gzip_writer_abandon(struct gzip_writer *w) {
  for (size_t i = 0; i < w->opened; i++) block_close(w, &w->blocks[i]);
  mem_free(w->mem, w, 1, sizeof *w);
}

pprofc_status gzip_writer_finish(struct gzip_writer *w) {
  uint8_t trailer[8];
  if (w->status == PPROFC_OK) gzip_writer_flush(w, true);
  for (int i = 0; i < 4; i++) {
    trailer[i] = (uint8_t)(w->crc >> (8 * i));
    trailer[4 + i] = (uint8_t)(w->size >> (8 * i));
  }
  gzip_writer_put(w, trailer, sizeof trailer);
  pprofc_status status = w->status;
  gzip_writer_abandon(w);
  return status;
}
