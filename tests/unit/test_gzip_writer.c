/* Tests the gzip writer. It must write one gzip member, the same bytes for any number of threads,
 * and lose no data. */
#include "codec/gzip_writer.h"
#include "core/buffer.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define BLOCK ((size_t)128 * 1024)
#define MOST  (7 * BLOCK + 7)

struct sink {
  struct buffer bytes;
  size_t calls, refuse_at; /* number of calls so far; number of the call that fails, 0: no call
                              fails */
};

static int take(void *context, const void *data, size_t size) {
  struct sink *sink = context;
  if (++sink->calls == sink->refuse_at) return -1;
  buffer_add(&sink->bytes, data, size);
  return 0;
}

/* Creates data. Of each 1,000 bytes, 700 compress and the others do not. */
static void fill(uint8_t *data, size_t size) {
  uint64_t state = 88172645463325252u;
  for (size_t i = 0; i < size; i++) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    data[i] = i % 1000 < 700 ? (uint8_t)(i % 61 + i / 977) : (uint8_t)state;
  }
}

static pprofc_status compress_into(struct sink *sink, const uint8_t *data, size_t size,
                                   unsigned threads, size_t step) {
  buffer_init(&sink->bytes, &mem_default, PTRDIFF_MAX);
  sink->calls = 0;
  struct gzip_writer *w = gzip_writer_open(&mem_default, threads, take, sink);
  CU_ASSERT_PTR_NOT_NULL_FATAL(w);
  for (size_t at = 0; at < size; at += step)
    gzip_writer_add(w, data + at, size - at < step ? size - at : step);
  return gzip_writer_finish(w);
}

static bool inflates_to(struct buffer *gzip, const uint8_t *data, size_t size) {
  uint8_t *out = malloc(size + 1);
  z_stream z = {.next_in = (Bytef *)gzip->data, .avail_in = (uInt)gzip->size};
  z.next_out = out;
  z.avail_out = (uInt)size + 1;
  bool good = inflateInit2(&z, 15 + 16) == Z_OK && inflate(&z, Z_FINISH) == Z_STREAM_END &&
              z.avail_in == 0 && z.total_out == size && memcmp(out, data, size) == 0;
  inflateEnd(&z);
  free(out);
  return good;
}

TEST(test_any_size_comes_back_and_threads_change_nothing) {
  static const size_t sizes[] = {0,         1,         1000,          BLOCK - 1, BLOCK,
                                 BLOCK + 1, 2 * BLOCK, 3 * BLOCK + 5, MOST};
  uint8_t *data = malloc(MOST);
  fill(data, MOST);
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    struct sink one = {0}, many = {0};
    CU_ASSERT_EQUAL(compress_into(&one, data, sizes[i], 1, 977), PPROFC_OK);
    CU_ASSERT(inflates_to(&one.bytes, data, sizes[i]));
    for (unsigned threads = 0; threads <= 16; threads = threads ? 4 * threads : 2) {
      CU_ASSERT_EQUAL(compress_into(&many, data, sizes[i], threads, 100000), PPROFC_OK);
      CU_ASSERT(str_equal(buffer_str(&many.bytes), buffer_str(&one.bytes)));
      buffer_free(&many.bytes);
    }
    buffer_free(&one.bytes);
  }
  free(data);
}

TEST(test_a_refused_write_ends_it) {
  uint8_t *data = malloc(MOST);
  fill(data, MOST);
  struct sink sink = {0};
  CU_ASSERT_EQUAL(compress_into(&sink, data, MOST, 2, 5000), PPROFC_OK);
  size_t calls = sink.calls;
  buffer_free(&sink.bytes);
  for (size_t at = 1; at <= calls; at++) {
    sink.refuse_at = at;
    CU_ASSERT_EQUAL(compress_into(&sink, data, MOST, 3, 5000), PPROFC_E_IO);
    buffer_free(&sink.bytes);
  }
  free(data);
}

TEST(test_it_can_be_abandoned_at_any_time) {
  uint8_t *data = malloc(MOST);
  fill(data, MOST);
  for (size_t size = 0; size < MOST; size += 3 * BLOCK / 2) {
    struct sink sink = {.refuse_at = 0};
    buffer_init(&sink.bytes, &mem_default, PTRDIFF_MAX);
    struct gzip_writer *w = gzip_writer_open(&mem_default, 2, take, &sink);
    CU_ASSERT_PTR_NOT_NULL_FATAL(w);
    gzip_writer_add(w, data, size);
    CU_ASSERT(gzip_writer_good(w));
    gzip_writer_abandon(w);
    buffer_free(&sink.bytes);
  }
  free(data);
}
