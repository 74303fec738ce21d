/* Reads the bytes of an input: a file, standard input or memory. Inflates gzip.
 *
 * There are two ways to inflate. libdeflate is twice as fast, but needs the whole input and a
 * buffer of the right size. It is used if the size in the gzip trailer is plausible. For all other
 * input (pipes, several members, a wrong size, a corrupt stream), zlib runs step by step, and each
 * step checks the limits. */
#include "codec/input.h"

#include "codec/zlib_memory.h"
#include "core/array.h"
#include "core/budget.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define STEP        INPUT_STEP
#define MEMORY_STEP ((size_t)1 << 30) /* at most 4 GiB, because zlib's sizes have 32 bits */

/* ---- sources of compressed bytes --------------------- */

pprofc_status input_source_next(struct input_source *source, pprofc_error *error) {
  source->consumed += source->size;
  if (source->fd < 0 || source->rest_size) {
    source->data = source->rest;
    source->size = source->rest_size < MEMORY_STEP ? source->rest_size : MEMORY_STEP;
    source->rest_size -= source->size;
    if (source->size) source->rest += source->size;
    return PPROFC_OK;
  }
  ssize_t got;
  do got = read(source->fd, source->step, STEP);
  while (got < 0 && errno == EINTR);
  source->data = source->step;
  source->size = got > 0 ? (size_t)got : 0;
  return got < 0 ? error_set(error, PPROFC_E_IO, "%s", ERRNO_TEXT(errno)) : PPROFC_OK;
}

static pprofc_status sink_reserve(struct input_sink *sink, size_t extra, pprofc_error *error) {
  if (extra <= sink->capacity - sink->size) return PPROFC_OK;
  size_t least = sink->size + extra;
  size_t capacity = array_capacity(sink->capacity, least < STEP ? STEP : least);
  if (input_sink_grow(sink, capacity) || input_sink_grow(sink, least)) return PPROFC_OK;
  return error_nomem(error);
}

bool input_sink_grow(struct input_sink *sink, size_t capacity) {
  if (capacity <= sink->capacity) return true;
  uint8_t *data = arena_grow(&sink->region->arena, sink->data, sink->capacity, capacity);
  if (!data) return false;
  sink->data = data;
  sink->capacity = capacity;
  return true;
}

pprofc_status input_check_limits(const pprofc_limits *limits, uint64_t made, uint64_t read,
                                 bool gzip, pprofc_error *error) {
  if (read > limits->input_bytes)
    return error_set(error, PPROFC_E_LIMIT,
                     "input is larger than %llu bytes (raise the limit input_bytes)",
                     (unsigned long long)limits->input_bytes);
  if (made > limits->inflated_bytes)
    return error_set(error, PPROFC_E_LIMIT,
                     "input inflates to more than %llu bytes (raise the limit inflated_bytes)",
                     (unsigned long long)limits->inflated_bytes);
  if (gzip && made > INPUT_RATIO_FROM && made / limits->inflate_ratio > read)
    return error_set(
        error, PPROFC_E_LIMIT,
        "input inflates to more than %u times its size (raise the limit inflate_ratio)",
        limits->inflate_ratio);
  return PPROFC_OK;
}

static pprofc_status check_limits(const struct input_sink *sink, uint64_t read, bool gzip,
                                  pprofc_error *error) {
  return input_check_limits(sink->limits, sink->size, read, gzip, error);
}

/* ---- plain bytes and gzip, in steps ------------------ */

static pprofc_status copy_plain(struct input_source *source, struct input_sink *sink,
                                pprofc_error *error) {
  pprofc_status status = PPROFC_OK;
  while (source->size && status == PPROFC_OK) {
    status = sink_reserve(sink, source->size, error);
    if (status != PPROFC_OK) break;
    memcpy(sink->data + sink->size, source->data, source->size);
    sink->size += source->size;
    status = check_limits(sink, sink->size, false, error);
    if (status == PPROFC_OK) status = input_source_next(source, error);
  }
  return status;
}

static pprofc_status gzip_fault(int code, uint64_t offset, const char *why, pprofc_error *error) {
  if (code == Z_MEM_ERROR) return error_nomem(error);
  if (code == Z_BUF_ERROR || code == Z_OK)
    return error_at(error, PPROFC_E_FORMAT, offset, "truncated gzip stream");
  return error_at(error, PPROFC_E_FORMAT, offset, "corrupt gzip stream: %s",
                  why ? why : "invalid data");
}

/* Passes the next piece to zlib. Returns false at the end of the input or after an error. */
static bool inflate_feed(z_stream *z, struct input_source *source, pprofc_status *status,
                         pprofc_error *error) {
  *status = input_source_next(source, error);
  if (*status != PPROFC_OK || !source->size) return false;
  z->next_in = (Bytef *)(uintptr_t)source->data;
  z->avail_in = (uInt)source->size;
  return true;
}

/* Inflates a step into the sink. Sets *code to the result of zlib. */
static pprofc_status inflate_step(z_stream *z, struct input_source *source, struct input_sink *sink,
                                  int *code, pprofc_error *error) {
  pprofc_status status = sink_reserve(sink, STEP, error);
  if (status != PPROFC_OK) return status;
  z->next_out = sink->data + sink->size;
  z->avail_out = (uInt)STEP;
  uInt before = z->avail_in;
  *code = inflate(z, Z_NO_FLUSH);
  sink->size += STEP - z->avail_out;
  uint64_t input = source->consumed + source->size - z->avail_in;
  if (*code != Z_OK && *code != Z_STREAM_END && *code != Z_BUF_ERROR)
    return gzip_fault(*code, input, z->msg, error);
  /* Units of progress; 0 if the total is unknown. */
  uint64_t units = sink->source_size ? before - z->avail_in : 0;
  if (!budget_advance(&sink->region->mem, units)) return error_nomem(error);
  return check_limits(sink, input, true, error);
}

/* Inflates all gzip members. The caller has prepared `z` with the first piece of input. */
static pprofc_status inflate_members(z_stream *z, struct input_source *source,
                                     struct input_sink *sink, pprofc_error *error) {
  int code = Z_OK;
  pprofc_status status = PPROFC_OK;
  while (status == PPROFC_OK) {
    if (z->avail_in == 0 && !inflate_feed(z, source, &status, error)) break;
    if (code == Z_STREAM_END && (code = inflateReset(z)) != Z_OK)
      return gzip_fault(code, source->consumed, z->msg, error);
    status = inflate_step(z, source, sink, &code, error);
  }
  if (status != PPROFC_OK || code == Z_STREAM_END) return status;
  return gzip_fault(Z_BUF_ERROR, source->consumed, NULL, error);
}

static pprofc_status inflate_steps(struct input_source *source, struct input_sink *sink,
                                   pprofc_error *error) {
  z_stream z = {0};
  zlib_use_memory(&z, &sink->region->mem);
  if (inflateInit2(&z, 15 + 16) != Z_OK) return error_nomem(error);
  z.next_in = (Bytef *)(uintptr_t)source->data;
  z.avail_in = (uInt)source->size;
  budget_begin(&sink->region->mem, sink->source_size);
  pprofc_status status = inflate_members(&z, source, sink, error);
  inflateEnd(&z);
  return status;
}

static bool is_gzip(const struct input_source *source) {
  return source->size >= 2 && source->data[0] == 0x1F && source->data[1] == 0x8B;
}

static pprofc_status read_steps(struct input_source *source, struct input_sink *sink,
                                pprofc_error *error) {
  return is_gzip(source) ? inflate_steps(source, sink, error) : copy_plain(source, sink, error);
}

/* ---- inflating in memory ------------------------------ */

size_t input_claimed_size(const uint8_t *trailer, uint64_t size, const pprofc_limits *limits) {
  if (size < 18) return 0;
  uint64_t claim = (uint64_t)trailer[0] | (uint64_t)trailer[1] << 8 | (uint64_t)trailer[2] << 16 |
                   (uint64_t)trailer[3] << 24;
  if (claim > limits->inflated_bytes) return 0;
  return claim > INPUT_RATIO_FROM && claim / limits->inflate_ratio > size ? 0 : (size_t)claim;
}

#ifdef HAVE_LIBDEFLATE
#include <libdeflate.h>

bool input_inflate_whole(const uint8_t *data, size_t size, struct input_sink *sink) {
  size_t claim = input_claimed_size(data + size - 4, size, sink->limits);
  if (!claim || !gzip_header_is_usual(data, size) || !input_sink_grow(sink, claim)) return false;
  struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
  if (!d) return false;
  size_t used = 0, made = 0;
  bool done = libdeflate_gzip_decompress_ex(d, data, size, sink->data, claim, &used, &made) ==
                  LIBDEFLATE_SUCCESS &&
              used == size;
  libdeflate_free_decompressor(d);
  sink->size = done ? made : 0;
  return done;
}
#else
bool input_inflate_whole(const uint8_t *data, size_t size, struct input_sink *sink) {
  (void)data, (void)size, (void)sink;
  return false;
}
#endif

static pprofc_status read_all_memory(const uint8_t *data, size_t size, struct input_sink *sink,
                                     pprofc_error *error) {
  struct input_source source = {.fd = -1, .rest = data, .rest_size = size};
  sink->source_size = size;
  if (size > sink->limits->input_bytes) return check_limits(sink, size, false, error);
  pprofc_status status = input_source_next(&source, error);
  if (status != PPROFC_OK) return status;
  if (is_gzip(&source) && size >= 18 && input_inflate_whole(data, size, sink)) return PPROFC_OK;
  return read_steps(&source, sink, error);
}

/* ---- files ------------------------------------------- */

/* Reads a regular file as a whole. Input that is not compressed goes directly into the sink. gzip
 * goes into a block, which is freed after inflating. */
static pprofc_status read_whole(int fd, uint8_t *data, size_t size, size_t *got,
                                pprofc_error *error) {
  *got = 0;
  while (*got < size) {
    ssize_t n = read(fd, data + *got, size - *got);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return error_set(error, PPROFC_E_IO, "%s", ERRNO_TEXT(errno));
    if (n == 0) break; /* The file has become shorter. */
    *got += (size_t)n;
  }
  return PPROFC_OK;
}

static pprofc_status read_regular(int fd, size_t size, struct input_sink *sink,
                                  pprofc_error *error) {
  uint8_t magic[2];
  bool gzip = pread(fd, magic, 2, 0) == 2 && magic[0] == 0x1F && magic[1] == 0x8B;
  pprofc_status status;
  sink->source_size = size;
  if (!gzip) {
    status = sink_reserve(sink, size, error);
    return status == PPROFC_OK ? read_whole(fd, sink->data, size, &sink->size, error) : status;
  }
  if (sink->map && input_inflate_mapped(fd, size, sink)) return PPROFC_OK;
  uint8_t *data = mem_array(&sink->region->mem, size, 1);
  if (!data) return error_nomem(error);
  size_t got;
  status = read_whole(fd, data, size, &got, error);
  if (status == PPROFC_OK) status = read_all_memory(data, got, sink, error);
  mem_free(&sink->region->mem, data, size, 1);
  return status;
}

typedef pprofc_status input_steps(struct input_source *source, struct input_sink *sink,
                                  pprofc_error *error);

static pprofc_status input_read_stream(struct input_source source, struct input_sink *sink,
                                       input_steps *steps, pprofc_error *error) {
  source.step = mem_array(&sink->region->mem, STEP, 1);
  if (!source.step) return error_nomem(error);
  pprofc_status status = input_source_next(&source, error);
  /* A pipe may return only the first byte of gzip's two-byte magic number. */
  if (status == PPROFC_OK && source.size == 1) {
    source.step[0] = source.data[0];
    source.data = source.step;
    ssize_t more = read(source.fd, source.step + 1, STEP - 1);
    if (more > 0) source.size += (size_t)more;
  }
  if (status == PPROFC_OK) status = steps(&source, sink, error);
  sink->source_size = source.consumed + source.size;
  mem_free(&sink->region->mem, source.step, STEP, 1);
  return status;
}

static pprofc_status read_fd(int fd, struct input_sink *sink, pprofc_error *error) {
  struct stat info;
  if (fstat(fd, &info) != 0) return error_set(error, PPROFC_E_IO, "%s", ERRNO_TEXT(errno));
  if (S_ISDIR(info.st_mode)) return error_set(error, PPROFC_E_IO, "is a directory");
  bool at_start = S_ISREG(info.st_mode) && info.st_size > 0 && lseek(fd, 0, SEEK_CUR) == 0;
  if (!at_start) return input_read_stream((struct input_source){.fd = fd}, sink, read_steps, error);
  if ((uint64_t)info.st_size > sink->limits->input_bytes)
    return check_limits(sink, (uint64_t)info.st_size, false, error);
  if ((uint64_t)info.st_size > SIZE_MAX) return error_nomem(error);
  return read_regular(fd, (size_t)info.st_size, sink, error);
}

/* Frees the unused part of the block. */
static void sink_trim(struct input_sink *sink) {
  if (sink->size < STEP || sink->capacity - sink->size < STEP) return;
  uint8_t *data = arena_grow(&sink->region->arena, sink->data, sink->capacity, sink->size);
  if (data) sink->data = data;
}

/* ---- public ------------------------------------------ */

static pprofc_status input_finish(pprofc_status status, struct input_sink *sink,
                                  struct input *input) {
  if (status != PPROFC_OK) {
    region_release(sink->region);
    return status;
  }
  sink_trim(sink);
  *input = (struct input){sink->region, sink->data, sink->size, sink->source_size};
  return PPROFC_OK;
}

pprofc_status input_read_memory(const void *data, size_t size, const pprofc_allocator *mem,
                                const pprofc_limits *limits, struct input *input,
                                pprofc_error *error) {
  struct input_sink sink = {.region = region_new(mem), .limits = limits};
  if (!sink.region) return error_nomem(error);
  return input_finish(read_all_memory(data, size, &sink, error), &sink, input);
}

static int input_fd_open(const char *path, pprofc_error *error) {
  int fd = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (fd < 0) error_set(error, PPROFC_E_IO, "%s", ERRNO_TEXT(errno));
  return fd;
}

int input_open_regular(const char *path, size_t *size) {
  struct stat info;
  /* Do not open a pipe. It can be read only once, and closing a named pipe loses data. */
  if (strcmp(path, "-") == 0 || stat(path, &info) != 0 || !S_ISREG(info.st_mode)) return -1;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (fd < 0) return -1;
  *size = 0;
  if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0 &&
      (uint64_t)info.st_size <= SIZE_MAX)
    *size = (size_t)info.st_size;
  if (*size) return fd;
  close(fd);
  return -1;
}

static void input_fd_close(int fd) {
  if (fd > STDIN_FILENO) close(fd);
}

pprofc_status input_read_file(const char *path, const pprofc_allocator *mem,
                              const pprofc_limits *limits, bool map, struct input *input,
                              pprofc_error *error) {
  int fd = input_fd_open(path, error);
  if (fd < 0) return PPROFC_E_IO;
  struct input_sink sink = {.region = region_new(mem), .limits = limits, .map = map};
  pprofc_status status = sink.region ? read_fd(fd, &sink, error) : error_nomem(error);
  input_fd_close(fd);
  return input_finish(status, &sink, input);
}

/* ---- pipes ------------------------------------------- */

bool input_is_pipe(const char *path) {
  struct stat info;
  bool is_stdin = strcmp(path, "-") == 0;
  int failed = is_stdin ? fstat(STDIN_FILENO, &info) : stat(path, &info);
  return failed == 0 && !S_ISDIR(info.st_mode) && (is_stdin || !S_ISREG(info.st_mode));
}

pprofc_status input_pipe_open(struct input_pipe *pipe, const char *path, size_t room,
                              const pprofc_allocator *mem, pprofc_error *error) {
  *pipe = (struct input_pipe){.fd = input_fd_open(path, error), .mem = mem, .room = room};
  if (pipe->fd < 0) return PPROFC_E_IO;
  pipe->head = mem_array(mem, room, 1);
  pprofc_status status =
      pipe->head ? read_whole(pipe->fd, pipe->head, room, &pipe->size, error) : error_nomem(error);
  if (status != PPROFC_OK) input_pipe_close(pipe);
  return status;
}

void input_pipe_close(struct input_pipe *pipe) {
  mem_free(pipe->mem, pipe->head, pipe->room, 1);
  input_fd_close(pipe->fd);
}

pprofc_status input_pipe_read(const struct input_pipe *pipe, const pprofc_limits *limits,
                              bool inflate, struct input *input, pprofc_error *error) {
  struct input_source source = {.fd = pipe->fd, .rest = pipe->head, .rest_size = pipe->size};
  struct input_sink sink = {.region = region_new(pipe->mem), .limits = limits};
  if (!sink.region) return error_nomem(error);
  return input_finish(input_read_stream(source, &sink, inflate ? read_steps : copy_plain, error),
                      &sink, input);
}
