/* Reads heap and contention profiles of Java as text, and the locations at the end of all Java
 * profiles (docs/spec/pprof.md, 5.6 and 5.7). */
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
    size_t equals = at + str_find_char(str_from(line, at), '=');
    if (equals >= line.size) return false;
    size_t start = equals;
    while (start > at && java_is_word(line.data[start - 1])) start--;
    pprofc_str tail = str_from(line, equals + 1);
    if (start < equals && str_take_run(&tail, java_is_word, value)) {
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

static bool read_attribute(struct java_reader *r, pprofc_str key, pprofc_str value) {
  struct legacy *l = r->l;
  if (str_equal(key, STR("format"))) return str_equal(value, STR("java")) || legacy_no_match(l);
  if (str_equal(key, STR("resolution"))) {
    set_types(r, value);
    return true;
  }
  bool period = str_equal(key, STR("sampling period"));
  if (r->heap || (!period && !str_equal(key, STR("ms since reset")))) return legacy_no_match(l);
  int64_t number;
  if (!str_parse_int(value, 0, &number)) return legacy_malformed(l, "failed to parse attribute");
  if (period) {
    l->period_type = (struct legacy_type){STR("contentions"), STR("count")};
    l->period = number;
  } else {
    l->duration_nanos = (int64_t)((uint64_t)number * 1000 * 1000);
  }
  return true;
}

/* Sets l->line to the next line that ends with a newline and is not blank. This line stays in
 * l->rest until skip_line removes it. A last line without a newline is left to
 * legacy_read_java_locations. */
static bool next_whole_line(struct legacy *l) {
  size_t end;
  while (builder_ok(l->builder) && (end = str_find_char(l->rest, '\n')) < l->rest.size) {
    l->line = str_trim(str_slice(l->rest, 0, end));
    if (l->line.size) return true;
    l->rest = str_from(l->rest, end + 1);
  }
  return false;
}

/* Skips the line that next_whole_line found. */
static void skip_line(struct legacy *l) {
  l->rest = str_from(l->rest, str_find_char(l->rest, '\n') + 1);
}

/* ---- samples ----------------------------------------- */

/* Finds "7 7360 @ 0x00000003 0x00000004" anywhere in the line. */
static bool java_find_sample(pprofc_str line, pprofc_str *numbers, pprofc_str *addresses) {
  *addresses = STR("");
  while (line.size) {
    if (!str_take_run(&line, char_is_digit, &numbers[0])) {
      line = str_from(line, 1);
    } else if (text_scan(&line, "+#+@+", &numbers[1])) {
      str_take_run(&line, text_is_address, addresses);
      return true;
    }
  }
  return false;
}

static bool java_add_sample(struct java_reader *r, const pprofc_str *numbers,
                            pprofc_str addresses) {
  struct legacy *l = r->l;
  int64_t count, amount, block_size = 0;
  if (!legacy_add_hex_frames(l, addresses, SIZE_MAX) || !str_parse_int(numbers[1], 0, &count) ||
      !str_parse_int(numbers[0], 0, &amount))
    return legacy_malformed(l, "malformed sample");
  if (r->heap) {
    if (count == 0) return legacy_malformed(l, "second value must be non-zero in sample");
    block_size = amount / count;
    legacy_unsample(&count, &amount, HEAP_SAMPLING_RATE);
  } else if (l->period) {
    count = (int64_t)((uint64_t)count * (uint64_t)l->period);
    amount = (int64_t)((uint64_t)amount * (uint64_t)l->period);
  }
  if (!l->type_count)
    return import_refuse(l->builder, PPROFC_E_FORMAT,
                         "malformed profile: missing sample type information");
  legacy_add_sample(l, (int64_t[]){count, amount}, block_size);
  return true;
}

static bool java_begins(pprofc_str data, pprofc_str head) {
  size_t end = str_find_char(data, '\n');
  return end < data.size && str_equal(str_trim(str_slice(data, 0, end)), head);
}

static bool java_is_heap(pprofc_str data) {
  return java_begins(data, STR("--- heapz 1 ---"));
}

bool import_is_java(pprofc_str data) {
  return java_is_heap(data) || java_begins(data, STR("--- contentionz 1 ---"));
}

static void read_java(struct legacy *l) {
  struct java_reader r = {l, java_is_heap(l->rest)};
  pprofc_str key, value, numbers[2], addresses;
  l->has_block_size = r.heap;
  skip_line(l);
  for (; next_whole_line(l) && find_attribute(l->line, &key, &value); skip_line(l))
    if (!read_attribute(&r, key, value)) return;
  for (; next_whole_line(l) && java_find_sample(l->line, numbers, &addresses); skip_line(l))
    if (!java_add_sample(&r, numbers, addresses)) return;
  legacy_read_java_locations(l);
}

IMPORT_READER(import_java) {
  legacy_import(read_java, data, builder, arena);
}
