/* Splits old text formats into lines, and parses short texts within a line. */
#include "import/legacy/legacy.h"

#include <stdio.h>

#define SHOWN_LINE_BYTES 200

struct lines lines_of(pprofc_str data) {
  return (struct lines){.data = data, .rest = data, .line = STR("")};
}

bool lines_next(struct lines *lines) {
  lines->line = STR("");
  if (!lines->rest.size || lines->too_long) return false;
  size_t end = str_find_char(lines->rest, '\n');
  if (end > LINE_MAX_BYTES) {
    lines->too_long = true;
    return false;
  }
  lines->line = str_slice(lines->rest, 0, end);
  lines->rest = str_slice(lines->rest, end + 1, lines->rest.size);
  if (str_ends(lines->line, STR("\r"))) lines->line.size--;
  return true;
}

static uint64_t text_offset_of(const struct lines *lines, pprofc_str s) {
  return s.size ? (uint64_t)(s.data - lines->data.data) : PPROFC_NO_OFFSET;
}

pprofc_status lines_status(const struct lines *lines, pprofc_error *error) {
  if (!lines->too_long) return PPROFC_OK;
  return error_at(error, PPROFC_E_FORMAT, text_offset_of(lines, lines->rest),
                  "line longer than %d bytes", LINE_MAX_BYTES);
}

pprofc_status lines_malformed(const struct lines *lines, const char *what, pprofc_error *error) {
  pprofc_str shown = str_slice(lines->line, 0, SHOWN_LINE_BYTES);
  return error_at(error, PPROFC_E_FORMAT, text_offset_of(lines, lines->line), "%s: %.*s", what,
                  STR_ARG(shown));
}

bool text_is_comment(pprofc_str line) {
  line = str_trim(line);
  return !line.size || line.data[0] == '#';
}

bool text_contains(pprofc_str s, pprofc_str needle) {
  return str_find(s, needle) < s.size;
}

bool text_take(pprofc_str *s, pprofc_str literal) {
  if (!str_starts(*s, literal)) return false;
  *s = str_slice(*s, literal.size, s->size);
  return true;
}

void text_skip_blanks(pprofc_str *s) {
  size_t n = 0;
  while (n < s->size && s->data[n] == ' ') n++;
  *s = str_slice(*s, n, s->size);
}

bool text_take_run(pprofc_str *s, bool (*is)(char), pprofc_str *run) {
  size_t n = 0;
  while (n < s->size && is(s->data[n])) n++;
  if (!n) return false;
  *run = str_slice(*s, 0, n);
  *s = str_slice(*s, n, s->size);
  return true;
}

bool text_take_digits(pprofc_str *s, pprofc_str *digits) {
  return text_take_run(s, char_is_digit, digits);
}

bool text_take_spaced_run(pprofc_str *s, bool (*is)(char), pprofc_str *run) {
  pprofc_str rest = *s, white;
  if (!text_take_run(&rest, char_is_blank, &white) || !text_take_run(&rest, is, run)) return false;
  *s = rest;
  return true;
}

bool text_next_hex(pprofc_str *rest, pprofc_str *digits) {
  for (;;) {
    size_t at = str_find(*rest, STR("0x"));
    if (at == rest->size) return false;
    *rest = str_slice(*rest, at + 2, rest->size);
    if (text_take_run(rest, text_is_lower_xdigit, digits)) return true;
  }
}
