/* Implements a growable byte buffer with a maximum size, which remembers a failure. */
#include "core/buffer.h"

#include "core/array.h"

#include <stdarg.h>
#include <stdio.h>

#define MIN_SIZE 256

void buffer_init(struct buffer *buffer, const pprofc_allocator *mem, size_t ceiling) {
  *buffer = (struct buffer){.mem = mem, .ceiling = ceiling};
}

void buffer_free(struct buffer *buffer) {
  mem_free(buffer->mem, buffer->data, buffer->capacity, 1);
  buffer->data = NULL;
  buffer->size = 0;
  buffer->capacity = 0;
}

bool buffer_reserve(struct buffer *buffer, size_t extra) {
  if (buffer->failed) return false;
  if (extra <= buffer->capacity - buffer->size) return true;
  if (extra > buffer->ceiling - buffer->size) {
    buffer->failed = true;
    return false;
  }
  size_t wanted = buffer->size + extra, first = MIN_SIZE;
  if (first > buffer->ceiling) first = buffer->ceiling;
  if (wanted < first) wanted = first;
  buffer->failed =
      !array_grow(buffer->mem, &buffer->data, &buffer->capacity, wanted, buffer->ceiling, 1);
  return !buffer->failed;
}

pprofc_str buffer_keep(const struct buffer *buffer, struct arena *arena) {
  return buffer->failed ? (pprofc_str){NULL, 0} : arena_str(arena, buffer_str(buffer));
}

pprofc_str buffer_take(struct buffer *buffer, struct arena *arena) {
  pprofc_str kept = buffer_keep(buffer, arena);
  buffer_free(buffer);
  return kept;
}

void buffer_add(struct buffer *buffer, const void *data, size_t size) {
  if (!size || !buffer_reserve(buffer, size)) return;
  memcpy(buffer->data + buffer->size, data, size);
  buffer->size += size;
}

int buffer_write(void *buffer, const void *data, size_t size) {
  buffer_add(buffer, data, size);
  return ((struct buffer *)buffer)->failed;
}

void buffer_add_str(struct buffer *buffer, pprofc_str s) {
  buffer_add(buffer, s.data, s.size);
}

void buffer_add_text(struct buffer *buffer, const char *text) {
  buffer_add(buffer, text, strlen(text));
}

void buffer_add_char(struct buffer *buffer, char c) {
  buffer_add(buffer, &c, 1);
}

void buffer_add_fill(struct buffer *buffer, char c, size_t count) {
  if (!count || !buffer_reserve(buffer, count)) return;
  memset(buffer->data + buffer->size, c, count);
  buffer->size += count;
}

void buffer_printf(struct buffer *buffer, const char *format, ...) {
  va_list args;
  va_start(args, format);
  char small[256];
  int length = vsnprintf(small, sizeof small, format, args);
  va_end(args);
  if (length < 0) {
    buffer->failed = true;
  } else if ((size_t)length < sizeof small) {
    buffer_add(buffer, small, (size_t)length);
  } else if (buffer_reserve(buffer, (size_t)length + 1)) {
    va_start(args, format);
    vsnprintf(buffer->data + buffer->size, (size_t)length + 1, format, args);
    va_end(args);
    buffer->size += (size_t)length;
  }
}
