/* Quotes text like %q of Go. Parses durations such as "1m30s". */
#include "common/text.h"

void quote_go(pprofc_str s, char out[QUOTE_MAX]) {
  size_t size = 1;
  out[0] = '"';
  struct buffer one = buffer_make(&mem_default, SIZE_MAX);
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

char *text_printf(struct arena *arena, const char *format, ...) {
  va_list args, again;
  va_start(args, format);
  va_copy(again, args);
  int size = vsnprintf(NULL, 0, format, again);
  va_end(again);
  char *text = arena_alloc(arena, (size_t)size + 1);
  if (text) vsnprintf(text, (size_t)size + 1, format, args);
  va_end(args);
  return text;
}

bool text_only_has(pprofc_str text, const char *others) {
  for (size_t i = 0; i < text.size; i++) {
    char c = text.data[i];
    if (!char_is_letter(c) && !char_is_digit(c) && (!c || !strchr(others, c))) return false;
  }
  return true;
}

/* Returns the length of the unit at the start of the text. Sets *nanoseconds to the duration of
 * this unit. */
static size_t duration_unit(pprofc_str text, double *nanoseconds) {
  static const struct {
    const char *name;
    double nanoseconds;
  } units[] = {{"ns", 1},   {"us", 1e3}, {"\xC2\xB5s", 1e3}, {"\xCE\xBCs", 1e3},
               {"ms", 1e6}, {"s", 1e9},  {"m", 6e10},        {"h", 3.6e12}};
  for (size_t i = 0; i < sizeof units / sizeof *units; i++)
    if (str_starts(text, str_of(units[i].name))) {
      *nanoseconds = units[i].nanoseconds;
      return strlen(units[i].name);
    }
  return 0;
}

bool text_is_duration(pprofc_str text, double *nanoseconds) {
  double sum = 0;
  bool any = false;
  while (text.size) {
    size_t digits = 0;
    double number, unit;
    while (digits < text.size && (strchr(".0123456789", text.data[digits]) && text.data[digits]))
      digits++;
    if (!digits || text.data[0] == '.' || !str_parse_float(str_slice(text, 0, digits), &number))
      return false;
    text = str_slice(text, digits, text.size);
    size_t size = duration_unit(text, &unit);
    if (!size) return false;
    text = str_slice(text, size, text.size);
    sum += number * unit;
    any = true;
  }
  if (nanoseconds) *nanoseconds = sum;
  return any;
}
