/* Splits old text formats into lines, and parses short texts within a line. */
#include "import/legacy/legacy.h"

#define LINE_MAX_BYTES   65535
#define SHOWN_LINE_BYTES 200

bool text_next_line(pprofc_str *rest, pprofc_str *line) {
  size_t end = str_find_char(*rest, '\n');
  *line = STR("");
  return rest->size && end <= LINE_MAX_BYTES && str_next_line(rest, line);
}

bool legacy_next_line(struct legacy *l) {
  if (!builder_ok(l->builder)) return false;
  if (text_next_line(&l->rest, &l->line)) return true;
  if (l->rest.size)
    import_refuse_at(l->builder, l->rest.data, "line longer than %d bytes", LINE_MAX_BYTES);
  return false;
}

bool legacy_malformed(struct legacy *l, const char *what) {
  pprofc_str shown = str_slice(l->line, 0, SHOWN_LINE_BYTES);
  return import_refuse_at(l->builder, l->line.size ? l->line.data : NULL, "%s: %.*s", what,
                          STR_ARG(shown));
}

bool legacy_no_match(struct legacy *l) {
  return import_refuse(l->builder, PPROFC_E_NO_MATCH, "%s", "");
}

bool text_is_comment(pprofc_str line) {
  line = str_trim(line);
  return !line.size || line.data[0] == '#';
}

/* Removes from *s the text that matches the pattern character `c` (see text_scan). */
static bool text_scan_one(pprofc_str *s, char c, pprofc_str **fields) {
  pprofc_str start = *s, run;
  if (c == ' ' || c == '+') {
    *s = str_from(start, str_indent(start));
    return c == ' ' || s->size < start.size;
  }
  if (c != '#' && c != '~') return str_take(s, c == '_' ? STR(" ") : (pprofc_str){&c, 1});
  if (c == '~') str_take(s, STR("-"));
  if (!str_take_run(s, char_is_digit, &run)) return false;
  *(*fields)++ = str_slice(start, 0, start.size - s->size);
  return true;
}

bool text_scan(pprofc_str *s, const char *pattern, pprofc_str *fields) {
  pprofc_str rest = *s;
  for (; *pattern; pattern++)
    if (!text_scan_one(&rest, *pattern, &fields)) return false;
  *s = rest;
  return true;
}

bool text_take_spaced_run(pprofc_str *s, bool (*is)(char), pprofc_str *run) {
  pprofc_str rest = *s, white;
  if (!str_take_run(&rest, char_is_blank, &white) || !str_take_run(&rest, is, run)) return false;
  *s = rest;
  return true;
}

bool text_next_hex(pprofc_str *rest, pprofc_str *digits) {
  for (;;) {
    size_t at = str_find(*rest, STR("0x"));
    if (at == rest->size) return false;
    *rest = str_from(*rest, at + 2);
    if (str_take_run(rest, text_is_lower_xdigit, digits)) return true;
  }
}
