/* Which way a unit is better, in the spellings of all the tools. */
#include "bench/gate.h"

static const struct {
  const char *unit;
  int direction;
} known[] = {
    {"sec/op", -1},
    {"ns/op", -1},
    {"time/op", -1},
    {"B/op", -1},
    {"alloc/op", -1},
    {"allocs/op", -1},
    {"ns", -1},
    {"us", -1},
    {"ms", -1},
    {"s", -1},
    {"sec", -1},
    {"seconds", -1},
    {"B", -1},
    {"bytes", -1},
    {"instructions", -1},
    {"cycles", -1},
    {"misses", -1},
    {"allocs", -1},
    {"real_time", -1},
    {"cpu_time", -1},
    {"Ir", -1},
    {"rss", -1},
    {"RSS", -1},
    {"faults", -1},
    {"B/s", 1},
    {"MB/s", 1},
    {"speed", 1},
    {"throughput", 1},
    {"items_per_second", 1},
    {"bytes_per_second", 1},
    {"ops", 1},
};

static bool has_word(pprofc_str unit, const char *word) {
  pprofc_str w = str_of(word);
  size_t at = str_find(unit, w);
  return at < unit.size || (w.size == 0);
}

/* "p99-ns/op", "ops/s", "req/sec", "peak-RSS-bytes": by the form of the unit. */
static int by_form(pprofc_str unit) {
  size_t slash = str_find_last_char(unit, '/');
  pprofc_str below = slash < unit.size ? str_slice(unit, slash + 1, unit.size) : STR("");
  if (str_equal(below, STR("s")) || str_equal(below, STR("sec")) || str_equal(below, STR("second")))
    return 1;
  pprofc_str above = str_slice(unit, 0, slash);
  static const char *const lower[] = {"ns",     "sec",          "B",      "bytes",
                                      "allocs", "instructions", "cycles", "misses"};
  for (size_t i = 0; i < sizeof lower / sizeof *lower; i++) {
    pprofc_str w = str_of(lower[i]);
    bool last =
        str_ends(above, w) && (above.size == w.size || above.data[above.size - w.size - 1] == '-');
    if (last) return -1;
  }
  if (has_word(unit, "latency") || has_word(unit, "duration") || has_word(unit, "time")) return -1;
  return 0;
}

int gate_direction(const struct gate *gate, pprofc_str unit) {
  for (size_t i = 0; i < gate->settings.direction_count; i++)
    if (str_equal(gate->settings.directions[i].unit, unit))
      return gate->settings.directions[i].direction;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (str_equal(unit, str_of(known[i].unit))) return known[i].direction;
  return by_form(unit);
}

bool gate_parse_floor(pprofc_str text, double *value) {
  static const struct {
    const char *suffix;
    double factor;
  } suffixes[] = {{"ns", 1e-9}, {"us", 1e-6},  {"\xC2\xB5s", 1e-6}, {"ms", 1e-3},     {"s", 1},
                  {"kB", 1024}, {"KiB", 1024}, {"MB", 1048576},     {"MiB", 1048576}, {"B", 1},
                  {"", 1}};
  text = str_trim(text);
  size_t digits = 0;
  while (digits < text.size &&
         ((text.data[digits] >= '0' && text.data[digits] <= '9') || text.data[digits] == '.'))
    digits++;
  double number;
  if (!str_parse_float(str_slice(text, 0, digits), &number)) return false;
  pprofc_str rest = str_trim(str_slice(text, digits, text.size));
  for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
    if (str_equal(rest, str_of(suffixes[i].suffix))) {
      *value = number * suffixes[i].factor;
      return true;
    }
  return false;
}
