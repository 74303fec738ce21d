/* Formats the output of reports, and collects it for the caller's write callback. */
#include "core/base.h"
#include "core/brief.h"

/* ---- buffers ---------------------------------------- */

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

void buffer_add_double(struct buffer *buffer, double value, int decimals) {
  char text[400];
  bool whole = decimals < 0 && fabs(value) < 1e15 && value == trunc(value) && value != 0;
  size_t size = fixed_print(text, value, whole ? 0 : decimals); /* fixed_print returns 0 if decimals
                                                                   is negative */
  if (!size && decimals < 0) size = (size_t)snprintf(text, sizeof text, "%.17g", value);
  if (!size) size = (size_t)snprintf(text, sizeof text, "%.*f", decimals, value);
  buffer_add(buffer, text, size);
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

void output_init(struct output *out, pprofc_write_fn write, void *context) {
  out->write = write;
  out->context = context;
  out->mem = NULL;
  out->brief = write == brief_write ? context : NULL;
  out->size = 0;
  out->failed = false;
}

void output_watch(struct output *out, const pprofc_allocator *mem) {
  out->mem = mem;
}

static void output_send(struct output *out, const void *data, size_t size) {
  if (out->failed || !size) return;
  out->failed = budget_stopped(out->mem) || out->write(out->context, data, size) != 0;
}

void output_add(struct output *out, const void *data, size_t size) {
  if (size > sizeof out->data - out->size) {
    output_send(out, out->data, out->size);
    out->size = 0;
    if (size >= sizeof out->data) {
      output_send(out, data, size);
      return;
    }
  }
  if (size) memcpy(out->data + out->size, data, size);
  out->size += size;
}

int output_take(void *output, const void *data, size_t size) {
  struct output *out = output;
  output_add(out, data, size);
  return out->failed;
}

void output_add_str(struct output *out, pprofc_str s) {
  output_add(out, s.data, s.size);
}

void output_add_text(struct output *out, const char *text) {
  output_add(out, text, strlen(text));
}

void output_add_char(struct output *out, char c) {
  if (out->size < sizeof out->data)
    out->data[out->size++] = c;
  else
    output_add(out, &c, 1);
}

void output_add_fill(struct output *out, char c, size_t count) {
  for (; count; count--) output_add_char(out, c);
}

void output_add_uint(struct output *out, uint64_t value) {
  char digits[20];
  size_t n = sizeof digits;
  do {
    digits[--n] = (char)('0' + value % 10);
    value /= 10;
  } while (value);
  output_add(out, digits + n, sizeof digits - n);
}

void output_add_int(struct output *out, int64_t value) {
  if (value < 0) output_add_char(out, '-');
  output_add_uint(out, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

void output_printf(struct output *out, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int length = vsnprintf(out->data + out->size, sizeof out->data - out->size, format, args);
  va_end(args);
  if (length >= 0 && (size_t)length >= sizeof out->data - out->size) {
    output_send(out, out->data, out->size);
    out->size = 0;
    va_start(args, format);
    length = vsnprintf(out->data, sizeof out->data, format, args);
    va_end(args);
  }
  /* Only a text that is longer than the buffer fails. Long texts need output_add_str. */
  out->failed |= length < 0 || (size_t)length >= sizeof out->data - out->size;
  if (!out->failed) out->size += (size_t)length;
}

void output_add_padded(struct output *out, pprofc_str s, size_t width) {
  size_t length = utf8_length(s);
  if (length < width) output_add_fill(out, ' ', width - length);
  output_add_str(out, s);
}

void output_row(struct output *out, int rank, double weight, long double amount) {
  if (!out->brief) return;
  output_send(out, out->data, out->size);
  out->size = 0;
  out->failed |= !brief_mark(out->brief, rank, weight, amount);
}

void output_no_row(struct output *out) {
  output_row(out, BRIEF_FIXED, 0, 0);
}

void output_note(struct output *out) {
  output_no_row(out);
  if (out->brief) brief_note_here(out->brief);
}

pprofc_str output_shorten(struct output *out, pprofc_str text, struct buffer *scratch) {
  size_t most = out->brief ? brief_name_most(out->brief) : SIZE_MAX;
  if (text.size <= most) return text;
  brief_shorten(scratch, text, most);
  out->failed |= scratch->failed;
  return buffer_str(scratch);
}

pprofc_status output_flush(struct output *out, pprofc_error *error) {
  output_send(out, out->data, out->size);
  out->size = 0;
  if (out->failed) return error_set(error, PPROFC_E_IO, "cannot write the output");
  return PPROFC_OK;
}
