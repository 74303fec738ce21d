/* Reads benchmark text: "BenchmarkName 100 12.5 ns/op", "Unit ns/op better=lower", "goos: linux".
 * https://go.dev/design/14313-benchmark-format describes this format. The rules are the same as in
 * golang.org/x/perf/benchfmt. */
#include "bench/read/readers.h"

#include <sys/mman.h>

/* Maximum size of a line with its newline: the limit of the scanner in golang.org/x/perf. */
#define LONGEST_LINE ((size_t)64 * 1024)

struct text_reader {
  struct bench_sink *sink;
  uint64_t line;
};

/* Types of bytes, for splitting a line into fields. */
enum { IN_FIELD, BLANK, NOT_ASCII };

// clang-format off
#define BYTES_32 NOT_ASCII, NOT_ASCII, NOT_ASCII, NOT_ASCII, NOT_ASCII, NOT_ASCII, NOT_ASCII, NOT_ASCII, \
                 NOT_ASCII, NOT_ASCII, NOT_ASCII, NOT_ASCII, NOT_ASCII, NOT_ASCII, NOT_ASCII, NOT_ASCII, \
                 NOT_ASCII, NOT_ASCII, NOT_ASCII, NOT_ASCII, NOT_ASCII, NOT_ASCII, NOT_ASCII, NOT_ASCII, \
                 NOT_ASCII, NOT_ASCII, NOT_ASCII, NOT_ASCII, NOT_ASCII, NOT_ASCII, NOT_ASCII, NOT_ASCII
static const unsigned char byte_class[256] = {
    [' '] = BLANK, ['\t'] = BLANK, ['\n'] = BLANK, ['\v'] = BLANK, ['\f'] = BLANK, ['\r'] = BLANK,
    [0x80] = BYTES_32, BYTES_32, BYTES_32, BYTES_32,
};
// clang-format on

static inline unsigned class_of(const char *p) {
  return byte_class[(unsigned char)*p];
}

/* Skips white space, including Unicode white space outside of ASCII. */
static const char *read_text_skip_blanks(const char *p, const char *end) {
  for (;;) {
    while (p < end && class_of(p) == BLANK) p++;
    if (p == end || class_of(p) == IN_FIELD) return p;
    size_t space = space_at((pprofc_str){p, (size_t)(end - p)});
    if (!space) return p;
    p += space;
  }
}

/* Removes the next field and the white space after it from *rest. The rules are the same in all
 * versions of benchstat. */
static pprofc_str bench_take_field(pprofc_str *rest) {
  const char *p = rest->data, *end = p + rest->size;
  for (;;) {
    while (p < end && class_of(p) == IN_FIELD) p++;
    if (p == end || class_of(p) == BLANK || space_at((pprofc_str){p, (size_t)(end - p)})) break;
    p++;
  }
  pprofc_str field = {rest->data, (size_t)(p - rest->data)};
  p = read_text_skip_blanks(p, end);
  *rest = (pprofc_str){p, (size_t)(end - p)};
  return field;
}

/* ---- benchmark lines --------------------------------- */

/* Reads pairs of value and unit. Returns an error text, or NULL. */
static const char *text_read_pairs(struct text_reader *r, pprofc_str rest) {
  for (size_t place = 0;; place++) {
    double value;
    pprofc_str field = bench_take_field(&rest);
    if (!field.size) return place ? NULL : "missing measurements";
    enum number_result result = float_read(field, &value);
    if (result != NUMBER_OK)
      return result == NUMBER_SYNTAX ? "parsing measurement: invalid syntax"
                                     : "parsing measurement: value out of range";
    pprofc_str unit = bench_take_field(&rest);
    if (!unit.size) return "missing units";
    sink_word_value(r->sink, value, sink_word(r->sink, unit));
  }
}

static void text_read_benchmark(struct text_reader *r, pprofc_str line) {
  pprofc_str rest = str_slice(line, 9, line.size);
  size_t size = rest.size;
  pprofc_str name = bench_take_field(&rest);
  if (name.size == size)
    return; /* `go test -v` prints a line with only the name before the benchmark. */
  pprofc_str field = bench_take_field(&rest);
  if (!field.size) {
    sink_message(r->sink, r->line, "missing iteration count");
    return;
  }
  int64_t iterations;
  enum number_result result = number_parse_int(field, &iterations);
  if (result != NUMBER_OK) {
    sink_message(r->sink, r->line, "parsing iteration count: %s",
                 result == NUMBER_SYNTAX ? "invalid syntax" : "value out of range");
    return;
  }
  sink_result(r->sink, name, iterations, r->line);
  const char *wrong = text_read_pairs(r, rest);
  if (!wrong) return;
  sink_drop(r->sink);
  sink_message(r->sink, r->line, "%s", wrong);
}

/* ---- unit and configuration lines -------------------- */

static bool read_unit_line(struct text_reader *r, pprofc_str line) {
  pprofc_str rest = line;
  if (!str_equal(bench_take_field(&rest), STR("Unit"))) return false;
  pprofc_str unit = bench_take_field(&rest), pair;
  if (!unit.size) sink_message(r->sink, r->line, "missing unit");
  while (unit.size && (pair = bench_take_field(&rest)).size) {
    size_t equals = str_find_char(pair, '=');
    if (equals == 0 || equals == pair.size)
      sink_message(r->sink, r->line, "expected key=value");
    else
      sink_metadata(r->sink, unit, str_slice(pair, 0, equals),
                    str_slice(pair, equals + 1, pair.size), r->line);
  }
  return true;
}

/* Returns the length of the key in a line "key: value". Returns 0 for any other line. */
static size_t key_size(pprofc_str line) {
  for (size_t i = 0; i < line.size;) {
    size_t start = i;
    int32_t rune = utf8_next(line, &i);
    if (rune < 0) rune = 0xFFFD;
    if (start == 0 && !rune_is_lower(rune)) return 0;
    if (rune_is_space(rune) || rune_is_upper(rune)) return 0;
    if (rune == ':') return start;
  }
  return 0;
}

/* Returns the length of the key in a line "key: value", and sets *value. Returns 0 otherwise. */
static size_t bench_config_line(pprofc_str line, pprofc_str *value) {
  size_t size = key_size(line), blanks = 0;
  if (!size) return 0;
  *value = str_slice(line, size + 1, line.size);
  while (blanks < value->size && (value->data[blanks] == ' ' || value->data[blanks] == '\t'))
    blanks++;
  if (value->size && !blanks) return 0;
  *value = str_slice(*value, blanks, value->size);
  return size;
}

static void read_config(struct text_reader *r, pprofc_str line) {
  pprofc_str value;
  size_t size = bench_config_line(line, &value);
  if (size) sink_config(r->sink, str_slice(line, 0, size), value);
}

/* ---- lines ------------------------------------------- */

static void text_read_line(struct text_reader *r, pprofc_str line) {
  if (line.size >= 9 && memcmp(line.data, "Benchmark", 9) == 0)
    text_read_benchmark(r, line);
  else if (!(line.size && line.data[0] == 'U' && read_unit_line(r, line)))
    read_config(r, line);
}

/* Number of bytes of a mapped file after which the reader releases the pages that it has read. */
#define RELEASE_STEP ((size_t)4 << 20)

/* Releases the pages that are completely in [from, to). A later access reads the file again. */
static void text_release(const struct bench_source *source, const char *from, const char *to) {
  if (!source->mapped) return;
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  size_t start = (size_t)(from - source->data.data) / page * page;
  size_t size = (size_t)(to - source->data.data) / page * page - start;
  madvise((void *)(uintptr_t)(source->data.data + start), size, MADV_DONTNEED);
}

pprofc_status bench_read_lines(const struct bench_source *source, pprofc_error *error) {
  struct text_reader r = {.sink = source->sink};
  if (!source->data.size) return PPROFC_OK;
  const char *p = source->data.data, *end = p + source->data.size;
  const char *nul = memchr(p, '\0', source->data.size), *released = p;
  text_release(source, p, end);
  while (p < end && r.sink->status == PPROFC_OK) {
    if ((size_t)(p - released) >= RELEASE_STEP) {
      text_release(source, released, p);
      released = p;
    }
    const char *newline = memchr(p, '\n', (size_t)(end - p));
    size_t size = (size_t)((newline ? newline : end) - p);
    if (size >= LONGEST_LINE)
      return error_set(error, PPROFC_E_LIMIT, "%s:%llu: bufio.Scanner: token too long",
                       source->path, (unsigned long long)r.line);
    r.line++;
    if (nul && nul < p + size)
      return error_set(error, PPROFC_E_FORMAT,
                       "%s:%llu: NUL byte in benchmark text (is it UTF-16?)", source->path,
                       (unsigned long long)r.line);
    if (size && p[size - 1] == '\r')
      text_read_line(&r, (pprofc_str){p, size - 1});
    else
      text_read_line(&r, (pprofc_str){p, size});
    p = newline ? newline + 1 : end;
  }
  return PPROFC_OK;
}

/* ---- the rules before 2021 -------------------------- */

/* Reads benchmark text by the rules of benchstat before 2021. Keeps units such as ns/op. Ignores
 * invalid lines without a message. */

/* State of the header. An empty line before the first result locks the keys that are set so far.
 * Key lines right after the empty line do not change locked keys. The next line without a key
 * unlocks them. */
struct read_classic_header {
  bool over; /* true once the first result was read */
  size_t permanent;
  uint32_t *keys;
  size_t capacity;
};

static bool is_permanent(const struct read_classic_header *header, const struct bench_sink *sink,
                         pprofc_str key) {
  for (size_t i = 0; i < header->permanent; i++)
    if (str_equal(set_string(sink->set, header->keys[i]), key)) return true;
  return false;
}

static void keep_header(struct read_classic_header *header, struct bench_sink *sink) {
  header->permanent = 0;
  for (size_t i = 0; i < sink->pair_count; i++) {
    if (!ARRAY_PUSH(&sink->set->mem, header->keys, header->permanent, header->capacity,
                    sink->pairs[i].key))
      sink_fail(sink);
  }
}

/* Reads pairs of value and unit. Skips a pair whose value is not a number. */
static void classic_read_pairs(struct bench_sink *sink, pprofc_str rest) {
  for (;;) {
    pprofc_str number = bench_take_field(&rest), unit = bench_take_field(&rest);
    double value;
    if (!unit.size) return;
    if (float_read(number, &value) == NUMBER_OK) sink_value(sink, value, unit);
  }
}

/* Reads a benchmark line. Returns true if the line ends the header. */
static bool classic_read_benchmark(struct bench_sink *sink, pprofc_str line, uint64_t number) {
  pprofc_str rest = line, name = bench_take_field(&rest);
  if (!str_starts(name, STR("Benchmark")) || name.size == line.size) return false;
  pprofc_str count = bench_take_field(&rest), start = rest;
  int64_t iterations = 0;
  if (number_parse_int(count, &iterations) == NUMBER_RANGE) iterations = INT64_MAX;
  (void)bench_take_field(&start);
  if (iterations == 0 || !start.size) return true;
  sink_result(sink, str_slice(name, 9, name.size), iterations, number);
  classic_read_pairs(sink, rest);
  return true;
}

static void bench_read_classic_lines(const struct bench_source *source) {
  struct bench_sink *sink = source->sink;
  struct read_classic_header header = {.over = false};
  pprofc_str rest = source->data, line, value;
  for (uint64_t number = 1; sink->status == PPROFC_OK && str_next_line(&rest, &line); number++) {
    size_t key = bench_config_line(line, &value);
    if (key) {
      if (!is_permanent(&header, sink, str_slice(line, 0, key)))
        sink_config(sink, str_slice(line, 0, key), value);
      continue;
    }
    header.permanent = 0;
    if (!line.size && !header.over) keep_header(&header, sink);
    header.over |= classic_read_benchmark(sink, line, number);
  }
  mem_free(&sink->set->mem, header.keys, header.capacity, sizeof *header.keys);
}

/* ---- reader ---------------------------------------- */

static bool text_matches(pprofc_str data) {
  (void)data;
  return true;
}

/* True if the text is JSON without benchmark lines, which is an unknown format. */
static bool is_foreign(pprofc_str data) {
  data = str_trim(data);
  return data.size && (data.data[0] == '{' || data.data[0] == '[') &&
         str_find(data, STR("\nBenchmark")) == data.size;
}

static pprofc_status text_read_source(const struct bench_source *source, pprofc_error *error) {
  if (is_foreign(source->data))
    return error_set(error, PPROFC_E_FORMAT, "%s:1: JSON, but of no known benchmark format",
                     source->path);
  if (!source->sink->set->keep_units) return bench_read_lines(source, error);
  bench_read_classic_lines(source);
  return PPROFC_OK;
}

const struct bench_reader bench_reader_text = {
    .name = "go benchmark text", .matches = text_matches, .read = text_read_source};
