/* Formats numbers for people. */
#include "page/numbers.h"

#include "bench/set.h"

struct number_scale {
  double from, factor;
  const char *unit;
};

/* Appends a whole number with a comma after each group of three digits: "8,440". */
static void put_grouped(struct buffer *out, double value) {
  char digits[400];
  int size = snprintf(digits, sizeof digits, "%.0f", fabs(value));
  if (value < 0) buffer_add_char(out, '-');
  for (int i = 0; i < size; i++) {
    if (i && (size - i) % 3 == 0) buffer_add_char(out, ',');
    buffer_add_char(out, digits[i]);
  }
}

/* Appends the value in the largest unit of the scale that does not exceed the value. */
static void put_scaled(struct buffer *out, double value, const struct number_scale *scales,
                       size_t count) {
  size_t i = 0;
  double size = fabs(value);
  while (i + 1 < count && size >= scales[i + 1].from * 0.9995) i++;
  double shown = value / scales[i].factor;
  if (fabs(shown) >= 999.5)
    put_grouped(out, shown);
  else
    buffer_printf(out, "%.3g", shown);
  if (*scales[i].unit) buffer_printf(out, NO_BREAK "%s", scales[i].unit);
}

static const struct number_scale seconds[] = {
    {0, 1e-9, "ns"}, {1e-6, 1e-6, "\xC2\xB5s"}, {1e-3, 1e-3, "ms"}, {1, 1, "s"}};
/* As in pprof's reports, a kB has 1024 bytes. */
static const struct number_scale bytes[] = {
    {0, 1, "B"}, {1024, 1024, "kB"}, {1048576, 1048576, "MB"}, {1073741824, 1073741824, "GB"}};
static const struct number_scale plain[] = {{0, 1, ""}, {1e6, 1e6, "M"}, {1e9, 1e9, "G"}};

#define SCALED(out, value, scales) put_scaled(out, value, scales, sizeof scales / sizeof *scales)

bool number_is_time(pprofc_str unit) {
  return STR_ANY(str_equal, unit, "sec/op", "cpu-sec/op", "ns/op", "time/op");
}

const char *number_kind(pprofc_str unit) {
  static const char *const kinds[][2] = {
      {"B/op", "mem"},
      {"allocs/op", "mem"},
      {NUMBER_INSTRUCTIONS, "instructions"},
      {"cycles-estimated", "instructions"},
      {"L1-missed", "instructions"},
      {"LL-missed", "instructions"},
  };
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (str_equal(unit, str_of(kinds[i][0]))) return kinds[i][1];
  return "cpu";
}

bool number_leads(pprofc_str unit) {
  return number_is_time(unit) || str_equal(unit, STR(NUMBER_INSTRUCTIONS));
}

void number_amount(struct buffer *out, double value, pprofc_str unit) {
  if (!isfinite(value))
    buffer_add_text(out, DASH);
  else if (value == 0 && number_is_time(unit))
    buffer_add_text(out, "0");
  else if (number_is_time(unit))
    SCALED(out, value, seconds);
  else if (unit_is_binary(unit))
    SCALED(out, value, bytes);
  else
    SCALED(out, value, plain);
  if (isfinite(value) && str_ends(unit, STR("/s"))) buffer_add_text(out, "/s");
}

void number_profile(struct buffer *out, double value, pprofc_str unit) {
  if (value == 0)
    buffer_add_char(out, '0');
  else if (str_equal(unit, STR("nanoseconds")))
    SCALED(out, value / 1e9, seconds);
  else if (str_equal(unit, STR("bytes")))
    SCALED(out, value, bytes);
  else
    SCALED(out, value, plain);
}

void number_difference(struct buffer *out, double value, pprofc_str unit) {
  buffer_add_text(out, value < 0 ? MINUS : "+");
  number_profile(out, fabs(value), unit);
}

void number_share(struct buffer *out, double part) {
  double percent = 100 * part;
  buffer_printf(out, "%.*f" PERCENT_FORMAT, percent >= 9.95 ? 0 : 1, percent);
}

/* Appends a signed percentage. The sign is a character as wide as a digit. */
static void put_percent_number(struct buffer *out, double change) {
  double size = fabs(100 * change);
  buffer_add_text(out, change < 0 ? MINUS : "+");
  buffer_printf(out, "%.*f", size >= 9.95 ? 0 : 1, size);
}

#define FACTOR_LEAST 99 /* smallest change that is written as a factor */

static void put_factor(struct buffer *out, double change) {
  buffer_add_text(out, "\xC3\x97");
  put_grouped(out, change + 1);
}

void number_percent(struct buffer *out, double change) {
  if (change >= FACTOR_LEAST) {
    put_factor(out, change);
    return;
  }
  put_percent_number(out, change);
  buffer_add_text(out, PERCENT);
}

void number_size(struct buffer *out, double change) {
  double percent = 100 * fabs(change);
  if (percent >= 99.5)
    buffer_printf(out, "%.0f" PERCENT_FORMAT, percent);
  else
    buffer_printf(out, "%.2g" PERCENT_FORMAT, percent);
}

void number_sides(struct buffer *out, const struct gate_row *row) {
  if (row->in_base) number_amount(out, row->base, row->unit);
  if (row->in_base && row->in_head) buffer_add_text(out, " " ARROW " ");
  if (row->in_head) number_amount(out, row->head, row->unit);
}

void number_change(struct buffer *out, const struct gate_row *row) {
  if (!row->in_base || !row->in_head || row->base == row->head) return;
  if (row->base == 0)
    buffer_add_text(out, "new");
  else if (row->head == 0)
    buffer_add_text(out, "gone");
  else if (!isnan(row->delta))
    number_percent(out, row->delta);
}

void number_interval(struct buffer *out, const struct gate_row *row) {
  if (!isfinite(row->low) || !isfinite(row->high) || row->low == row->high) return;
  void (*put)(struct buffer *, double) =
      row->delta >= FACTOR_LEAST ? put_factor : put_percent_number;
  put(out, row->low);
  buffer_add_text(out, " to ");
  put(out, row->high);
}

/* Words for a change in a unit. The page writes a change as a factor if the factor is at least 2,
 * and otherwise in percent. */
struct number_words {
  const char *verb;         /* verb of a sentence about the change: "is", "allocates" */
  const char *more, *times; /* if worse: "slower" after "12 %", "times slower" after "4.9" */
  const char *less;         /* word for a better value: "faster" */
};

static const struct number_words time_words = {"is", "slower", "times slower", "faster"};
static const struct number_words byte_words = {"allocates", "more memory", "times as much memory",
                                               "less memory"};
static const struct number_words count_words = {"allocates", "more often", "times as often",
                                                "less often"};
static const struct number_words instruction_words = {
    "executes", "more instructions", "times as many instructions", "fewer instructions"};

static const struct number_words *words_for(const struct gate_row *row) {
  if (number_is_time(row->unit)) return &time_words;
  if (str_equal(row->unit, STR("B/op"))) return &byte_words;
  if (str_equal(row->unit, STR("allocs/op"))) return &count_words;
  if (str_equal(row->unit, STR(NUMBER_INSTRUCTIONS))) return &instruction_words;
  return str_ends(row->unit, STR("/s")) && row->direction > 0 ? &time_words : NULL;
}

static void put_size(struct buffer *out, const struct gate_row *row,
                     const struct number_words *words) {
  bool higher_is_better = row->direction > 0;
  bool worse = higher_is_better ? row->head < row->base : row->head > row->base;
  double factor = higher_is_better ? row->base / row->head : row->head / row->base;
  double change = fabs(higher_is_better ? row->base / row->head - 1 : row->delta);
  const char *word = worse ? words->more : words->less;
  int digits = change >= 0.0995 ? 0 : 1;
  if (worse && factor >= 2) {
    if (factor < 9.95)
      buffer_printf(out, "%.2g", factor);
    else
      put_grouped(out, factor);
    buffer_printf(out, " %s", words->times);
  } else
    buffer_printf(out, "%.*f" PERCENT_FORMAT " %s", digits, 100 * change, word);
}

void number_phrase(struct buffer *out, const struct gate_row *row) {
  const struct number_words *words = words_for(row);
  if (!row->in_base || !row->in_head) return;
  if (words && row->base > 0 && row->head > 0) {
    put_size(out, row, words);
    return;
  }
  buffer_add_str(out, row->unit);
  buffer_add_char(out, ' ');
  number_change(out, row);
}

void number_sentence(struct buffer *out, pprofc_str name, const struct gate_row *row) {
  const struct number_words *words = words_for(row);
  buffer_add_str(out, name);
  if (words && row->base > 0 && row->head > 0) {
    buffer_printf(out, " %s ", words->verb);
    put_size(out, row, words);
    buffer_add_text(out, ": ");
  } else if (words && row->base == 0 && str_equal(str_of(words->verb), STR("allocates"))) {
    buffer_add_text(out, " allocates now: ");
  } else {
    buffer_printf(out, " became worse in %.*s: ", STR_ARG(row->unit));
  }
  number_sides(out, row);
  if (str_equal(row->unit, STR("allocs/op"))) buffer_add_text(out, " allocations");
  if (str_ends(row->unit, STR("/op"))) buffer_add_text(out, " per operation");
}
