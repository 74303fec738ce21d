/* Quotes text like %q of Go. */
#include "common/quote.h"

#include "core/chars.h"
#include "core/escape.h"
#include "core/go_text.h"

void quote_go(pprofc_str s, char out[QUOTE_MAX]) {
  struct buffer one;
  size_t size = 1;
  out[0] = '"';
  buffer_init(&one, &mem_default, SIZE_MAX);
  for (size_t i = 0; i < s.size;) {
    size_t start = i;
    utf8_next(s, &i);
    if (size + 16 > QUOTE_MAX) {
      memcpy(out + size, "...", 3);
      size += 3;
      break;
    }
    buffer_clear(&one);
    go_quote(&one, str_slice(s, start, i));
    if (one.failed) break;
    memcpy(out + size, one.data + 1, one.size - 2);
    size += one.size - 2;
  }
  buffer_free(&one);
  memcpy(out + size, "\"", 2);
}

bool text_only_has(pprofc_str text, const char *others) {
  for (size_t i = 0; i < text.size; i++) {
    char c = text.data[i];
    if (!char_is_letter(c) && !char_is_digit(c) && (!c || !strchr(others, c))) return false;
  }
  return true;
}
