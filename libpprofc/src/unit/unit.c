/* The table of units, conversions between units, and texts of values and percentages. */
#include "unit/unit.h"

#define SPELLINGS(...)                                                                             \
  (const char *const[]) {                                                                          \
    __VA_ARGS__, NULL                                                                              \
  }

struct unit_def {
  const char *canonical;
  double factor;
  const char *const *spellings; /* spellings of the unit, in lower case, ending with NULL */
};

struct unit_family {
  const char *default_unit;
  size_t count;
  const struct unit_def *units;
};

static const struct unit_def memory_units[] = {
    {"B", 1.0, SPELLINGS("b", "byte")},
    {"kB", 1024.0, SPELLINGS("kb", "kbyte", "kilobyte")},
    {"MB", 1048576.0, SPELLINGS("mb", "mbyte", "megabyte")},
    {"GB", 1073741824.0, SPELLINGS("gb", "gbyte", "gigabyte")},
    {"TB", 1099511627776.0, SPELLINGS("tb", "tbyte", "terabyte")},
    {"PB", 1125899906842624.0, SPELLINGS("pb", "pbyte", "petabyte")},
};

/* The table lacks two spellings of "us". unit_spell converts the spelling with the Greek letter mu
 * (U+03BC). pprof does not know the spelling with the micro sign (U+00B5). */
static const struct unit_def time_units[] = {
    {"ns", 1.0, SPELLINGS("ns", "nanosecond")},  {"us", 1e3, SPELLINGS("us", "microsecond")},
    {"ms", 1e6, SPELLINGS("ms", "millisecond")}, {"s", 1e9, SPELLINGS("s", "sec", "second")},
    {"hrs", 3600e9, SPELLINGS("hour", "hr")},
};

static const struct unit_def gcu_units[] = {
    {"n*GCU", 1e-9, SPELLINGS("nanogcu")},  {"u*GCU", 1e-6, SPELLINGS("microgcu")},
    {"m*GCU", 1e-3, SPELLINGS("milligcu")}, {"GCU", 1.0, SPELLINGS("gcu")},
    {"k*GCU", 1e3, SPELLINGS("kilogcu")},   {"M*GCU", 1e6, SPELLINGS("megagcu")},
    {"G*GCU", 1e9, SPELLINGS("gigagcu")},   {"T*GCU", 1e12, SPELLINGS("teragcu")},
    {"P*GCU", 1e15, SPELLINGS("petagcu")},
};

static const struct unit_family families[] = {
    {"B", COUNT(memory_units), memory_units},
    {"s", COUNT(time_units), time_units},
    {"GCU", COUNT(gcu_units), gcu_units},
};

#define TIME_FAMILY (&families[1])

/* Upper bound of the length of a spelling with its plural s. */
#define SPELLING_MAX 16

/* Converts the name of a unit to lower case as Go's strings.ToLower does: ASCII letters, and U+0130
 * and U+212A, whose lower case is an ASCII letter. Returns SPELLING_MAX + 1 if no known unit can
 * have this name: it is too long, or has another character outside ASCII. */
static size_t unit_lower(pprofc_str s, char out[SPELLING_MAX]) {
  size_t size = 0;
  for (size_t i = 0; i < s.size;) {
    int32_t c = (unsigned char)s.data[i] < 0x80 ? s.data[i++] : utf8_next(s, &i);
    if (c == 0x212A) c = 'k'; /* U+212A is the Kelvin sign */
    if (c == 0x0130) c = 'i'; /* U+0130 is a capital i with a dot */
    if (c < 0 || c > 0x7F || size == SPELLING_MAX) return SPELLING_MAX + 1;
    out[size++] = char_lower((char)c);
  }
  return size;
}

/* Converts a name to the form of the spellings: lower case, without a plural s, ending with a NUL.
 * Returns false if no known unit can have this name. */
static bool unit_spell(pprofc_str name, char text[SPELLING_MAX + 1]) {
  size_t size = unit_lower(str_equal(name, STR("\xCE\xBCs")) ? STR("us") : name, text);
  if (size == 0 || size > SPELLING_MAX) return false;
  if (size > 2 && text[size - 1] == 's') size--;
  text[size] = '\0';
  return !memchr(text, '\0', size);
}

static const struct unit_def *unit_find_spelled(const struct unit_family *family,
                                                const char *text) {
  for (size_t i = 0; i < family->count; i++)
    for (const char *const *spelling = family->units[i].spellings; *spelling; spelling++)
      if (**spelling == *text && strcmp(*spelling, text) == 0) return &family->units[i];
  return NULL;
}

/* Returns the unit with this name in the family (such as times or bytes), or NULL. */
static const struct unit_def *unit_find(const struct unit_family *family, pprofc_str name) {
  char text[SPELLING_MAX + 1];
  return unit_spell(name, text) ? unit_find_spelled(family, text) : NULL;
}

static const struct unit_def *unit_find_any(pprofc_str name, const struct unit_family **family) {
  char text[SPELLING_MAX + 1];
  if (!unit_spell(name, text)) return NULL;
  for (size_t i = 0; i < COUNT(families); i++) {
    const struct unit_def *unit = unit_find_spelled(&families[i], text);
    if (unit) {
      if (family) *family = &families[i];
      return unit;
    }
  }
  return NULL;
}

static const struct unit_def *default_unit(const struct unit_family *family) {
  size_t i = 0;
  while (strcmp(family->units[i].canonical, family->default_unit) != 0) i++;
  return &family->units[i];
}

/* Returns the largest unit of the family that is not larger than `value`, or NULL. `value` is in
 * the unit with factor 1. */
static const struct unit_def *automatic_unit(const struct unit_family *family, double value) {
  const struct unit_def *best = NULL;
  for (size_t i = 0; i < family->count; i++) {
    const struct unit_def *unit = &family->units[i];
    if ((!best || unit->factor >= best->factor) && value / unit->factor >= 1.0) best = unit;
  }
  return best;
}

static bool is_automatic(pprofc_str to) {
  return str_equal(to, STR("minimum")) || str_equal(to, STR("auto"));
}

static pprofc_str unknown_unit_text(pprofc_str to) {
  bool is_generic = is_automatic(to) || str_equal(to, STR("count")) ||
                    str_equal(to, STR("sample")) || str_equal(to, STR("unit"));
  return is_generic ? STR("") : to;
}

/* Converts a value. A negative value is smaller than every unit, so "auto" then gives the default
 * unit. */
static struct measure unit_convert(double value, pprofc_str from, pprofc_str to) {
  const struct unit_family *family;
  const struct unit_def *source = unit_find_any(from, &family);
  if (!source) return (struct measure){value, unknown_unit_text(to)};
  double base = value * source->factor;
  const struct unit_def *target =
      is_automatic(to) ? automatic_unit(family, base) : unit_find(family, to);
  if (!target) target = default_unit(family);
  return (struct measure){base / target->factor, str_of(target->canonical)};
}

struct measure unit_scale_double(double value, pprofc_str from, pprofc_str to) {
  if (!(value < 0)) return unit_convert(value, from, to);
  struct measure m = unit_convert(-value, from, to);
  m.value = -m.value;
  return m;
}

struct measure unit_scale(int64_t value, pprofc_str from, pprofc_str to) {
  /* INT64_MIN has no positive counterpart, so pprof converts it with its sign. */
  if (value == INT64_MIN) return unit_convert((double)value, from, to);
  return unit_scale_double((double)value, from, to);
}

pprofc_str unit_label(int64_t value, pprofc_str from, pprofc_str to, char out[UNIT_LABEL_MAX]) {
  struct measure m = unit_scale(value, from, to);
  size_t size = fixed_print(out, m.value, 2);
  if (!size) {
    int printed = snprintf(out, UNIT_LABEL_MAX, "%.2f", m.value);
    size = printed < 0 ? 0 : (size_t)printed;
    if (size >= UNIT_LABEL_MAX) size = UNIT_LABEL_MAX - 1;
  }
  if (size >= 3 && memcmp(out + size - 3, ".00", 3) == 0) size -= 3;
  pprofc_str number = {out, size};
  if (str_equal(number, STR("0")) || str_equal(number, STR("-0"))) {
    out[0] = '0';
    return (pprofc_str){out, 1};
  }
  size_t room = UNIT_LABEL_MAX - size;
  size_t unit_size = m.unit.size < room ? m.unit.size : room;
  if (unit_size) memcpy(out + size, m.unit.data, unit_size);
  return (pprofc_str){out, size + unit_size};
}

/* Prints a ratio like "%.2g" if it is below 1, and like "%.2f" otherwise. Returns the length.
 * Returns 0 if the ratio is below 0.0001 or too large; the caller must then use printf. */
static size_t unit_ratio_digits(double ratio, char out[FIXED_MAX]) {
  int decimals = 2;
  if (ratio >= 1) return fixed_print(out, ratio, decimals);
  if (ratio < 1e-4 && ratio != 0) return 0;
  for (double least = 0.1; ratio < least && decimals < 5; least /= 10) decimals++;
  size_t size = fixed_print(out, ratio, decimals);
  while (size && out[size - 1] == '0') size--;
  if (size && out[size - 1] == '.') size--;
  return size;
}

pprofc_str unit_percentage(int64_t value, int64_t total, char out[32]) {
  double ratio = total ? fabs((double)value / (double)total) * 100 : 0;
  char digits[FIXED_MAX];
  if (ratio >= 99.95 && ratio <= 100.05) {
    memcpy(out, "  100%", 6);
    return (pprofc_str){out, 6};
  }
  size_t known = unit_ratio_digits(ratio, digits);
  if (known && known < 30) {
    size_t padding = known < 5 ? 5 - known : 0;
    memset(out, ' ', padding);
    memcpy(out + padding, digits, known);
    out[padding + known] = '%';
    return (pprofc_str){out, padding + known + 1};
  }
  int size = snprintf(out, 32, ratio >= 1 ? "%5.2f%%" : "%5.2g%%", ratio);
  return (pprofc_str){out, size < 0 ? 0 : (size_t)size};
}

pprofc_str unit_percentage_trimmed(int64_t value, int64_t total, char out[32]) {
  return str_trim(unit_percentage(value, total, out));
}

bool unit_compatible(pprofc_str from, pprofc_str to) {
  if (str_equal(from, to)) return true;
  const struct unit_family *family;
  return unit_find_any(from, &family) && unit_find(family, to);
}

bool unit_is_time(pprofc_str unit) {
  return unit_find(TIME_FAMILY, unit) != NULL;
}

double unit_factor(pprofc_str unit) {
  const struct unit_def *found = unit_find_any(unit, NULL);
  return found ? found->factor : 0;
}

/* Writes the last `digits` decimal digits of *value, without trailing zeros, as a fraction that
 * ends before out[end]. Returns the start of the text. */
static size_t put_fraction(char *out, size_t end, uint64_t *value, int digits) {
  bool shown = false;
  for (int i = 0; i < digits; i++) {
    uint64_t digit = *value % 10;
    shown = shown || digit;
    if (shown) out[--end] = (char)('0' + digit);
    *value /= 10;
  }
  if (shown) out[--end] = '.';
  return end;
}

static size_t put_integer(char *out, size_t end, uint64_t value) {
  do {
    out[--end] = (char)('0' + value % 10);
    value /= 10;
  } while (value);
  return end;
}

/* Prints a duration below a second in the largest unit (ns, µs, ms) in which the value is at least
 * 1. */
static size_t put_short_duration(char *out, size_t end, uint64_t value) {
  static const struct {
    uint64_t below;
    const char *unit;
    int digits;
  } steps[] = {{1000, "ns", 0}, {1000000, "\xC2\xB5s", 3}, {1000000000, "ms", 6}};
  size_t step = 0;
  while (value >= steps[step].below) step++;
  size_t size = strlen(steps[step].unit);
  end -= size;
  memcpy(out + end, steps[step].unit, size);
  end = put_fraction(out, end, &value, steps[step].digits);
  return put_integer(out, end, value);
}

static size_t put_long_duration(char *out, size_t end, uint64_t value) {
  out[--end] = 's';
  end = put_fraction(out, end, &value, 9);
  end = put_integer(out, end, value % 60);
  value /= 60;
  if (!value) return end;
  out[--end] = 'm';
  end = put_integer(out, end, value % 60);
  value /= 60;
  if (!value) return end;
  out[--end] = 'h';
  return put_integer(out, end, value);
}

pprofc_str unit_go_duration(int64_t nanoseconds, char out[64]) {
  if (nanoseconds == 0) {
    memcpy(out, "0s", 2);
    return (pprofc_str){out, 2};
  }
  uint64_t value = nanoseconds < 0 ? 0 - (uint64_t)nanoseconds : (uint64_t)nanoseconds;
  size_t start =
      value < 1000000000 ? put_short_duration(out, 64, value) : put_long_duration(out, 64, value);
  if (nanoseconds < 0) out[--start] = '-';
  return (pprofc_str){out + start, 64 - start};
}
