/* Reads text line by line, from memory or from a stream. */
#ifndef PPROFC_IMPORT_TEXT_STREAM_H
#define PPROFC_IMPORT_TEXT_STREAM_H

#include "core/base.h"
#include "pprofc/profile.h"

struct text_source;

struct text_stream {
  pprofc_str rest;            /* unread text in memory, beginning with the next line */
  bool whole;                 /* true if no text follows `rest` */
  const char *last;           /* last line feed in memory, or NULL */
  pprofc_str begin;           /* whole text, if `source` is NULL */
  struct text_source *source; /* source of more text; NULL if all text is in memory */
};

/* Returns a stream over text that stays in memory. */
static inline struct text_stream text_stream_of(pprofc_str text) {
  return (struct text_stream){.rest = text, .whole = true, .begin = text};
}

/* Bytes of an input: first the bytes in memory, then the bytes that the descriptor `fd` returns. If
 * `fd` is -1, there is no descriptor. */
struct text_bytes {
  const void *data;
  size_t size;
  int fd;
  bool once; /* true if fd is a pipe and cannot be read again */
};

/* Number of bytes that are in memory when a stream is opened. */
#define TEXT_HEAD THRESHOLD((size_t)1 << 20)

/* Number of bytes to check when deciding if an input is text. */
#define TEXT_LOOK (TEXT_HEAD < 4096 ? TEXT_HEAD : 4096)

/* True if the first bytes may be text: they have no control characters except white space. */
bool text_begins(pprofc_str data);

/* Opens a stream over bytes, inflates gzip and reads the first TEXT_HEAD bytes. Returns
 * PPROFC_E_NO_MATCH if these bytes are not text in UTF-8. */
pprofc_status text_stream_open(struct text_stream *stream, const struct text_bytes *bytes,
                               unsigned threads, const pprofc_allocator *mem,
                               const pprofc_limits *limits, pprofc_error *error);
void text_stream_close(struct text_stream *stream);

/* True if the input can be read again. */
bool text_stream_can_rewind(const struct text_stream *stream);
/* Begins again at the first line. Returns false on failure, or if the input cannot be read
 * again. */
bool text_stream_rewind(struct text_stream *stream);

/* Sets *line to the next line, without its line end. Returns false at the end or after a failure.
 * The line and `rest` are valid until the next call. */
bool text_stream_line(struct text_stream *stream, pprofc_str *line);

/* Returns PPROFC_OK, or the failure that ended the text early. */
pprofc_status text_stream_status(const struct text_stream *stream, pprofc_error *error);

#endif
