/* Converts units to base units, finds their properties, and scales values, like
 * golang.org/x/perf/benchunit. */
#include "bench/set.h"

/* ---- tokens ------------------------------------------ */

/* Iterator over the names in a unit. The names are separated by `*`, `/`, `-` and spaces. */
struct unit_parser {
  pprofc_str unit;
  size_t position;
  pprofc_str token;
  bool denominator; /* true in a denominator, which begins with `/` and ends with `*` */
};

static bool unit_is_separator(int32_t rune) {
  return rune == '*' || rune == '/' || rune == '-' || (rune >= 0 && rune_is_space(rune));
}

static bool next_token(struct unit_parser *p) {
  size_t start = p->position, at = start;
  int32_t rune = -1;
  while (start < p->unit.size) {
    rune = utf8_next(p->unit, &at);
    if (!unit_is_separator(rune)) break;
    if (rune == '*') p->denominator = false;
    if (rune == '/') p->denominator = true;
    start = at;
  }
  if (start >= p->unit.size) return false;
  size_t end = at;
  while (end < p->unit.size && !unit_is_separator(utf8_next(p->unit, &at))) end = at;
  p->token = str_slice(p->unit, start, end);
  p->position = end;
  return true;
}

/* ---- tidying ----------------------------------------- */

/* Conversions to base units. With `divide`, the value is divided by `factor` as in Go's package
 * benchunit, because a multiplication may round differently. */
struct tidy_rule {
  pprofc_str from, to;
  double factor;
  bool divide;
};

static const struct tidy_rule tidy_rules[] = {
    {{"ns", 2}, {"sec", 3}, 1e9, true},
    {{"MB", 2}, {"B", 1}, 1e6, false},
};

/* Units converted as a whole. In any other unit, each name of the numerator is converted alone. */
static const struct tidy_rule tidy_units[] = {
    {{"ns/op", 5}, {"sec/op", 6}, 1e-9, false},
    {{"MB/s", 4}, {"B/s", 3}, 1e6, false},
};

static const struct tidy_rule *unit_find_rule(const struct tidy_rule *rules, size_t count,
                                              pprofc_str name) {
  for (size_t i = 0; i < count; i++)
    if (str_equal(rules[i].from, name)) return &rules[i];
  return NULL;
}

double unit_tidy(pprofc_str unit, struct buffer *out) {
  const struct tidy_rule *rule = unit_find_rule(tidy_units, COUNT(tidy_units), unit);
  if (rule) {
    buffer_add_str(out, rule->to);
    return rule->factor;
  }
  struct unit_parser p = {.unit = unit};
  double factor = 1;
  size_t copied = 0;
  while (next_token(&p)) {
    rule = unit_find_rule(tidy_rules, COUNT(tidy_rules), p.token);
    if (!rule || p.denominator) continue;
    factor = rule->divide ? factor / rule->factor : factor * rule->factor;
    size_t start = p.position - p.token.size;
    buffer_add_str(out, str_slice(unit, copied, start));
    buffer_add_str(out, rule->to);
    copied = p.position;
  }
  buffer_add_str(out, str_slice(unit, copied, unit.size));
  return factor;
}

bool unit_is_binary(pprofc_str unit) {
  struct unit_parser p = {.unit = unit};
  while (next_token(&p))
    if (!p.denominator && (str_equal(p.token, STR("B")) || str_equal(p.token, STR("MB")) ||
                           str_equal(p.token, STR("bytes"))))
      return true;
  return false;
}

/* ---- scaling ----------------------------------------- */

/* A step of a scale: values with the same prefix. A value of at least `hundreds` has 1 decimal. A
 * smaller value of at least `tens` has 2 decimals, and a smaller value of at least `ones` has 3.
 * Each limit is the smallest value that rounds up to 100, 10 or 1. */
struct unit_scale_step {
  double factor;
  const char *prefix;
  double hundreds, tens, ones;
};

static const struct unit_scale_step decimal_steps[] = {
    {1e12, "T", 99.995e12, 9.9995e12, .99995e12},
    {1e9, "G", 99.995e9, 9.9995e9, .99995e9},
    {1e6, "M", 99.995e6, 9.9995e6, .99995e6},
    {1e3, "k", 99.995e3, 9.9995e3, .99995e3},
    {1, "", 99.995, 9.9995, .99995},
    {1e-3, "m", 99.995e-3, 9.9995e-3, .99995e-3},
    {1e-6, "\xC2\xB5", 99.995e-6, 9.9995e-6, .99995e-6},
    {1e-9, "n", 99.995e-9, 9.9995e-9, .99995e-9},
};

#define BINARY_STEP(exponent, prefix)                                                              \
  {                                                                                                \
    0x1p##exponent, prefix, 0x1.8ffae147ae148p6 * 0x1p##exponent,                                  \
        0x1.3ffbe76c8b439p3 * 0x1p##exponent, 0x1.fff972474538fp-1 * 0x1p##exponent                \
  }

static const struct unit_scale_step binary_steps[] = {
    BINARY_STEP(40, "Ti"), BINARY_STEP(30, "Gi"), BINARY_STEP(20, "Mi"),
    BINARY_STEP(10, "Ki"), BINARY_STEP(0, ""),
};

/* Limits for values that stay below 1 with the smallest prefix: "n", or no prefix for bytes. A
 * value below a limit needs one more decimal. */
static const double small_limits[] = {9.9995e-1, 9.9995e-2, 9.9995e-3, 9.9995e-4,
                                      9.9995e-5, 9.9995e-6, 9.9995e-7, 9.9995e-8};
#define SMALL_LIMITS COUNT(small_limits)

struct unit_scale unit_scale_of(double value, bool binary) {
  double least = fabs(value);
  if (least == 0) return (struct unit_scale){3, 1, ""};
  const struct unit_scale_step *steps = binary ? binary_steps : decimal_steps;
  size_t last = (binary ? sizeof binary_steps : sizeof decimal_steps) / sizeof *steps - 1;
  for (size_t i = 0; i <= last; i++) {
    const struct unit_scale_step *step = &steps[i];
    if (least >= step->hundreds) return (struct unit_scale){1, step->factor, step->prefix};
    if (least >= step->tens) return (struct unit_scale){2, step->factor, step->prefix};
    if (least >= step->ones) return (struct unit_scale){3, step->factor, step->prefix};
  }
  double rest = least / steps[last].factor;
  size_t i = 0;
  while (i + 1 < SMALL_LIMITS && !(rest >= small_limits[i])) i++;
  return (struct unit_scale){(int)i + 3, steps[last].factor, steps[last].prefix};
}

void unit_print(struct buffer *out, struct unit_scale scale, double value) {
  number_print_fixed(out, value / scale.factor, scale.digits, false);
  buffer_add_text(out, scale.prefix);
}

/* ---- direction --------------------------------------- */

/* Returns 1 (higher is better) for a unit per second. Otherwise the last name in the numerator
 * decides: "p99-sec/op" is a time and "peak-RSS-bytes" a size, so lower is better. */
int unit_direction_of(pprofc_str unit) {
  struct unit_parser p = {.unit = unit};
  pprofc_str numerator = {NULL, 0};
  while (next_token(&p))
    if (!p.denominator)
      numerator = p.token;
    else if (numerator.size && (str_equal(p.token, STR("s")) || str_equal(p.token, STR("sec"))))
      return 1;
  bool cost = STR_ANY(str_equal, numerator, "sec", "s", "ms", "us", "ns", "B", "KB", "MB", "bytes",
                      "allocs", "instructions", "cycles", "misses", "faults");
  return cost ? -1 : 0;
}
