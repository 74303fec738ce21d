/* Reads the bytes of an input: a file, standard input or memory. Inflates gzip.
 *
 * There are two ways to inflate. libdeflate is twice as fast, but needs the whole input and a
 * buffer of the right size. So libdeflate is used only if the size in the gzip trailer is
 * plausible. For all other input (pipes, several members, a wrong size, a corrupt stream), zlib
 * runs step by step, and each step checks the limits. */
#include "codec/inflater.h"
#include "core/parallel.h"

#include <stdatomic.h>

static pprofc_status sink_reserve(struct input_sink *sink, size_t extra, pprofc_error *error) {
  if (extra <= sink->capacity - sink->size) return PPROFC_OK;
  size_t least = sink->size + extra;
  size_t capacity = array_capacity(sink->capacity, least < INPUT_STEP ? INPUT_STEP : least);
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

static pprofc_status check_limits(const struct input_sink *sink, uint64_t read,
                                  pprofc_error *error) {
  return input_check_limits(sink->limits, sink->size, read, false, error);
}

/* ---- plain bytes and gzip, in steps ------------------ */

static pprofc_status fill_step(struct inflater *in, struct input_sink *sink, size_t *got,
                               pprofc_error *error) {
  uint64_t before = inflater_read(in);
  pprofc_status status = sink_reserve(sink, INPUT_STEP, error);
  if (status != PPROFC_OK) return status;
  if (!inflater_fill(in, sink->data + sink->size, INPUT_STEP, got))
    return inflater_fault(in, error);
  sink->size += *got;
  /* Progress in bytes of the source; 0 if the total is unknown. */
  uint64_t units = sink->source_size ? inflater_read(in) - before : 0;
  return budget_advance(&sink->region->mem, units) ? PPROFC_OK : error_nomem(error);
}

/* Reads a stream in steps: first `data`, then the rest of the file `fd`, unless `fd` is -1. */
static pprofc_status read_steps(int fd, const void *data, size_t size, enum inflater_way way,
                                struct input_sink *sink, pprofc_error *error) {
  const pprofc_allocator *mem = &sink->region->mem;
  struct inflater *in = inflater_open(fd, data, size, way, mem, sink->limits);
  pprofc_status status = PPROFC_OK;
  if (!in) return error_nomem(error);
  budget_begin(mem, sink->source_size);
  for (size_t got = 1; got && status == PPROFC_OK;) status = fill_step(in, sink, &got, error);
  sink->source_size = inflater_read(in);
  inflater_close(in);
  return status;
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

/* Inflated size in bytes from which a second thread prepares pages. */
#define PREPARE_FROM ((size_t)8 << 20)

/* Inflating in memory on one thread, while another thread prepares the pages of the output. */
struct inflating {
  const uint8_t *data;
  size_t size, claim; /* compressed size, and inflated size according to the gzip trailer */
  struct input_sink *sink;
  struct libdeflate_decompressor *decompressor;
  bool good;
  atomic_bool ended;
};

static void inflating_work(void *context, unsigned worker) {
  struct inflating *in = context;
  size_t used = 0;
  if (worker) {
    for (size_t at = 0; at < in->claim && !atomic_load(&in->ended); at += INPUT_STEP)
      mem_will_write(in->sink->data + at,
                     in->claim - at < INPUT_STEP ? in->claim - at : INPUT_STEP);
    return;
  }
  in->good =
      libdeflate_gzip_decompress_ex(in->decompressor, in->data, in->size, in->sink->data, in->claim,
                                    &used, &in->sink->size) == LIBDEFLATE_SUCCESS &&
      used == in->size;
  atomic_store(&in->ended, true);
}

bool input_inflate_whole(const uint8_t *data, size_t size, struct input_sink *sink) {
  size_t claim = input_claimed_size(data + size - 4, size, sink->limits);
  if (!claim || !gzip_header_is_usual(data, size) || !input_sink_grow(sink, claim)) return false;
  struct inflating in = {.data = data,
                         .size = size,
                         .claim = claim,
                         .sink = sink,
                         .decompressor = libdeflate_alloc_decompressor()};
  if (!in.decompressor) return false;
  parallel_run(claim < PREPARE_FROM ? 1 : parallel_workers(0, 2, 1), inflating_work, &in);
  libdeflate_free_decompressor(in.decompressor);
  if (!in.good) sink->size = 0;
  return in.good;
}
#else
bool input_inflate_whole(const uint8_t *data, size_t size, struct input_sink *sink) {
  (void)data, (void)size, (void)sink;
  return false;
}
#endif

static pprofc_status read_all_memory(const uint8_t *data, size_t size, struct input_sink *sink,
                                     pprofc_error *error) {
  sink->source_size = size;
  if (size > sink->limits->input_bytes) return check_limits(sink, size, error);
  if (input_is_gzip(data, size)) {
    if (size >= 18 && input_inflate_whole(data, size, sink)) return PPROFC_OK;
    return read_steps(-1, data, size, INFLATER_ZLIB, sink, error);
  }
  pprofc_status status = sink_reserve(sink, size, error);
  if (status != PPROFC_OK || !size) return status;
  memcpy(sink->data, data, size);
  sink->size = size;
  return check_limits(sink, size, error);
}

/* ---- files ------------------------------------------- */

/* Reads `size` bytes, or fewer if the file ends before. Sets *got to the number of bytes. */
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

/* Reads a regular file as a whole. Reads uncompressed input directly into the sink. Reads gzip into
 * a temporary block, and inflates the block into the sink. */
static pprofc_status read_regular(int fd, size_t size, struct input_sink *sink,
                                  pprofc_error *error) {
  uint8_t magic[2];
  bool gzip = pread(fd, magic, 2, 0) == 2 && input_is_gzip(magic, 2);
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

static pprofc_status read_fd(int fd, struct input_sink *sink, pprofc_error *error) {
  struct stat info;
  if (fstat(fd, &info) != 0) return error_set(error, PPROFC_E_IO, "%s", ERRNO_TEXT(errno));
  if (S_ISDIR(info.st_mode)) return error_set(error, PPROFC_E_IO, "is a directory");
  bool at_start = S_ISREG(info.st_mode) && info.st_size > 0 && lseek(fd, 0, SEEK_CUR) == 0;
  if (!at_start) return read_steps(fd, NULL, 0, INFLATER_ZLIB, sink, error);
  if ((uint64_t)info.st_size > sink->limits->input_bytes)
    return check_limits(sink, (uint64_t)info.st_size, error);
  if ((uint64_t)info.st_size > SIZE_MAX) return error_nomem(error);
  return read_regular(fd, (size_t)info.st_size, sink, error);
}

/* Frees the unused part of the block. */
static void sink_trim(struct input_sink *sink) {
  if (sink->size < INPUT_STEP || sink->capacity - sink->size < INPUT_STEP) return;
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
  /* Do not open a pipe, because it can be read only once, and closing it loses data. */
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
  enum inflater_way way = inflate ? INFLATER_ZLIB : INFLATER_PLAIN;
  struct input_sink sink = {.region = region_new(pipe->mem), .limits = limits};
  if (!sink.region) return error_nomem(error);
  return input_finish(read_steps(pipe->fd, pipe->head, pipe->size, way, &sink, error), &sink,
                      input);
}
