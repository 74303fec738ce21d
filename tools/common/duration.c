/* Parses durations such as "1m30s". */
#include "common/duration.h"

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
