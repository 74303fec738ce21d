/* Reads text line by line, from memory or from a stream. A stream arrives in blocks of bytes
 * (windows), whose memory is freed after use. */
#include "import/text_stream.h"
#include "codec/window_ring.h"

struct text_source {
  const pprofc_allocator *mem;
  const pprofc_limits *limits;
  struct text_bytes bytes;
  unsigned threads;
  struct inflater *inflater;
  /* reader of the windows; NULL while the stream's first block of text is enough */
  struct window_ring *ring;
  char *text; /* buffer for unread text, of `room` bytes */
  size_t size, room;
  /* no_memory: true if memory ran out; failed: true if the stream is corrupt, cannot be read or
   * exceeds a limit */
  bool no_memory, failed;
};

/* ---- beginning --------------------------------------- */

bool text_begins(pprofc_str data) {
  size_t size = data.size < TEXT_LOOK ? data.size : TEXT_LOOK;
  for (size_t i = 0; i < size; i++)
    if ((unsigned char)data.data[i] < ' ' && !strchr("\t\n\r\f", data.data[i])) return false;
  return size && memchr(data.data, '\0', size) == NULL;
}

/* Reads until `size` bytes are in memory or the input ends. Returns false on failure. */
static bool text_source_fill(struct text_source *source, size_t size) {
  size_t got = 0;
  uint8_t *to = (uint8_t *)source->text + source->size;
  source->failed = !inflater_fill(source->inflater, to, size - source->size, &got);
  source->size += got;
  return !source->failed;
}

/* Opens the input and reads its first bytes. Returns false if these bytes are not text, and on
 * failure. */
static bool text_source_begin(struct text_source *source) {
  const struct text_bytes *bytes = &source->bytes;
  source->size = 0;
  source->inflater = inflater_open(bytes->fd, bytes->data, bytes->size, INFLATER_FASTEST,
                                   source->mem, source->limits);
  source->no_memory = !source->inflater;
  return source->inflater && text_source_fill(source, TEXT_LOOK) &&
         text_begins((pprofc_str){source->text, source->size}) &&
         text_source_fill(source, TEXT_HEAD);
}

/* Sets stream->rest to the text in memory, without its first `skipped` bytes. */
static void text_stream_show(struct text_stream *stream, size_t skipped) {
  const struct text_source *source = stream->source;
  pprofc_str text = {source->text, source->size};
  size_t at = str_find_last_char(text, '\n');
  stream->last = at < text.size ? text.data + at : NULL;
  stream->rest = str_from(text, skipped);
}

static void text_stream_show_first(struct text_stream *stream) {
  pprofc_str text = {stream->source->text, stream->source->size};
  stream->whole = text.size < TEXT_HEAD;
  text_stream_show(stream, str_starts(text, STR("\xEF\xBB\xBF")) ? 3 : 0);
}

static void text_source_end(struct text_source *source) {
  if (source->ring) window_ring_close(source->ring);
  if (source->inflater) inflater_close(source->inflater);
  source->ring = NULL;
  source->inflater = NULL;
}

pprofc_status text_stream_open(struct text_stream *stream, const struct text_bytes *bytes,
                               unsigned threads, const pprofc_allocator *mem,
                               const pprofc_limits *limits, pprofc_error *error) {
  struct text_source *source = mem_zero_array(mem, 1, sizeof *source);
  *stream = (struct text_stream){.source = source};
  if (!source) return error_nomem(error);
  *source = (struct text_source){.mem = mem, .limits = limits, .bytes = *bytes, .threads = threads};
  source->no_memory = !ARRAY_RESERVE(mem, source->text, source->room, TEXT_HEAD);
  if (source->no_memory || !text_source_begin(source)) {
    pprofc_status status = source->no_memory ? error_nomem(error) : PPROFC_E_NO_MATCH;
    text_stream_close(stream);
    return status;
  }
  text_stream_show_first(stream);
  return PPROFC_OK;
}

void text_stream_close(struct text_stream *stream) {
  struct text_source *source = stream->source;
  text_source_end(source);
  ARRAY_FREE(source->mem, source->text, source->room);
  mem_free(source->mem, source, 1, sizeof *source);
  *stream = (struct text_stream){.whole = true};
}

bool text_stream_can_rewind(const struct text_stream *stream) {
  return !stream->source || !stream->source->bytes.once;
}

bool text_stream_rewind(struct text_stream *stream) {
  struct text_source *source = stream->source;
  if (!source) {
    stream->rest = stream->begin;
    return true;
  }
  if (source->failed || source->no_memory) return false;
  text_source_end(source);
  if (source->bytes.fd >= 0 && lseek(source->bytes.fd, 0, SEEK_SET) != 0) return false;
  if (!text_source_begin(source)) return false;
  text_stream_show_first(stream);
  return true;
}

/* ---- lines ------------------------------------------- */

/* Appends the next window to the text in memory. Returns false at the end and after a failure. */
static bool text_source_append(struct text_source *source) {
  struct window window;
  source->failed = !window_ring_next(source->ring, &window);
  if (source->failed || !window.size) return false;
  source->no_memory =
      budget_stopped(source->mem) ||
      !ARRAY_RESERVE(source->mem, source->text, source->room, source->size + window.size);
  if (source->no_memory) return false;
  memcpy(source->text + source->size, window.data, window.size);
  source->size += window.size;
  return true;
}

/* Moves the unread text to the front. Appends windows until the size of the unread text has
 * doubled, so that reading a long line takes linear time. Sets stream->whole at the end of the
 * input. */
static void text_stream_more(struct text_stream *stream) {
  struct text_source *source = stream->source;
  size_t unread = stream->rest.size;
  if (unread) memmove(source->text, stream->rest.data, unread);
  source->size = unread;
  if (!source->ring)
    source->ring = window_ring_open(source->inflater, source->threads, source->mem);
  source->no_memory = !source->ring;
  do stream->whole = source->no_memory || !text_source_append(source);
  while (!stream->whole && source->size < 2 * unread);
  if (source->failed || source->no_memory) source->size = 0;
  text_stream_show(stream, 0);
}

bool text_stream_line(struct text_stream *stream, pprofc_str *line) {
  for (;; text_stream_more(stream)) {
    pprofc_str rest = stream->rest;
    bool found = str_next_line(&rest, line);
    if (!stream->whole && (!stream->last || rest.data > stream->last)) continue;
    stream->rest = rest;
    return found;
  }
}

pprofc_status text_stream_status(const struct text_stream *stream, pprofc_error *error) {
  const struct text_source *source = stream->source;
  if (!source) return PPROFC_OK;
  if (source->no_memory) return error_nomem(error);
  if (!source->failed) return PPROFC_OK;
  pprofc_status status = source->bytes.once ? inflater_status(source->inflater, error) : PPROFC_OK;
  return status ? status : PPROFC_E_NO_MATCH;
}
