/* Names metrics and scales values for the tables that benchstat printed before 2021. */
#include "bench/classic/classic.h"

#include <math.h>
#include <stdio.h>

struct metric_name {
  pprofc_str unit, name;
};

static const struct metric_name metric_names[] = {{{"ns/op", 5}, {"time/op", 7}},
                                                  {{"ns/GC", 5}, {"time/GC", 7}},
                                                  {{"B/op", 4}, {"alloc/op", 8}},
                                                  {{"MB/s", 4}, {"speed", 5}}};

/* True if the unit is `base`, or ends with "-" and `base`. */
static bool has_base(pprofc_str unit, const char *base) {
  pprofc_str b = str_of(base);
  return str_equal(unit, b) ||
         (str_ends(unit, b) && unit.size > b.size && unit.data[unit.size - b.size - 1] == '-');
}

void classic_metric_name(struct buffer *out, pprofc_str unit) {
  for (size_t i = 0; i < sizeof metric_names / sizeof *metric_names; i++) {
    if (!has_base(unit, metric_names[i].unit.data)) continue;
    buffer_add_str(out, str_slice(unit, 0, unit.size - metric_names[i].unit.size));
    buffer_add_str(out, metric_names[i].name);
    return;
  }
  buffer_add_str(out, unit);
}

/* Format for values from `from` on: divided by `divisor`, with `digits` decimals. */
struct classic_scale_step {
  double from;
  int digits;
  double divisor;
  const char *suffix;
};

static const struct classic_scale_step plain_steps[] = {
    {99500000000000, 0, 1e12, "T"},
    {9950000000000, 1, 1e12, "T"},
    {995000000000, 2, 1e12, "T"},
    {99500000000, 0, 1e9, "G"},
    {9950000000, 1, 1e9, "G"},
    {995000000, 2, 1e9, "G"},
    {99500000, 0, 1e6, "M"},
    {9950000, 1, 1e6, "M"},
    {995000, 2, 1e6, "M"},
    {99500, 0, 1e3, "k"},
    {9950, 1, 1e3, "k"},
    {995, 2, 1e3, "k"},
    {99.5, 0, 1, ""},
    {9.95, 1, 1, ""},
    {-INFINITY, 2, 1, ""},
};

static const struct classic_scale_step time_steps[] = {
    {99.5, 0, 1, "s"},
    {9.95, 1, 1, "s"},
    {0.995, 2, 1, "s"},
    {0.0995, 0, 1000, "ms"},
    {0.00995, 1, 1000, "ms"},
    {0.000995, 2, 1000, "ms"},
    {0.0000995, 0, 1000000, "\xC2\xB5s"},
    {0.00000995, 1, 1000000, "\xC2\xB5s"},
    {0.000000995, 2, 1000000, "\xC2\xB5s"},
    {0.0000000995, 0, 1000000000, "ns"},
    {0.00000000995, 1, 1000000000, "ns"},
    {-INFINITY, 2, 1000000000, "ns"},
};

/* Finds the step of a value. The last step accepts every value, including NaN. */
static const struct classic_scale_step *find_step(const struct classic_scale_step *steps,
                                                  size_t count, double value) {
  size_t i = 0;
  while (i + 1 < count && !(value >= steps[i].from)) i++;
  return &steps[i];
}

struct classic_scale classic_scale_of(double value, pprofc_str unit) {
  struct classic_scale scale = {.digits = 0};
  if (has_base(unit, "ns/op") || has_base(unit, "ns/GC")) {
    const struct classic_scale_step *step =
        find_step(time_steps, sizeof time_steps / sizeof *time_steps, value / 1e9);
    scale = (struct classic_scale){.digits = step->digits, .divisor = step->divisor, .time = true};
    snprintf(scale.suffix, sizeof scale.suffix, "%s", step->suffix);
    return scale;
  }
  bool speed = has_base(unit, "MB/s");
  double million = speed ? 1e6 : 1;
  const char *base = speed ? "B/s" : "";
  if (has_base(unit, "B/op") || has_base(unit, "bytes/op") || has_base(unit, "bytes")) base = "B";
  const struct classic_scale_step *step =
      find_step(plain_steps, sizeof plain_steps / sizeof *plain_steps, value * million);
  scale.digits = step->digits;
  scale.divisor = step->divisor / million;
  snprintf(scale.suffix, sizeof scale.suffix, "%s%s", step->suffix, base);
  return scale;
}

void classic_print_scaled(struct buffer *out, const struct classic_scale *scale, double value) {
  double scaled = scale->time ? value / 1e9 * scale->divisor : value / scale->divisor;
  number_print_fixed(out, scaled, scale->digits, false);
  buffer_add_text(out, scale->suffix);
}

void classic_print_range(struct buffer *out, const struct classic_metric *metric) {
  if (metric->mean == 0 || metric->most == 0) return;
  double range = 1 - metric->least / metric->mean, above = metric->most / metric->mean - 1;
  if (above > range) range = above;
  number_print_fixed(out, range * 100.0, 0, false);
  buffer_add_char(out, '%');
}
