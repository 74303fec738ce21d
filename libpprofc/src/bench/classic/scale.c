/* Names metrics and scales values for the tables that benchstat printed before 2021. */
#include "bench/classic/classic.h"

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
  for (size_t i = 0; i < COUNT(metric_names); i++) {
    if (!has_base(unit, metric_names[i].unit.data)) continue;
    buffer_add_str(out, str_slice(unit, 0, unit.size - metric_names[i].unit.size));
    buffer_add_str(out, metric_names[i].name);
    return;
  }
  buffer_add_str(out, unit);
}

/* A unit prefix ("k"). Times are multiplied by `divisor`; other values are divided by it. Number of
 * decimals: 0 for values of at least `hundreds`, 1 for at least `tens`, 2 for at least `ones`. */
struct classic_scale_step {
  double divisor;
  const char *suffix;
  double hundreds, tens, ones;
};

static const struct classic_scale_step plain_steps[] = {
    {1e12, "T", 99500000000000, 9950000000000, 995000000000},
    {1e9, "G", 99500000000, 9950000000, 995000000},
    {1e6, "M", 99500000, 9950000, 995000},
    {1e3, "k", 99500, 9950, 995},
    {1, "", 99.5, 9.95, -INFINITY},
};

static const struct classic_scale_step time_steps[] = {
    {1, "s", 99.5, 9.95, 0.995},
    {1000, "ms", 0.0995, 0.00995, 0.000995},
    {1000000, "\xC2\xB5s", 0.0000995, 0.00000995, 0.000000995},
    {1000000000, "ns", 0.0000000995, 0.00000000995, -INFINITY},
};

/* Finds the unit prefix (step) of a value, and sets *digits to the number of decimals. The last
 * step accepts every value, even NaN. */
static const struct classic_scale_step *find_step(const struct classic_scale_step *steps,
                                                  size_t count, double value, int *digits) {
  size_t i = 0;
  while (i + 1 < count && !(value >= steps[i].ones)) i++;
  *digits = value >= steps[i].tens ? 1 : 2;
  if (value >= steps[i].hundreds) *digits = 0;
  return &steps[i];
}

struct classic_scale classic_scale_of(double value, pprofc_str unit) {
  struct classic_scale scale = {.time = has_base(unit, "ns/op") || has_base(unit, "ns/GC")};
  double million = 1;
  const char *base = "";
  if (!scale.time && has_base(unit, "MB/s")) {
    million = 1e6;
    base = "B/s";
  } else if (!scale.time &&
             (has_base(unit, "B/op") || has_base(unit, "bytes/op") || has_base(unit, "bytes"))) {
    base = "B";
  }
  const struct classic_scale_step *step =
      scale.time ? find_step(time_steps, COUNT(time_steps), value / 1e9, &scale.digits)
                 : find_step(plain_steps, COUNT(plain_steps), value * million, &scale.digits);
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
