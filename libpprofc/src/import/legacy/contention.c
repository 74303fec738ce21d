/* Reads lock contention as text: contentionz of C++ servers, mutex and block profiles of Go
 * with debug=1 (docs/spec/pprof.md, 5.5). */
#include "import/legacy/legacy.h"

/* Indices of the attributes in contention_attributes and in arrays of their values. */
enum { CONTENTION_CLOCK, CONTENTION_PERIOD, CONTENTION_MILLISECONDS, CONTENTION_ATTRIBUTES };

static const char *const contention_attributes[CONTENTION_ATTRIBUTES] = {
    [CONTENTION_CLOCK] = "cycles/second", /* unit 0: unknown */
    [CONTENTION_PERIOD] = "sampling period",
    [CONTENTION_MILLISECONDS] = "ms since reset"};

/* Stores an attribute in `values`. Returns false for an unknown attribute, because the data is then
 * not in this format. */
static bool contention_attribute(pprofc_str key, pprofc_str value, int64_t *values) {
  for (size_t i = 0; i < CONTENTION_ATTRIBUTES; i++)
    if (str_equal(key, str_of(contention_attributes[i])))
      return str_parse_int(value, 0, &values[i]);
  return str_equal(key, STR("discarded samples"));
}

/* Reads lines like "key = value". Stops at the first other line, which stays the current line. */
static void contention_read_attributes(struct legacy *l, int64_t *values) {
  while (legacy_next_line(l)) {
    pprofc_str line = str_trim(l->line);
    if (text_is_comment(line)) continue;
    size_t equals = str_find_char(line, '=');
    if (str_starts(line, STR("---")) || equals == line.size) break;
    if (!contention_attribute(str_trim(str_slice(line, 0, equals)),
                              str_trim(str_from(line, equals + 1)), values))
      legacy_no_match(l);
  }
}

/* Finds "19490304 27 @" anywhere in the line: two numbers and an '@'. If the '@' follows a single
 * number, the last digit of this number becomes the second number, as in pprof's regular
 * expression. Sets *addresses to the addresses after the '@'. */
static bool contention_find_sample(pprofc_str line, pprofc_str *first, pprofc_str *second,
                                   pprofc_str *addresses) {
  *addresses = STR("");
  while (line.size) {
    if (!str_take_run(&line, char_is_digit, first)) {
      line = str_from(line, 1);
      continue;
    }
    bool one = !text_scan(&line, " #_@", second);
    if (one && (first->size < 2 || !text_scan(&line, "_@", second))) continue;
    if (one) *second = (pprofc_str){first->data + --first->size, 1};
    str_take_run(&line, text_is_address, addresses);
    return true;
  }
  return false;
}

static bool contention_read_sample(struct legacy *l, const int64_t *attributes) {
  pprofc_str delay_text, count_text, addresses;
  int64_t delay, count, period = attributes[CONTENTION_PERIOD],
                        clock = attributes[CONTENTION_CLOCK];
  if (!contention_find_sample(str_trim(l->line), &delay_text, &count_text, &addresses))
    return legacy_no_match(l);
  if (!str_parse_int(delay_text, 10, &delay) || !str_parse_int(count_text, 10, &count))
    return legacy_malformed(l, "malformed sample");
  if (period > 0) {
    if (clock > 0) delay = legacy_to_int((double)delay * (double)period / ((double)clock / 1e9));
    count = (int64_t)((uint64_t)count * (uint64_t)period);
  }
  if (!legacy_add_hex_frames(l, addresses, 0)) return legacy_malformed(l, "malformed sample");
  legacy_add_sample(l, (int64_t[]){count, delay}, 0);
  return true;
}

bool import_is_contention(pprofc_str data) {
  pprofc_str line;
  return text_next_line(&data, &line) &&
         (str_starts(line, STR("--- contentionz ")) || str_starts(line, STR("--- mutex:")) ||
          str_starts(line, STR("--- contention:")));
}

static void read_contention(struct legacy *l) {
  int64_t attributes[CONTENTION_ATTRIBUTES] = {[CONTENTION_PERIOD] = 1};
  legacy_next_line(l);
  legacy_add_type(l, STR("contentions"), STR("count"));
  legacy_add_type(l, STR("delay"), STR("nanoseconds"));
  l->period_type = l->types[0];
  contention_read_attributes(l, attributes);
  l->period = attributes[CONTENTION_PERIOD];
  l->duration_nanos = (int64_t)((uint64_t)attributes[CONTENTION_MILLISECONDS] * 1000 * 1000);
  /* Reads samples, beginning with the current line. */
  while (builder_ok(l->builder) && !str_starts(str_trim(l->line), STR("---"))) {
    if (!text_is_comment(l->line)) contention_read_sample(l, attributes);
    if (!legacy_next_line(l)) break;
  }
  legacy_read_sections(l);
}

IMPORT_READER(import_contention) {
  legacy_import(read_contention, data, builder, arena);
}
