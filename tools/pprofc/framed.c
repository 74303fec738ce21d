/* Reads a stream of profiles from standard input. */
#include "steps.h"

void framed_init(struct framed *framed, const pprofc_limits *limits) {
  *framed = (struct framed){.most = limits->input_bytes};
  arena_init(&framed->arena, &mem_default);
}

void framed_free(struct framed *framed) {
  arena_free(&framed->arena);
}

/* Reads `size` bytes, or fewer at the end of the stream. Sets *got to their number. */
static pprofc_status framed_fill(struct framed *framed, void *into, size_t size, size_t *got,
                                 pprofc_error *error) {
  *got = 0;
  while (*got < size) {
    ssize_t n = read(STDIN_FILENO, (char *)into + *got, size - *got);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0)
      return error_set(error, PPROFC_E_IO, "cannot read standard input: %s", ERRNO_TEXT(errno));
    if (n == 0) break;
    *got += (size_t)n;
    framed->offset += (uint64_t)n;
  }
  return PPROFC_OK;
}

static pprofc_status framed_cut(const struct framed *framed, const char *what, size_t got,
                                size_t size, pprofc_error *error) {
  return error_set(error, PPROFC_E_FORMAT,
                   "standard input ends in frame %zu: %zu of the %zu bytes of its %s (offset %llu)",
                   framed->count + 1, got, size, what, (unsigned long long)framed->offset);
}

/* Reads a profile in pieces, so a wrong length in the stream allocates little memory. */
static pprofc_status framed_body(struct framed *framed, struct buffer *frame, size_t size,
                                 pprofc_error *error) {
  char piece[64 * 1024];
  while (frame->size < size) {
    size_t wanted = size - frame->size < sizeof piece ? size - frame->size : sizeof piece, got;
    pprofc_status status = framed_fill(framed, piece, wanted, &got, error);
    if (status) return status;
    buffer_add(frame, piece, got);
    if (frame->failed) return error_nomem(error);
    if (got < wanted) return framed_cut(framed, "profile", frame->size, size, error);
  }
  return PPROFC_OK;
}

static pprofc_status framed_length(struct framed *framed, size_t *size, pprofc_error *error) {
  uint8_t head[4];
  size_t got;
  pprofc_status status = framed_fill(framed, head, sizeof head, &got, error);
  if (status) return status;
  framed->ended = got == 0;
  if (framed->ended) return PPROFC_OK;
  if (got < sizeof head) return framed_cut(framed, "length", got, sizeof head, error);
  *size = (size_t)head[0] << 24 | (size_t)head[1] << 16 | (size_t)head[2] << 8 | head[3];
  if (*size <= framed->most) return PPROFC_OK;
  return error_set(error, PPROFC_E_LIMIT,
                   "frame %zu has %zu bytes, more than the limit of %llu (offset %llu)",
                   framed->count + 1, *size, (unsigned long long)framed->most,
                   (unsigned long long)framed->offset - 4);
}

pprofc_status framed_next(struct framed *framed, struct buffer *frame, const char **name,
                          pprofc_error *error) {
  size_t size = 0;
  *name = NULL;
  buffer_init(frame, &mem_default, SIZE_MAX);
  pprofc_status status = framed_length(framed, &size, error);
  if (status || framed->ended) return status;
  status = framed_body(framed, frame, size, error);
  if (!status) *name = text_printf(&framed->arena, "frame %zu of standard input", ++framed->count);
  if (*name) return PPROFC_OK;
  buffer_free(frame);
  return status ? status : error_nomem(error);
}

pprofc_status framed_read(const struct buffer *frame, const char *name,
                          const pprofc_read_options *options, pprofc_profile **profile,
                          pprofc_error *error) {
  pprofc_status status = pprofc_profile_read_memory(frame->data ? frame->data : "", frame->size,
                                                    options, profile, error);
  if (status != PPROFC_OK && status != PPROFC_E_NOMEM)
    error_prefix(error, "cannot read '%s': ", name);
  return status;
}
