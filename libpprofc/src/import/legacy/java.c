/* Reads heap and contention profiles of Java as text, and the locations at the end of all Java
 * profiles (docs/spec/pprof.md, 5.6 and 5.7). */
#include "import/formats.h"
#include "import/legacy/legacy.h"

#define HEAP_SAMPLING_RATE 524288

struct java_reader {
  struct legacy *l;
  bool heap;
};

/* ---- header ------------------------------------------ */

static bool java_is_word(char c) {
  return c == ' ' || char_is_word(c);
}

/* Finds "key=value" anywhere in the line, and trims key and value. Both may contain spaces. */
static bool find_attribute(pprofc_str line, pprofc_str *key, pprofc_str *value) {
  for (size_t at = 0;;) {
    size_t equals = at + str_find_char(str_slice(line, at, line.size), '=');
    if (equals >= line.size) return false;
    size_t start = equals;
    while (start > at && java_is_word(line.data[start - 1])) start--;
    pprofc_str tail = str_slice(line, equals + 1, line.size);
    if (start < equals && text_take_run(&tail, java_is_word, value)) {
      *key = str_trim(str_slice(line, start, equals));
      *value = str_trim(*value);
      return true;
    }
    at = equals + 1;
  }
}

static void set_types(struct java_reader *r, pprofc_str resolution) {
  struct legacy *l = r->l;
  l->type_count = 0;
  legacy_add_type(l, r->heap ? STR("inuse_objects") : STR("contentions"), STR("count"));
  legacy_add_type(l, r->heap ? STR("inuse_space") : STR("delay"), resolution);
}

static pprofc_status read_attribute(struct java_reader *r, const struct lines *lines,
                                    pprofc_str key, pprofc_str value) {
  struct legacy *l = r->l;
  if (str_equal(key, STR("format")))
    return str_equal(value, STR("java")) ? PPROFC_OK : PPROFC_E_NO_MATCH;
  if (str_equal(key, STR("resolution"))) {
    set_types(r, value);
    return PPROFC_OK;
  }
  bool period = str_equal(key, STR("sampling period"));
  if (r->heap || (!period && !str_equal(key, STR("ms since reset")))) return PPROFC_E_NO_MATCH;
  int64_t number;
  if (!str_parse_int(value, 0, &number))
    return lines_malformed(lines, "failed to parse attribute", l->error);
  if (period) {
    l->period_type = (struct legacy_type){STR("contentions"), STR("count")};
    l->period = number;
  } else {
    l->duration_nanos = (int64_t)((uint64_t)number * 1000 * 1000);
  }
  return PPROFC_OK;
}

/* Sets *line to the next line that ends with a newline and is not blank, but does not skip it.
 * Leaves a last line without a newline to the reader of locations. */
static bool next_whole_line(struct lines *lines, pprofc_str *line) {
  while (str_find_char(lines->rest, '\n') < lines->rest.size) {
    size_t end = str_find_char(lines->rest, '\n');
    *line = lines->line = str_trim(str_slice(lines->rest, 0, end));
    if (line->size) return true;
    lines->rest = str_slice(lines->rest, end + 1, lines->rest.size);
  }
  return false;
}

/* Skips the line that next_whole_line found. */
static void skip_line(struct lines *lines) {
  size_t end = str_find_char(lines->rest, '\n');
  lines->rest = str_slice(lines->rest, end + 1, lines->rest.size);
}

static pprofc_status java_read_attributes(struct java_reader *r, struct lines *lines) {
  pprofc_str line, key, value;
  while (next_whole_line(lines, &line) && find_attribute(line, &key, &value)) {
    pprofc_status status = read_attribute(r, lines, key, value);
    if (status != PPROFC_OK) return status;
    skip_line(lines);
  }
  return PPROFC_OK;
}

/* ---- samples ----------------------------------------- */

static bool take_blanks(pprofc_str *s) {
  size_t before = s->size;
  text_skip_blanks(s);
  return s->size < before;
}

/* Finds "7 7360 @ 0x00000003 0x00000004" anywhere in the line. */
static bool java_find_sample(pprofc_str line, pprofc_str *first, pprofc_str *second,
                             pprofc_str *addresses) {
  while (line.size) {
    if (!text_take_digits(&line, first)) {
      line = str_slice(line, 1, line.size);
      continue;
    }
    pprofc_str rest = line;
    if (take_blanks(&rest) && text_take_digits(&rest, second) && take_blanks(&rest) &&
        text_take(&rest, STR("@")) && take_blanks(&rest)) {
      if (!text_take_run(&rest, text_is_address, addresses)) *addresses = STR("");
      return true;
    }
  }
  return false;
}

static pprofc_status java_add_sample(struct java_reader *r, const struct lines *lines,
                                     pprofc_str first, pprofc_str second, pprofc_str addresses) {
  struct legacy *l = r->l;
  int64_t count, amount, block_size = 0;
  if (!legacy_add_hex_frames(l, addresses, SIZE_MAX))
    return lines_malformed(lines, "malformed sample", l->error);
  if (!str_parse_int(second, 0, &count) || !str_parse_int(first, 0, &amount))
    return lines_malformed(lines, "malformed sample", l->error);
  if (r->heap) {
    if (count == 0)
      return lines_malformed(lines, "second value must be non-zero in sample", l->error);
    block_size = amount / count;
    legacy_unsample(&count, &amount, HEAP_SAMPLING_RATE);
  } else if (l->period) {
    count = (int64_t)((uint64_t)count * (uint64_t)l->period);
    amount = (int64_t)((uint64_t)amount * (uint64_t)l->period);
  }
  if (l->type_count)
    legacy_add_sample(l, (int64_t[]){count, amount}, block_size);
  else
    return error_set(l->error, PPROFC_E_FORMAT,
                     "malformed profile: missing sample type information");
  return PPROFC_OK;
}

static pprofc_status java_read_samples(struct java_reader *r, struct lines *lines) {
  pprofc_str line, first, second, addresses;
  while (next_whole_line(lines, &line) && java_find_sample(line, &first, &second, &addresses)) {
    pprofc_status status = java_add_sample(r, lines, first, second, addresses);
    if (status != PPROFC_OK) return status;
    skip_line(lines);
  }
  return PPROFC_OK;
}

static pprofc_status read_java(struct legacy *l, pprofc_str data) {
  struct lines lines = lines_of(data);
  size_t end = str_find_char(data, '\n');
  if (end == data.size) return PPROFC_E_NO_MATCH;
  pprofc_str head = str_trim(str_slice(data, 0, end));
  bool heap = str_equal(head, STR("--- heapz 1 ---"));
  if (!heap && !str_equal(head, STR("--- contentionz 1 ---"))) return PPROFC_E_NO_MATCH;
  lines.rest = str_slice(data, end + 1, data.size);
  l->has_block_size = heap;
  struct java_reader r = {l, heap};
  pprofc_status status = java_read_attributes(&r, &lines);
  if (status == PPROFC_OK) status = java_read_samples(&r, &lines);
  return status == PPROFC_OK ? legacy_read_java_locations(l, lines.rest) : status;
}

IMPORT_READER(import_java) {
  return legacy_import(read_java, data, mem, options, profile, error);
}
