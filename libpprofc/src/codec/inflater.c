/* Inflates step by step. Uses ISA-L if it is installed, and otherwise zlib. */
#include "codec/inflater.h"
#include "codec/zlib_memory.h"
#include "core/library.h"

#ifdef HAVE_ISAL
#include <isa-l/igzip_lib.h>

/* Functions of ISA-L, a library that inflates a stream several times as fast as zlib. It is loaded
 * only for large profiles that are read step by step, because loading takes longer than reading a
 * small profile. */
struct isal {
  void (*init)(struct inflate_state *state);
  void (*reset)(struct inflate_state *state);
  int (*inflate)(struct inflate_state *state);
};

/* Loads the library. It stays loaded until the process ends. Returns false if it is not installed.
 * Any thread may call this function. */
static bool isal_load(struct isal *isal) {
  const struct library_function functions[] = {{"isal_inflate_init", &isal->init},
                                               {"isal_inflate_reset", &isal->reset},
                                               {"isal_inflate", &isal->inflate}};
  pprofc_error error;
  return library_load(library_names(LIBRARY_ISAL, SYSTEM_HERE), functions, COUNT(functions),
                      &error) == PPROFC_OK;
}
#endif

/* Maximum size in bytes of a piece of the input in memory. It is limited, because zlib's sizes have
 * 32 bits. */
#define MEMORY_STEP ((size_t)1 << 30)

/* Source of the compressed bytes, read in pieces: bytes in memory, then the rest of a file. */
struct inflater_source {
  int fd;              /* file descriptor of the source, or -1 */
  const uint8_t *rest; /* unread part of the bytes in memory */
  size_t rest_size;
  uint8_t *step;       /* buffer of INPUT_STEP bytes for reads of fd */
  const uint8_t *data; /* bytes of the piece that was read last */
  size_t size;
  uint64_t consumed; /* number of bytes of the source before the current piece */
};

struct inflater {
  const pprofc_allocator *mem;
  const pprofc_limits *limits;
  struct inflater_source source;
  uint64_t made;      /* number of output bytes so far */
  pprofc_error error; /* error while reading the file, or an exceeded limit */
  enum inflater_way way;
  bool gzip, at_end;
  bool between; /* true if a gzip member has ended, so that another member may begin */
  bool (*step)(struct inflater *inflater, uint8_t **out, size_t *room);
  z_stream zlib;
  bool zlib_open;
  int code; /* result of zlib's last step */
#ifdef HAVE_ISAL
  struct isal isal;
  struct inflate_state *state;
#endif
};

/* ---- input ------------------------------------------- */

/* Gets the next piece of the source. The size of the piece is 0 at the end of the input. */
static pprofc_status inflater_source_next(struct inflater_source *source, pprofc_error *error) {
  source->consumed += source->size;
  if (source->fd < 0 || source->rest_size) {
    source->data = source->rest;
    source->size = source->rest_size < MEMORY_STEP ? source->rest_size : MEMORY_STEP;
    source->rest_size -= source->size;
    if (source->size) source->rest += source->size;
    return PPROFC_OK;
  }
  ssize_t got;
  do got = read(source->fd, source->step, INPUT_STEP);
  while (got < 0 && errno == EINTR);
  source->data = source->step;
  source->size = got > 0 ? (size_t)got : 0;
  return got < 0 ? error_set(error, PPROFC_E_IO, "%s", ERRNO_TEXT(errno)) : PPROFC_OK;
}

/* Returns the number of unread bytes of the current piece. */
static size_t inflater_left(const struct inflater *in) {
#ifdef HAVE_ISAL
  if (in->state) return in->state->avail_in;
#endif
  return in->zlib.avail_in;
}

static void inflater_feed(struct inflater *in) {
  uint8_t *data = (uint8_t *)(uintptr_t)in->source.data;
#ifdef HAVE_ISAL
  if (in->state) {
    in->state->next_in = data;
    in->state->avail_in = (uint32_t)in->source.size;
    return;
  }
#endif
  in->zlib.next_in = data;
  in->zlib.avail_in = (uInt)in->source.size;
}

uint64_t inflater_read(const struct inflater *in) {
  return in->source.consumed + (in->gzip ? in->source.size - inflater_left(in) : 0);
}

static bool inflater_within_limits(struct inflater *in) {
  return input_check_limits(in->limits, in->made, inflater_read(in), in->gzip, &in->error) ==
         PPROFC_OK;
}

pprofc_status inflater_status(const struct inflater *in, pprofc_error *error) {
  if (in->error.status) *error = in->error;
  return in->error.status;
}

pprofc_status inflater_fault(const struct inflater *in, pprofc_error *error) {
  if (in->error.status) return inflater_status(in, error);
  if (in->code == Z_MEM_ERROR) return error_nomem(error);
  if (in->code == Z_BUF_ERROR || in->code == Z_OK)
    return error_at(error, PPROFC_E_FORMAT, inflater_read(in), "truncated gzip stream");
  return error_at(error, PPROFC_E_FORMAT, inflater_read(in), "corrupt gzip stream: %s",
                  in->zlib.msg ? in->zlib.msg : "invalid data");
}

/* ---- steps ------------------------------------------- */

/* Each inflater_step_* function inflates bytes from the current piece of the source. It adds the
 * number of written bytes to *out, and subtracts the number from *room. */

static bool inflater_step_plain(struct inflater *in, uint8_t **out, size_t *room) {
  size_t size = in->source.size < *room ? in->source.size : *room;
  memcpy(*out, in->source.data, size);
  in->source.data += size;
  in->source.size -= size;
  in->source.consumed += size;
  *out += size;
  *room -= size;
  return true;
}

static bool inflater_step_zlib(struct inflater *in, uint8_t **out, size_t *room) {
  z_stream *z = &in->zlib;
  if (in->between && (in->code = inflateReset(z)) != Z_OK) return false;
  z->next_out = *out;
  z->avail_out = (uInt)*room;
  in->code = inflate(z, Z_NO_FLUSH);
  in->between = in->code == Z_STREAM_END;
  *out = z->next_out;
  *room = z->avail_out;
  return in->code == Z_OK || in->between || in->code == Z_BUF_ERROR;
}

#ifdef HAVE_ISAL
/* Clears the upper halves of the vector registers, which ISA-L leaves set. On some processors, set
 * halves make later SSE code slow: with them, writing a large profile took 1.2 times as long. */
static void inflater_clear_vectors(void) {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx")) __asm__ volatile("vzeroupper");
#endif
}

static bool inflater_step_isal(struct inflater *in, uint8_t **out, size_t *room) {
  struct inflate_state *state = in->state;
  if (in->between) {
    if (!gzip_header_is_usual(state->next_in, state->avail_in)) return false;
    in->isal.reset(state);
    state->crc_flag = ISAL_GZIP;
  }
  state->next_out = *out;
  state->avail_out = (uint32_t)*room;
  int code = in->isal.inflate(state);
  inflater_clear_vectors();
  in->between = state->block_state == ISAL_BLOCK_FINISH;
  *out = state->next_out;
  *room = state->avail_out;
  return code == ISAL_DECOMP_OK;
}
#endif

/* True if the next step needs input but the current piece is empty. */
static bool inflater_is_hungry(const struct inflater *in) {
  return in->gzip ? inflater_left(in) == 0 : in->source.size == 0;
}

/* Handles the end of the input: runs a last step without input, because the decoder may still have
 * output. */
static bool inflater_finish(struct inflater *in, uint8_t **out, size_t *room) {
  in->at_end = true;
  if (!in->gzip || in->between) return true;
  size_t before = *room;
  if (!in->step(in, out, room)) return false;
  in->at_end = in->between;
  /* If the step wrote nothing and no gzip member has ended, the stream is truncated. */
  return in->between || *room < before;
}

bool inflater_fill(struct inflater *in, uint8_t *out, size_t room, size_t *got) {
  uint8_t *at = out;
  if (in->error.status) return false;
  while (room && !in->at_end) {
    if (inflater_is_hungry(in)) {
      if (inflater_source_next(&in->source, &in->error) != PPROFC_OK) return false;
      inflater_feed(in);
      if (!in->source.size) {
        if (!inflater_finish(in, &at, &room)) return false;
        continue;
      }
    }
    if (!in->step(in, &at, &room)) return false;
  }
  *got = (size_t)(at - out);
  in->made += *got;
  return inflater_within_limits(in);
}

/* ---- beginning and end ------------------------------- */

static bool inflater_begin_zlib(struct inflater *in) {
  zlib_use_memory(&in->zlib, in->mem);
  in->zlib_open = inflateInit2(&in->zlib, 15 + 16) == Z_OK;
  in->step = inflater_step_zlib;
  return in->zlib_open;
}

static bool inflater_begin_gzip(struct inflater *in) {
#ifdef HAVE_ISAL
  if (in->way == INFLATER_FASTEST && isal_load(&in->isal))
    in->state = mem_array(in->mem, 1, sizeof *in->state);
  if (in->state) {
    in->isal.init(in->state);
    in->between = true;
    in->step = inflater_step_isal;
    return true;
  }
#endif
  return inflater_begin_zlib(in);
}

/* Reads the second byte of gzip's magic number if a pipe has returned only the first byte. */
static void inflater_complete_magic(struct inflater_source *source) {
  if (source->fd < 0 || source->size != 1) return;
  source->step[0] = source->data[0];
  source->data = source->step;
  ssize_t more = read(source->fd, source->step + 1, INPUT_STEP - 1);
  if (more > 0) source->size += (size_t)more;
}

static bool inflater_begin(struct inflater *in) {
  if (in->source.fd >= 0) {
    in->source.step = mem_array(in->mem, INPUT_STEP, 1);
    if (!in->source.step) return false;
  }
  in->step = inflater_step_plain;
  /* If this call fails, the first inflater_fill also fails, so do not report the error here. */
  if (inflater_source_next(&in->source, &in->error) != PPROFC_OK) return true;
  inflater_complete_magic(&in->source);
  in->gzip = in->way != INFLATER_PLAIN && input_is_gzip(in->source.data, in->source.size);
  if (!in->gzip) return true;
  if (!inflater_begin_gzip(in)) return false;
  inflater_feed(in);
  return true;
}

struct inflater *inflater_open(int fd, const void *data, size_t size, enum inflater_way way,
                               const pprofc_allocator *mem, const pprofc_limits *limits) {
  struct inflater *in = mem_zero_array(mem, 1, sizeof *in);
  if (!in) return NULL;
  in->mem = mem;
  in->limits = limits;
  in->way = way;
  in->source = (struct inflater_source){.fd = fd, .rest = data, .rest_size = data ? size : 0};
  if (inflater_begin(in)) return in;
  inflater_close(in);
  return NULL;
}

void inflater_close(struct inflater *in) {
#ifdef HAVE_ISAL
  mem_free(in->mem, in->state, 1, sizeof *in->state);
#endif
  if (in->zlib_open) inflateEnd(&in->zlib);
  mem_free(in->mem, in->source.step, in->source.step ? INPUT_STEP : 0, 1);
  mem_free(in->mem, in, 1, sizeof *in);
}
