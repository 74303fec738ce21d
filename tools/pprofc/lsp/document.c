/* Text of open documents. Lines before the first change and after the last change are known. */
#include "lsp/document.h"

#include "core/escape.h"

static size_t document_lines(pprofc_str text) {
  size_t count = 1;
  for (size_t i = 0; i < text.size; i++) count += text.data[i] == '\n';
  return count;
}

/* Returns the number of whole lines that both texts begin with. */
static size_t document_same_begin(pprofc_str a, pprofc_str b) {
  size_t lines = 0, i = 0;
  for (; i < a.size && i < b.size && a.data[i] == b.data[i]; i++) lines += a.data[i] == '\n';
  return i == a.size && i == b.size ? lines + 1 : lines;
}

/* Returns the number of whole lines that both texts end with. */
static size_t document_same_end(pprofc_str a, pprofc_str b) {
  size_t lines = 0, i = 0;
  for (; i < a.size && i < b.size && a.data[a.size - 1 - i] == b.data[b.size - 1 - i]; i++)
    lines += a.data[a.size - 1 - i] == '\n';
  return lines;
}

static size_t document_map(pprofc_str from, pprofc_str to, size_t line) {
  size_t count = document_lines(from), other = document_lines(to);
  if (line >= count) return SIZE_MAX;
  if (line < document_same_begin(from, to)) return line;
  if (count - line <= document_same_end(from, to)) return other - (count - line);
  return SIZE_MAX;
}

size_t document_line(const struct document *d, size_t line) {
  return document_map(buffer_str(&d->first), buffer_str(&d->now), line);
}

size_t document_origin(const struct document *d, size_t line) {
  return document_map(buffer_str(&d->now), buffer_str(&d->first), line);
}

size_t document_length(const struct document *d, size_t line) {
  pprofc_str rest = buffer_str(&d->now), text = STR("");
  size_t units = 0;
  for (size_t i = 0; i <= line; i++)
    if (!rest.data || !str_next_line(&rest, &text)) return 0;
  for (size_t at = 0; at < text.size;) units += utf8_next(text, &at) > 0xFFFF ? 2 : 1;
  return units;
}

static int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

void document_path(pprofc_str uri, struct buffer *path) {
  if (str_starts(uri, STR("file://"))) uri = str_slice(uri, 7, uri.size);
  for (size_t i = 0; i < uri.size; i++) {
    int high = uri.data[i] == '%' && i + 2 < uri.size ? hex_digit(uri.data[i + 1]) : -1;
    int low = high >= 0 ? hex_digit(uri.data[i + 2]) : -1;
    buffer_add_char(path, low >= 0 ? (char)(high * 16 + low) : uri.data[i]);
    if (low >= 0) i += 2;
  }
}
