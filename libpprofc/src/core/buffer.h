/* Declares a growable byte buffer with a maximum size. The buffer remembers a failure, so callers
 * append any number of times and check `failed` once. */
#ifndef PPROFC_CORE_BUFFER_H
#define PPROFC_CORE_BUFFER_H

#include "core/mem.h"
#include "core/str.h"

struct buffer {
  const pprofc_allocator *mem;
  char *data;
  size_t size, capacity;
  size_t ceiling; /* maximum size in bytes */
  bool failed;    /* true if memory ran out or the buffer is full; later data is missing */
};

/* Returns an empty buffer. buffer_init does the same with an existing variable. */
static inline struct buffer buffer_make(const pprofc_allocator *mem, size_t ceiling) {
  return (struct buffer){.mem = mem, .ceiling = ceiling};
}

void buffer_init(struct buffer *buffer, const pprofc_allocator *mem, size_t ceiling);
void buffer_free(struct buffer *buffer);

/* Provides space for `extra` more bytes in a buffer. Returns false if the buffer has failed. */
bool buffer_reserve(struct buffer *buffer, size_t extra);

void buffer_add(struct buffer *buffer, const void *data, size_t size);
void buffer_add_str(struct buffer *buffer, pprofc_str s);
void buffer_add_text(struct buffer *buffer, const char *text);
void buffer_add_char(struct buffer *buffer, char c);
void buffer_add_fill(struct buffer *buffer, char c, size_t count);
/* Appends data. The function is a pprofc_write_fn whose context is a struct buffer. Returns a value
 * other than 0 if the buffer has failed. */
int buffer_write(void *buffer, const void *data, size_t size);

/* Appends a number with a fixed number of decimals (0 to 9), like "%.*f" but faster. If `decimals`
 * is negative, appends the number with 17 digits. */
void buffer_add_double(struct buffer *buffer, double value, int decimals);

void buffer_printf(struct buffer *buffer, const char *format, ...) PPROFC_PRINTF(2, 3);

/* Copies the contents of the buffer to an arena. The result's `data` is NULL if the copy or an
 * earlier append failed. */
pprofc_str buffer_keep(const struct buffer *buffer, struct arena *arena);

/* Copies the contents of the buffer to an arena like buffer_keep, with a NUL at the end. Frees the
 * buffer. */
pprofc_str buffer_take(struct buffer *buffer, struct arena *arena);

static inline void buffer_clear(struct buffer *buffer) {
  buffer->size = 0;
}

static inline pprofc_str buffer_str(const struct buffer *buffer) {
  return (pprofc_str){buffer->data, buffer->size};
}

#endif
