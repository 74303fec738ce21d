/* Compresses with several threads. Passes the gzip stream to a write callback.
 *
 * The input is cut into blocks of a fixed size, so the output does not depend on the number of
 * threads. Each block is compressed separately, with the end of the previous block as dictionary,
 * and ends on a byte boundary. The concatenated blocks are one deflate stream. The blocks form a
 * ring. The caller fills a block, threads compress the full blocks, and the caller writes them in
 * order. Instead of waiting, the caller compresses a block. If no thread starts, the caller
 * compresses all blocks. */
#include "codec/gzip_writer.h"
#include "codec/zlib_memory.h"
#include "core/parallel.h"

#include <pthread.h>

#define BLOCK_SIZE      ((size_t)128 * 1024)
#define DICTIONARY_SIZE ((size_t)32 * 1024)
#define RAW_DEFLATE     (-15)
#define MEMORY_LEVEL    8
/* Compression level. It is below 6, because level 6 would make profiles 1.5 to 3 % smaller, but
 * would take 1.3 to 1.6 times as long. */
#define GZIP_LEVEL  4
#define THREADS_MAX 16
/* Maximum number of blocks: one per thread, one that waits for a thread, and one that the caller
 * fills. */
#define BLOCKS_MAX       (THREADS_MAX + 2)
#define FLUSH_MARK_BYTES 16

enum state { EMPTY, FULL, TAKEN, DONE };

struct gzip_writer_block {
  enum state state;
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
  struct gzip_writer_block blocks[BLOCKS_MAX];
  size_t block_count, blocks_most; /* current and maximum number of blocks in the ring */
  /* number of the block that the caller fills, and number of the oldest block that is not written
   * yet; block n is blocks[n % block_count] */
  size_t filling, oldest;
  uint64_t size; /* number of uncompressed bytes in the written blocks */
  uint32_t crc;
  uint8_t dictionary[DICTIONARY_SIZE]; /* dictionary of the next block: end of the previous block */

  pthread_mutex_t lock;
  pthread_cond_t full, done;
  pthread_t threads[THREADS_MAX]; /* threads that compress, except the caller */
  unsigned thread_count, threads_most;
  bool stop;
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

/* Compresses a block. Any thread may call this function. The output buffer fits any result. */
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

/* ---- the ring ---------------------------------------- */

static struct gzip_writer_block *block_at(struct gzip_writer *w, size_t n) {
  return &w->blocks[n % w->block_count];
}

/* Returns the oldest block that no thread has taken, or NULL. The caller holds the lock. */
static struct gzip_writer_block *gzip_writer_take(struct gzip_writer *w) {
  for (size_t n = w->oldest; n < w->filling; n++)
    if (block_at(w, n)->state == FULL) {
      block_at(w, n)->state = TAKEN;
      return block_at(w, n);
    }
  return NULL;
}

/* Compresses a block that this thread has taken. Releases the lock meanwhile. */
static void gzip_writer_work(struct gzip_writer *w, struct gzip_writer_block *b) {
  pthread_mutex_unlock(&w->lock);
  block_compress(b);
  pthread_mutex_lock(&w->lock);
  b->state = DONE;
  pthread_cond_signal(&w->done);
}

static void *gzip_writer_run(void *argument) {
  struct gzip_writer *w = argument;
  pthread_mutex_lock(&w->lock);
  while (!w->stop) {
    struct gzip_writer_block *b = gzip_writer_take(w);
    if (b)
      gzip_writer_work(w, b);
    else
      pthread_cond_wait(&w->full, &w->lock);
  }
  pthread_mutex_unlock(&w->lock);
  return NULL;
}

static void gzip_writer_put(struct gzip_writer *w, const void *data, size_t size) {
  if (w->status == PPROFC_OK && w->write(w->context, data, size) != 0) w->status = PPROFC_E_IO;
}

/* Writes the finished blocks in order. The caller holds the lock. */
static void gzip_writer_write_done(struct gzip_writer *w) {
  while (w->oldest < w->filling && block_at(w, w->oldest)->state == DONE) {
    struct gzip_writer_block *b = block_at(w, w->oldest);
    pthread_mutex_unlock(&w->lock);
    gzip_writer_put(w, output_of(b), b->out_size);
    w->crc = (uint32_t)crc32_combine(w->crc, b->crc, (z_off_t)b->size);
    w->size += b->size;
    pthread_mutex_lock(&w->lock);
    b->state = EMPTY;
    w->oldest++;
  }
}

/* Waits until at most `left` blocks remain to be written. Meanwhile compresses blocks in this
 * thread. */
static void gzip_writer_wait(struct gzip_writer *w, size_t left) {
  gzip_writer_write_done(w);
  while (w->filling - w->oldest > left) {
    struct gzip_writer_block *b = gzip_writer_take(w);
    if (b)
      gzip_writer_work(w, b);
    else if (block_at(w, w->oldest)->state != DONE)
      pthread_cond_wait(&w->done, &w->lock);
    gzip_writer_write_done(w);
  }
}

/* Adds a block to the ring, and starts another thread. The ring must not have wrapped around yet,
 * because block n is blocks[n % block_count]. If there is no memory or no thread, the writer
 * continues with fewer blocks. */
static void gzip_writer_grow(struct gzip_writer *w) {
  if (w->block_count == w->blocks_most || !block_open(w, &w->blocks[w->block_count])) {
    w->blocks_most = w->block_count;
    return;
  }
  w->block_count++;
  if (w->thread_count < w->threads_most &&
      pthread_create(&w->threads[w->thread_count], NULL, gzip_writer_run, w) == 0)
    w->thread_count++;
}

/* Passes the filled block to the threads, and prepares the next block. */
static void gzip_writer_submit(struct gzip_writer *w, bool last) {
  struct gzip_writer_block *b = block_at(w, w->filling);
  b->last = last;
  if (!last) memcpy(w->dictionary, input_of(b) + BLOCK_SIZE - DICTIONARY_SIZE, DICTIONARY_SIZE);
  pthread_mutex_lock(&w->lock);
  b->state = FULL;
  w->filling++;
  if (!last && w->filling == w->block_count) gzip_writer_grow(w);
  pthread_cond_signal(&w->full);
  gzip_writer_wait(w, last ? 0 : w->block_count - 1);
  pthread_mutex_unlock(&w->lock);
  if (last) return;
  struct gzip_writer_block *next = block_at(w, w->filling);
  memcpy(next->memory, w->dictionary, DICTIONARY_SIZE);
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
  threads = parallel_workers(threads, THREADS_MAX, 1);
  w->threads_most = threads - 1;
  w->blocks_most = threads > 1 ? threads + 2 : 1;
  w->block_count = 1;
  if (!block_open(w, &w->blocks[0])) {
    mem_free(mem, w, 1, sizeof *w);
    return NULL;
  }
  pthread_mutex_init(&w->lock, NULL);
  pthread_cond_init(&w->full, NULL);
  pthread_cond_init(&w->done, NULL);
  gzip_writer_put(w, header, sizeof header);
  return w;
}

void gzip_writer_add(struct gzip_writer *w, const void *data, size_t size) {
  const uint8_t *from = data;
  while (size && w->status == PPROFC_OK) {
    struct gzip_writer_block *b = block_at(w, w->filling);
    if (b->size == BLOCK_SIZE) {
      gzip_writer_submit(w, false);
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
  pthread_mutex_lock(&w->lock);
  w->stop = true;
  pthread_cond_broadcast(&w->full);
  pthread_mutex_unlock(&w->lock);
  for (unsigned i = 0; i < w->thread_count; i++) pthread_join(w->threads[i], NULL);
  for (size_t i = 0; i < w->block_count; i++) block_close(w, &w->blocks[i]);
  pthread_cond_destroy(&w->done);
  pthread_cond_destroy(&w->full);
  pthread_mutex_destroy(&w->lock);
  mem_free(w->mem, w, 1, sizeof *w);
}

pprofc_status gzip_writer_finish(struct gzip_writer *w) {
  uint8_t trailer[8];
  if (w->status == PPROFC_OK) gzip_writer_submit(w, true);
  for (int i = 0; i < 4; i++) {
    trailer[i] = (uint8_t)(w->crc >> (8 * i));
    trailer[4 + i] = (uint8_t)(w->size >> (8 * i));
  }
  gzip_writer_put(w, trailer, sizeof trailer);
  pprofc_status status = w->status;
  gzip_writer_abandon(w);
  return status;
}
