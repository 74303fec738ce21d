/* Reads and prints the times and ages of the history. */
#include "store/store.h"

static bool times_digits(pprofc_str text, size_t at, size_t size, int *value) {
  int64_t number = 0;
  pprofc_str part = str_slice(text, at, at + size);
  for (size_t i = 0; i < part.size; i++)
    if (part.data[i] < '0' || part.data[i] > '9') return false;
  if (!str_parse_int(part, 10, &number)) return false;
  *value = (int)number;
  return true;
}

/* Fields of a time such as "2026-11-20T10:00:00Z". A date has only the fields before the T. */
static const struct {
  size_t at, size;
  char after; /* character after the field, such as '-' */
} time_parts[] = {{0, 4, '-'}, {5, 2, '-'}, {8, 2, 'T'}, {11, 2, ':'}, {14, 2, ':'}, {17, 2, 'Z'}};

bool times_parse(pprofc_str text, int64_t *seconds) {
  int parts[6] = {0};
  if (str_parse_int(text, 10, seconds)) return *seconds >= 0;
  if (text.size != 10 && text.size != 20) return false;
  size_t count = text.size == 10 ? 3 : 6;
  for (size_t i = 0; i < count; i++) {
    size_t end = time_parts[i].at + time_parts[i].size;
    if (!times_digits(text, time_parts[i].at, time_parts[i].size, &parts[i])) return false;
    if (end < text.size && text.data[end] != time_parts[i].after) return false;
  }
  struct tm t = {.tm_year = parts[0] - 1900,
                 .tm_mon = parts[1] - 1,
                 .tm_mday = parts[2],
                 .tm_hour = parts[3],
                 .tm_min = parts[4],
                 .tm_sec = parts[5]};
  /* timegm converts February 30 to March 2, so the next line rejects such a date. */
  *seconds = (int64_t)timegm(&t);
  return *seconds >= 0 && t.tm_mday == parts[2] && t.tm_hour == parts[3] && t.tm_min == parts[4];
}

void times_put(struct buffer *out, int64_t seconds) {
  char text[32];
  struct tm parts;
  time_t time = (time_t)seconds;
  if (gmtime_r(&time, &parts) && strftime(text, sizeof text, "%Y-%m-%d %H:%M", &parts))
    buffer_add_text(out, text);
  else
    buffer_add_text(out, "?");
}

bool times_parse_age(pprofc_str text, int64_t *seconds) {
  static const struct {
    char unit;
    int64_t days;
  } units[] = {{'d', 1}, {'w', 7}, {'y', 366}};
  int64_t number = 0;
  if (str_equal(text, STR("all"))) {
    *seconds = INT64_MAX;
    return true;
  }
  if (text.size < 2 || !str_parse_int(str_slice(text, 0, text.size - 1), 10, &number)) return false;
  for (size_t i = 0; i < sizeof units / sizeof *units; i++)
    if (text.data[text.size - 1] == units[i].unit && number > 0 && number < 100000) {
      *seconds = number * units[i].days * 86400;
      return true;
    }
  return false;
}
