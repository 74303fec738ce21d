/* Reads lock contention as text: contentionz of C++ servers, mutex and block profiles of Go
 * with debug=1 (docs/spec/pprof.md, 5.5). */
#include "import/formats.h"
#include "import/legacy/legacy.h"

struct contention {
  int64_t clock; /* cycles of the clock per second, 0 if unknown */
  int64_t period;
  int64_t milliseconds;
};

/* Returns the field of `c` for an attribute. Returns NULL for an unknown attribute: then the data
 * has another format. */
static int64_t *attribute(struct contention *c, pprofc_str key) {
  const struct {
    const char *name;
    int64_t *value;
  } attributes[] = {
      {"cycles/second", &c->clock},
      {"sampling period", &c->period},
      {"ms since reset", &c->milliseconds},
  };
  for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
    if (str_equal(key, str_of(attributes[i].name))) return attributes[i].value;
  return NULL;
}

/* Reads lines of "key = value". Stops at the first line of another form, which stays the current
 * line. */
static pprofc_status contention_read_attributes(struct contention *c, struct lines *lines,
                                                pprofc_error *error) {
  while (lines_next(lines)) {
    pprofc_str line = str_trim(lines->line);
    if (text_is_comment(line)) continue;
    size_t equals = str_find_char(line, '=');
    if (str_starts(line, STR("---")) || equals == line.size) break;
    pprofc_str key = str_trim(str_slice(line, 0, equals));
    pprofc_str value = str_trim(str_slice(line, equals + 1, line.size));
    if (str_equal(key, STR("discarded samples"))) continue;
    int64_t *number = attribute(c, key);
    if (!number || !str_parse_int(value, 0, number)) return PPROFC_E_NO_MATCH;
  }
  return lines_status(lines, error);
}

/* Finds "19490304 27 @" anywhere in the line: two numbers and an '@'. If the '@' follows a single
 * number, the last digit of this number becomes the second number, as in pprof's regular
 * expression. Sets *addresses to the addresses after the '@'. */
static bool contention_find_sample(pprofc_str line, pprofc_str *first, pprofc_str *second,
                                   pprofc_str *addresses) {
  *addresses = STR("");
  while (line.size) {
    if (!text_take_digits(&line, first)) {
      line = str_slice(line, 1, line.size);
      continue;
    }
    pprofc_str rest = line;
    text_skip_blanks(&rest);
    if (text_take_digits(&rest, second) && text_take(&rest, STR(" @"))) {
      text_take_run(&rest, text_is_address, addresses);
      return true;
    }
    rest = line;
    if (first->size > 1 && text_take(&rest, STR(" @"))) {
      *second = str_slice(*first, first->size - 1, first->size);
      first->size--;
      text_take_run(&rest, text_is_address, addresses);
      return true;
    }
  }
  return false;
}

static pprofc_status contention_read_sample(struct legacy *l, const struct contention *c,
                                            const struct lines *lines) {
  pprofc_str delay_text, count_text, addresses;
  int64_t delay, count;
  if (!contention_find_sample(str_trim(lines->line), &delay_text, &count_text, &addresses))
    return PPROFC_E_NO_MATCH;
  if (!str_parse_int(delay_text, 10, &delay) || !str_parse_int(count_text, 10, &count))
    return lines_malformed(lines, "malformed sample", l->error);
  if (c->period > 0) {
    if (c->clock > 0)
      delay = legacy_to_int((double)delay * (double)c->period / ((double)c->clock / 1e9));
    count = (int64_t)((uint64_t)count * (uint64_t)c->period);
  }
  if (!legacy_add_hex_frames(l, addresses, 0))
    return lines_malformed(lines, "malformed sample", l->error);
  legacy_add_sample(l, (int64_t[]){count, delay}, 0);
  return PPROFC_OK;
}

/* Reads samples, beginning with the current line. */
static pprofc_status contention_read_samples(struct legacy *l, const struct contention *c,
                                             struct lines *lines) {
  do {
    if (str_starts(str_trim(lines->line), STR("---"))) break;
    if (text_is_comment(lines->line)) continue;
    pprofc_status status = contention_read_sample(l, c, lines);
    if (status != PPROFC_OK) return status;
  } while (lines_next(lines));
  return lines_status(lines, l->error);
}

static bool is_head(pprofc_str line) {
  return str_starts(line, STR("--- contentionz ")) || str_starts(line, STR("--- mutex:")) ||
         str_starts(line, STR("--- contention:"));
}

static pprofc_status read_contention(struct legacy *l, pprofc_str data) {
  struct lines lines = lines_of(data);
  if (!lines_next(&lines) || !is_head(lines.line)) return PPROFC_E_NO_MATCH;
  struct contention c = {.period = 1};
  legacy_add_type(l, STR("contentions"), STR("count"));
  legacy_add_type(l, STR("delay"), STR("nanoseconds"));
  l->period_type = l->types[0];
  pprofc_status status = contention_read_attributes(&c, &lines, l->error);
  l->period = c.period;
  l->duration_nanos = (int64_t)((uint64_t)c.milliseconds * 1000 * 1000);
  if (status == PPROFC_OK) status = contention_read_samples(l, &c, &lines);
  return status == PPROFC_OK ? legacy_read_sections(l, &lines) : status;
}

IMPORT_READER(import_contention) {
  return legacy_import(read_contention, data, mem, options, profile, error);
}
