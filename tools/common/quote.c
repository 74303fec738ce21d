/* Quotes text like %q of Go. */
#include "common/quote.h"

#include "core/chars.h"
#include "core/escape.h"

#include <stdio.h>

/* True if Go writes the code point as \u because it is invisible or unassigned. The table has only
 * ranges that are likely in a command line. The caller escapes ASCII control characters itself. */
static bool is_invisible(int32_t c) {
  static const struct {
    int32_t first, last;
  } ranges[] = {{0x7F, 0xA0},       {0xAD, 0xAD},     {0x600, 0x605},   {0x61C, 0x61C},
                {0x6DD, 0x6DD},     {0x1680, 0x1680}, {0x180E, 0x180E}, {0x2000, 0x200F},
                {0x2028, 0x202F},   {0x205F, 0x206F}, {0x3000, 0x3000}, {0xE000, 0xF8FF},
                {0xFEFF, 0xFEFF},   {0xFFF0, 0xFFFB}, {0xFFFE, 0xFFFF}, {0xE0000, 0xE00FF},
                {0xF0000, 0x10FFFF}};
  for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
    if (c >= ranges[i].first && c <= ranges[i].last) return true;
  return false;
}

/* Writes the code point `c`, encoded in `bytes`. Returns how many bytes it wrote. */
static int quote_one(int32_t c, pprofc_str bytes, char *out, size_t room) {
  static const char plain[] = "\a\b\f\n\r\t\v\\\"", letters[] = "abfnrtv\\\"";
  const char *known = c > 0 && c < 0x80 ? strchr(plain, (int)c) : NULL;
  if (known) return snprintf(out, room, "\\%c", letters[known - plain]);
  if (c < 0x20 || c == 0x7F) return snprintf(out, room, "\\x%02x", (unsigned char)bytes.data[0]);
  if (is_invisible(c)) return snprintf(out, room, c > 0xFFFF ? "\\U%08x" : "\\u%04x", (unsigned)c);
  return snprintf(out, room, "%.*s", STR_ARG(bytes));
}

void quote_go(pprofc_str s, char out[QUOTE_MAX]) {
  size_t size = 0;
  out[size++] = '"';
  for (size_t i = 0; i < s.size;) {
    size_t start = i;
    int32_t c = utf8_next(s, &i);
    if (size + 16 > QUOTE_MAX) {
      memcpy(out + size, "...", 3);
      size += 3;
      break;
    }
    int length = quote_one(c, str_slice(s, start, i), out + size, QUOTE_MAX - size);
    size += length > 0 ? (size_t)length : 0;
  }
  memcpy(out + size, "\"", 2);
}

bool text_only_has(pprofc_str text, const char *others) {
  for (size_t i = 0; i < text.size; i++) {
    char c = text.data[i];
    if (!char_is_letter(c) && !char_is_digit(c) && (!c || !strchr(others, c))) return false;
  }
  return true;
}
