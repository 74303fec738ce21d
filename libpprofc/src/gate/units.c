/* Finds if higher or lower values of a unit are better. Parses percentages, floors and dates. */
#include "gate/gate.h"

/* Directions (1: higher is better) of units that unit_direction_of and by_word do not know. */
static const struct {
  const char *unit;
  int direction;
} known[] = {
    {"alloc/op", -1},        {"seconds", -1},         {"Ir", -1}, {"speed", 1}, {"throughput", 1},
    {"items_per_second", 1}, {"bytes_per_second", 1}, {"ops", 1}};

/* Returns the direction of a unit that no table has: -1 if it contains a word for a cost, such as
 * "latency", else 0. */
static int by_word(pprofc_str unit) {
  static const char *const slower[] = {"latency", "duration", "time", "rss", "RSS"};
  for (size_t i = 0; i < COUNT(slower); i++)
    if (str_find(unit, str_of(slower[i])) < unit.size) return -1;
  return 0;
}

int gate_settings_direction(const struct gate *gate, pprofc_str unit) {
  const struct gate_settings *s = &gate->settings;
  if (!s->direction_count) return 0;
  struct buffer asked, given;
  buffer_init(&asked, gate->mem, SIZE_MAX / 2);
  buffer_init(&given, gate->mem, SIZE_MAX / 2);
  gate_unit_canonical(&asked, unit);
  int direction = 0;
  for (size_t i = 0; i < s->direction_count; i++) {
    buffer_clear(&given);
    gate_unit_canonical(&given, s->directions[i].unit);
    if (str_equal(buffer_str(&given), buffer_str(&asked))) direction = s->directions[i].direction;
  }
  buffer_free(&asked);
  buffer_free(&given);
  return direction;
}

int gate_direction(pprofc_str unit) {
  for (size_t i = 0; i < COUNT(known); i++)
    if (str_equal(unit, str_of(known[i].unit))) return known[i].direction;
  int direction = unit_direction_of(unit);
  return direction ? direction : by_word(unit);
}

/* Metrics of earlier versions of benchstat, and the units of Go for the same metrics. */
static const struct {
  const char *metric, *unit;
} metrics[] = {
    {"time/op", "sec/op"}, {"time/GC", "sec/GC"}, {"alloc/op", "B/op"}, {"speed", "B/s"}};

void gate_unit_canonical(struct buffer *out, pprofc_str unit) {
  for (size_t i = 0; i < COUNT(metrics); i++) {
    pprofc_str metric = str_of(metrics[i].metric);
    if (!str_ends(unit, metric)) continue;
    pprofc_str front = str_slice(unit, 0, unit.size - metric.size);
    if (front.size && front.data[front.size - 1] != '-') continue;
    buffer_add_str(out, front);
    buffer_add_text(out, metrics[i].unit);
    return;
  }
  (void)unit_tidy(unit, out);
}

/* ---- percentages and floors -------------------------- */

bool gate_parse_percent(pprofc_str text, double *value) {
  text = str_trim(text);
  if (text.size && text.data[text.size - 1] == '%')
    text = str_trim(str_slice(text, 0, text.size - 1));
  double percent;
  if (!str_parse_float(text, &percent) || !(percent >= 0) || isinf(percent)) return false;
  *value = percent / 100;
  return true;
}

enum floor_class { FLOOR_SECONDS, FLOOR_BYTES, FLOOR_PLAIN };

static bool parse_one_floor(pprofc_str text, struct gate_floor *floor) {
  static const struct {
    const char *suffix;
    double factor;
    enum floor_class of;
  } suffixes[] = {
      {"ns", 1e-9, FLOOR_SECONDS}, {"us", 1e-6, FLOOR_SECONDS},  {"\xC2\xB5s", 1e-6, FLOOR_SECONDS},
      {"ms", 1e-3, FLOOR_SECONDS}, {"s", 1, FLOOR_SECONDS},      {"kB", 1024, FLOOR_BYTES},
      {"KiB", 1024, FLOOR_BYTES},  {"MB", 1048576, FLOOR_BYTES}, {"MiB", 1048576, FLOOR_BYTES},
      {"B", 1, FLOOR_BYTES},       {"", 1, FLOOR_PLAIN}};
  size_t digits = 0;
  text = str_trim(text);
  while (digits < text.size && (char_is_digit(text.data[digits]) || text.data[digits] == '.'))
    digits++;
  double number;
  if (!str_parse_float(str_slice(text, 0, digits), &number)) return false;
  pprofc_str rest = str_trim(str_slice(text, digits, text.size));
  for (size_t i = 0; i < COUNT(suffixes); i++) {
    if (!str_equal(rest, str_of(suffixes[i].suffix))) continue;
    double value = number > 0 ? number * suffixes[i].factor : -1;
    if (suffixes[i].of == FLOOR_SECONDS) floor->seconds = value;
    if (suffixes[i].of == FLOOR_BYTES) floor->bytes = value;
    if (suffixes[i].of == FLOOR_PLAIN) floor->plain = value;
    return true;
  }
  return false;
}

bool gate_parse_floor(pprofc_str text, struct gate_floor *floor) {
  static const pprofc_str or = {" or ", 4};
  for (;;) {
    size_t end = str_find(text, or);
    if (!parse_one_floor(str_slice(text, 0, end), floor)) return false;
    if (end >= text.size) return true;
    text = str_slice(text, end + or.size, text.size);
  }
}

static bool names(pprofc_str unit, const char *const *words) {
  pprofc_str part = str_slice(unit, 0, str_find_char(unit, '/'));
  size_t dash = str_find_last_char(part, '-');
  if (dash < part.size) part = str_slice(part, dash + 1, part.size);
  for (; *words; words++)
    if (str_equal(part, str_of(*words))) return true;
  return false;
}

double gate_floor_of(const struct gate_floor *floor, pprofc_str unit) {
  static const char *const seconds[] = {"sec", "s", "ns", "time", NULL};
  static const char *const bytes[] = {"B", "bytes", "alloc", NULL};
  bool rate = str_ends(unit, STR("/s")) || str_ends(unit, STR("/sec"));
  if (!rate && names(unit, seconds)) return floor->seconds;
  if (!rate && names(unit, bytes)) return floor->bytes;
  return floor->plain;
}

/* ---- dates ------------------------------------------- */

static uint64_t days_of_month(uint64_t year, uint64_t month) {
  static const unsigned char days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return month == 2 && leap ? 29 : days[month - 1];
}

bool gate_is_date(pprofc_str text) {
  uint64_t year, month, day;
  if (text.size != 10 || text.data[4] != '-' || text.data[7] != '-') return false;
  if (!str_parse_uint(str_slice(text, 0, 4), 10, &year) ||
      !str_parse_uint(str_slice(text, 5, 7), 10, &month) ||
      !str_parse_uint(str_slice(text, 8, 10), 10, &day))
    return false;
  return month >= 1 && month <= 12 && day >= 1 && day <= days_of_month(year, month);
}
