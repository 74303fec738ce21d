/* Reads CSV (RFC 4180) with a sample on each line. The header has the columns name, unit and value.
 * A column "assume" with the value "exact" marks units that are counts. */
#include "bench/read/readers.h"

enum { NAME, UNIT, VALUE, ASSUME, WANTED };

static const char *const wanted[WANTED] = {"name", "unit", "value", "assume"};

/* A record of the file: the fields in the columns that the reader uses. */
struct record {
  struct buffer fields[WANTED];
  size_t field_count; /* number of fields in the record */
  bool bad_quotes;
};

static void put_byte(struct buffer *out, char c) {
  if (out) buffer_add_char(out, c);
}

/* Copies a quoted field. Returns the position after the closing quote. */
static size_t csv_copy_quoted(pprofc_str text, struct buffer *out, uint64_t *line,
                              bool *bad_quotes) {
  for (size_t i = 1; i < text.size; i++) {
    if (text.data[i] == '"') {
      bool twice = i + 1 < text.size && text.data[i + 1] == '"';
      if (!twice) return i + 1;
      i++;
    }
    *line += text.data[i] == '\n';
    put_byte(out, text.data[i]);
  }
  *bad_quotes = true;
  return text.size;
}

/* Copies the rest of a field. Returns the position of the comma or newline that ends the field. A
 * quote after the closing quote is an error. */
static size_t csv_copy_plain(pprofc_str text, size_t i, struct buffer *out, bool *bad_quotes) {
  bool quoted = i > 0;
  for (; i < text.size && text.data[i] != ',' && text.data[i] != '\n'; i++) {
    if (quoted && text.data[i] == '"')
      *bad_quotes = true;
    else
      put_byte(out, text.data[i]);
  }
  return i;
}

/* Removes a field from *rest, and copies it to `out`, which may be NULL. Returns the byte that
 * ended the field: a comma, a newline, or 0 at the end of the text. */
static char csv_take_field(pprofc_str *rest, struct buffer *out, uint64_t *line, bool *bad_quotes) {
  bool quoted = str_starts(*rest, STR("\""));
  size_t i = quoted ? csv_copy_quoted(*rest, out, line, bad_quotes) : 0;
  i = csv_copy_plain(*rest, i, out, bad_quotes);
  char end = i < rest->size ? rest->data[i] : '\0';
  if (end != ',' && !quoted && out && str_ends(buffer_str(out), STR("\r"))) out->size--;
  *rest = str_slice(*rest, i < rest->size ? i + 1 : i, rest->size);
  return end;
}

/* True if a field of the header is the word, with or without quotes. */
static bool is_word(pprofc_str field, const char *word) {
  bool quoted = str_starts(field, STR("\""));
  field = str_trim(field);
  if (quoted && field.size > 1 && str_ends(field, STR("\"")))
    field = str_trim(str_slice(field, 1, field.size - 1));
  if (field.size != strlen(word)) return false;
  for (size_t i = 0; i < field.size; i++)
    if ((field.data[i] | 32) != word[i]) return false;
  return true;
}

/* Reads the header, and stores the index of each column that the reader uses. Returns false if the
 * column name, unit or value is missing. Allocates nothing, because format detection has no
 * allocator. */
static bool csv_find_columns(pprofc_str *rest, size_t columns[WANTED]) {
  bool found[WANTED] = {false}, bad_quotes = false;
  uint64_t line = 1;
  char end = ',';
  columns[ASSUME] = SIZE_MAX;
  for (size_t i = 0; end == ',' && i < 1000; i++) {
    pprofc_str field = *rest;
    end = csv_take_field(rest, NULL, &line, &bad_quotes);
    field.size -= rest->size + (end != '\0');
    for (size_t w = 0; w < WANTED; w++) {
      if (found[w] || !is_word(field, wanted[w])) continue;
      found[w] = true;
      columns[w] = i;
    }
  }
  return !bad_quotes && line == 1 && found[NAME] && found[UNIT] && found[VALUE];
}

static bool csv_matches(pprofc_str data) {
  pprofc_str header = str_slice(data, 0, str_find_char(data, '\n'));
  size_t columns[WANTED];
  if (header.size > 4096 || str_find_char(header, ',') == header.size) return false;
  return csv_find_columns(&header, columns);
}

static char csv_take_record(pprofc_str *rest, const size_t columns[WANTED], struct record *record,
                            uint64_t *line) {
  char end = ',';
  record->field_count = 0;
  record->bad_quotes = false;
  for (size_t w = 0; w < WANTED; w++) buffer_clear(&record->fields[w]);
  while (end == ',') {
    struct buffer *out = NULL;
    for (size_t w = 0; w < WANTED; w++)
      if (columns[w] == record->field_count) out = &record->fields[w];
    end = csv_take_field(rest, out, line, &record->bad_quotes);
    record->field_count++;
  }
  return end;
}

/* Adds a record as a result. Returns an error text, or NULL. */
static const char *csv_add_record(struct bench_sink *sink, struct record *record, uint64_t line) {
  pprofc_str unit = str_trim(buffer_str(&record->fields[UNIT]));
  double value;
  if (record->bad_quotes) return "unbalanced quotes";
  if (!record->fields[NAME].size) return "missing name";
  if (!unit.size) return "missing unit";
  switch (float_read(str_trim(buffer_str(&record->fields[VALUE])), &value)) {
  case NUMBER_SYNTAX:
    return "parsing value: invalid syntax";
  case NUMBER_RANGE:
    return "parsing value: value out of range";
  default:
    break;
  }
  pprofc_str assume = str_trim(buffer_str(&record->fields[ASSUME]));
  struct buffer name, word;
  buffer_init(&name, &sink->set->mem, (size_t)1 << 30);
  buffer_init(&word, &sink->set->mem, (size_t)1 << 30);
  name_encode(&name, buffer_str(&record->fields[NAME]), true);
  name_encode(&word, unit, true);
  sink_result(sink, buffer_str(&name), 1, 0);
  sink_value(sink, value, buffer_str(&word));
  if (assume.size) sink_metadata(sink, buffer_str(&word), STR("assume"), assume, line);
  if (name.failed || word.failed) sink_fail(sink);
  buffer_free(&name);
  buffer_free(&word);
  return NULL;
}

/* Skips a byte order mark and white space. Returns the number of skipped newlines. */
static uint64_t csv_skip_front(pprofc_str *rest) {
  uint64_t lines = 0;
  if (str_starts(*rest, STR("\xEF\xBB\xBF"))) *rest = str_slice(*rest, 3, rest->size);
  for (; rest->size && memchr(" \t\r\n", rest->data[0], 4); *rest = str_slice(*rest, 1, rest->size))
    lines += rest->data[0] == '\n';
  return lines;
}

static bool csv_is_blank(const struct record *record) {
  return record->field_count == 1 && !record->fields[NAME].size && !record->fields[UNIT].size &&
         !record->fields[VALUE].size;
}

static pprofc_status csv_read_source(const struct bench_source *source, pprofc_error *error) {
  size_t columns[WANTED];
  struct record record;
  pprofc_str rest = source->data;
  uint64_t line = 1 + csv_skip_front(&rest);
  (void)error;
  if (!csv_find_columns(&rest, columns)) return PPROFC_OK;
  for (size_t w = 0; w < WANTED; w++)
    buffer_init(&record.fields[w], &source->sink->set->mem, (size_t)64 << 20);
  while (rest.size && source->sink->status == PPROFC_OK) {
    uint64_t start = ++line;
    csv_take_record(&rest, columns, &record, &line);
    const char *wrong = csv_is_blank(&record) ? NULL : csv_add_record(source->sink, &record, start);
    if (wrong) sink_message(source->sink, start, "%s", wrong);
    for (size_t w = 0; w < WANTED; w++)
      if (record.fields[w].failed) sink_fail(source->sink);
  }
  for (size_t w = 0; w < WANTED; w++) buffer_free(&record.fields[w]);
  return PPROFC_OK;
}

const struct bench_reader bench_reader_csv = {
    .name = "CSV of name, unit, value", .matches = csv_matches, .read = csv_read_source};
