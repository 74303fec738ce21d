/* Reads CSV (RFC 4180) with a header that names the columns name, unit and value; one sample a
 * line. */
#include "bench/names.h"
#include "bench/read/readers.h"

enum { NAME, UNIT, VALUE, WANTED };

static const char *const wanted[WANTED] = {"name", "unit", "value"};

/* One record; fields that are not wanted are skipped. */
struct record {
  struct buffer fields[WANTED];
  size_t field_count; /* of the record */
  bool bad_quotes;
};

/* Which field of a record each wanted one is. */
struct read_csv_columns {
  size_t at[WANTED];
};

/* Takes one field off *rest into `out`, which may be NULL. Returns the byte that ended it: a comma,
 * a newline or 0 for the end of the text. */
static char take_field(pprofc_str *rest, struct buffer *out, uint64_t *line, bool *bad_quotes) {
  size_t i = 0;
  bool quoted = rest->size && rest->data[0] == '"', open = quoted;
  if (quoted) i++;
  for (; i < rest->size; i++) {
    char c = rest->data[i];
    if (!open && (c == ',' || c == '\n')) break;
    if (c == '\n') ++*line;
    if (quoted && c == '"') {
      bool twice = open && i + 1 < rest->size && rest->data[i + 1] == '"';
      if (!twice) {
        *bad_quotes |= !open;
        open = false;
        continue;
      }
      i++;
    }
    if (out) buffer_add_char(out, c);
  }
  *bad_quotes |= open;
  char end = i < rest->size ? rest->data[i] : '\0';
  if (end != ',' && !quoted && out && out->size && out->data[out->size - 1] == '\r') out->size--;
  *rest = str_slice(*rest, i < rest->size ? i + 1 : i, rest->size);
  return end;
}

static bool same_word(pprofc_str field, const char *word) {
  field = str_trim(field);
  if (field.size != strlen(word)) return false;
  for (size_t i = 0; i < field.size; i++)
    if ((field.data[i] | 32) != word[i]) return false;
  return true;
}

/* Reads the header. False unless all three columns are there. */
static bool find_columns(pprofc_str *rest, const pprofc_allocator *mem,
                         struct read_csv_columns *columns) {
  struct buffer field;
  bool found[WANTED] = {false}, bad_quotes = false;
  uint64_t line = 1;
  char end = ',';
  buffer_init(&field, mem, 4096);
  for (size_t i = 0; end == ',' && i < 1000; i++) {
    buffer_clear(&field);
    end = take_field(rest, &field, &line, &bad_quotes);
    for (size_t w = 0; w < WANTED; w++) {
      if (found[w] || !same_word(buffer_str(&field), wanted[w])) continue;
      found[w] = true;
      columns->at[w] = i;
    }
  }
  bool good = !field.failed && !bad_quotes && line == 1;
  buffer_free(&field);
  return good && found[NAME] && found[UNIT] && found[VALUE];
}

static bool read_csv_matches(pprofc_str data) {
  pprofc_str header = str_slice(data, 0, str_find_char(data, '\n'));
  struct read_csv_columns columns;
  if (header.size > 4096 || str_find_char(header, ',') == header.size) return false;
  return find_columns(&header, &mem_default, &columns);
}

static char take_record(pprofc_str *rest, const struct read_csv_columns *columns,
                        struct record *record, uint64_t *line) {
  char end = ',';
  record->field_count = 0;
  record->bad_quotes = false;
  for (size_t w = 0; w < WANTED; w++) buffer_clear(&record->fields[w]);
  while (end == ',') {
    struct buffer *out = NULL;
    for (size_t w = 0; w < WANTED; w++)
      if (columns->at[w] == record->field_count) out = &record->fields[w];
    end = take_field(rest, out, line, &record->bad_quotes);
    record->field_count++;
  }
  return end;
}

/* What is wrong with a record, or NULL. */
static const char *add_record(struct bench_sink *sink, struct record *record) {
  pprofc_str unit = str_trim(buffer_str(&record->fields[UNIT]));
  double value;
  if (record->bad_quotes) return "unbalanced quotes";
  if (!record->fields[NAME].size) return "missing name";
  if (!unit.size) return "missing unit";
  switch (number_parse(str_trim(buffer_str(&record->fields[VALUE])), &value)) {
  case NUMBER_SYNTAX:
    return "parsing value: invalid syntax";
  case NUMBER_RANGE:
    return "parsing value: value out of range";
  default:
    break;
  }
  struct buffer name, word;
  buffer_init(&name, &sink->set->mem, (size_t)1 << 30);
  buffer_init(&word, &sink->set->mem, (size_t)1 << 30);
  name_encode(&name, buffer_str(&record->fields[NAME]), true);
  name_encode(&word, unit, true);
  sink_result(sink, buffer_str(&name), 1, 0);
  sink_value(sink, value, buffer_str(&word));
  if (name.failed || word.failed) sink_fail(sink);
  buffer_free(&name);
  buffer_free(&word);
  return NULL;
}

static pprofc_status read_csv(const struct bench_source *source, pprofc_error *error) {
  const pprofc_allocator *mem = &source->sink->set->mem;
  struct read_csv_columns columns;
  struct record record;
  pprofc_str rest = source->data;
  uint64_t line = 1;
  (void)error;
  if (str_starts(rest, STR("\xEF\xBB\xBF"))) rest = str_slice(rest, 3, rest.size);
  for (; rest.size && memchr(" \t\r\n", rest.data[0], 4); rest = str_slice(rest, 1, rest.size))
    line += rest.data[0] == '\n';
  if (!find_columns(&rest, mem, &columns)) return PPROFC_OK;
  for (size_t w = 0; w < WANTED; w++) buffer_init(&record.fields[w], mem, (size_t)64 << 20);
  while (rest.size && source->sink->status == PPROFC_OK) {
    uint64_t start = ++line;
    take_record(&rest, &columns, &record, &line);
    bool blank = record.field_count == 1 && !record.fields[NAME].size &&
                 !record.fields[UNIT].size && !record.fields[VALUE].size;
    const char *wrong = blank ? NULL : add_record(source->sink, &record);
    if (wrong) sink_message(source->sink, start, "%s", wrong);
    for (size_t w = 0; w < WANTED; w++)
      if (record.fields[w].failed) sink_fail(source->sink);
  }
  for (size_t w = 0; w < WANTED; w++) buffer_free(&record.fields[w]);
  return PPROFC_OK;
}

const struct bench_reader bench_reader_csv = {"CSV of name, unit, value", read_csv_matches,
                                              read_csv};
