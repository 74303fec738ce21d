/* Making foreign bytes safe for where they go: a terminal, JSON, XML/HTML. */
#include "base/escape.h"

int32_t utf8_next(pprofc_str s, size_t *position) {
  const unsigned char *p = (const unsigned char *)s.data + *position;
  size_t left = s.size - *position;
  ++*position;
  if (p[0] < 0x80) return p[0];
  if (p[0] < 0xC2 || p[0] > 0xF4) return -1;
  size_t length = p[0] < 0xE0 ? 2 : p[0] < 0xF0 ? 3 : 4;
  if (left < length) return -1;
  int32_t code = p[0] & (0x7F >> length);
  for (size_t i = 1; i < length; i++) {
    if ((p[i] & 0xC0) != 0x80) return -1;
    code = code << 6 | (p[i] & 0x3F);
  }
  static const int32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < smallest[length] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return -1;
  *position += length - 1;
  return code;
}

size_t utf8_length(pprofc_str s) {
  size_t count = 0, ascii = 0;
  while (ascii < s.size && (unsigned char)s.data[ascii] < 0x80) ascii++;
  for (size_t i = ascii; i < s.size; count++) utf8_next(s, &i);
  return ascii + count;
}

bool utf8_valid(pprofc_str s) {
  for (size_t i = 0; i < s.size;)
    if (utf8_next(s, &i) < 0) return false;
  return true;
}

size_t utf8_encode(uint32_t code, char *out) {
  if (code < 0x80) {
    out[0] = (char)code;
    return 1;
  }
  size_t length = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  for (size_t i = length - 1; i > 0; i--) {
    out[i] = (char)(0x80 | (code & 0x3F));
    code >>= 6;
  }
  static const unsigned char lead[] = {0, 0, 0xC0, 0xE0, 0xF0};
  out[0] = (char)(lead[length] | code);
  return length;
}

static bool is_bidi_or_separator(int32_t c) {
  return (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) || c == 0x2028 || c == 0x2029;
}

bool escape_terminal_clean(pprofc_str s) {
  for (size_t i = 0; i < s.size;) {
    int32_t c = utf8_next(s, &i);
    if (c < 0x20 || (c >= 0x7F && c < 0xA0) || is_bidi_or_separator(c)) return false;
  }
  return true;
}

void escape_terminal(struct buffer *out, pprofc_str s, bool layout) {
  for (size_t i = 0; i < s.size;) {
    size_t start = i;
    int32_t c = utf8_next(s, &i);
    bool kept = layout && (c == '\n' || c == '\t');
    if (kept || (c >= 0x20 && c < 0x7F) || (c >= 0xA0 && !is_bidi_or_separator(c)))
      buffer_add(out, s.data + start, i - start);
    else if (c >= 0xA0)
      buffer_printf(out, "\\u{%x}", (unsigned)c);
    else
      for (size_t k = start; k < i; k++) buffer_printf(out, "\\x%02x", (unsigned char)s.data[k]);
  }
}

/* DEL and the C1 controls, which a terminal may obey. */
static bool is_high_control(int32_t c) {
  return c >= 0x7F && c < 0xA0;
}

void escape_json(struct buffer *out, pprofc_str s) {
  for (size_t i = 0; i < s.size;) {
    size_t start = i;
    int32_t c = utf8_next(s, &i);
    if (c < 0)
      buffer_add_text(out, "\xEF\xBF\xBD");
    else if (c == '"' || c == '\\') {
      buffer_add_char(out, '\\');
      buffer_add_char(out, (char)c);
    } else if (c < 0x20 || is_high_control(c) || c == '<' || c == '>' || c == '&' || c == 0x2028 ||
               c == 0x2029)
      buffer_printf(out, "\\u%04x", (unsigned)c);
    else
      buffer_add(out, s.data + start, i - start);
  }
}

static const char *xml_entity(int32_t c) {
  switch (c) {
  case '&':
    return "&amp;";
  case '<':
    return "&lt;";
  case '>':
    return "&gt;";
  case '"':
    return "&#34;";
  case '\'':
    return "&#39;";
  default:
    break;
  }
  bool control = c < 0x20 && c != '\t' && c != '\n' && c != '\r';
  return control || c == 0xFFFE || c == 0xFFFF ? "\xEF\xBF\xBD" : NULL;
}

void escape_xml(struct buffer *out, pprofc_str s) {
  for (size_t i = 0; i < s.size;) {
    size_t start = i;
    int32_t c = utf8_next(s, &i);
    const char *entity = xml_entity(c);
    if (entity)
      buffer_add_text(out, entity);
    else if (c == '\r' || is_high_control(c))
      buffer_printf(out, "&#%d;", (int)c);
    else
      buffer_add(out, s.data + start, i - start);
  }
}
