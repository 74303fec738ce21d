/* Report output: a buffer before the caller's write callback, with a sticky error. */
#include "core/output.h"

#include "core/brief.h"
#include "core/budget.h"
#include "core/escape.h"

#include <stdarg.h>
#include <stdio.h>

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

void output_add_str(struct output *out, pprofc_str s) {
  output_add(out, s.data, s.size);
}

void output_add_text(struct output *out, const char *text) {
  output_add(out, text, strlen(text));
}

void output_add_char(struct output *out, char c) {
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
  char text[512];
  va_list args;
  va_start(args, format);
  int length = vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (length < 0 || (size_t)length >= sizeof text) {
    out->failed = true; /* use output_add_str for long texts */
    return;
  }
  output_add(out, text, (size_t)length);
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
