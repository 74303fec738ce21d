/* Reads files of R's Rprof: a line for each sample with the names of its functions, leaf first, in
 * quotes. With line.profiling a position "FILE#LINE" precedes the function that contains it, and
 * lines "#File N: NAME" name the files. With memory.profiling sizes come first: ":1:2:3:4:". */
#include "import/reader.h"

struct rprof {
  pprofc_builder *builder;
  struct arena *arena;
  pprofc_str *files; /* names of the files; file N has the index N - 1 */
  size_t file_count, file_room;
  uint32_t *frames;
  size_t depth, room;
  uint64_t samples, bad, empty;
};

/* Parses a header. It ends with the interval in microseconds: "sample.interval=20000". The words
 * before the interval name other recorded data. */
static bool rprof_head(pprofc_str line, int64_t *interval) {
  static const pprofc_str key = {"sample.interval=", sizeof "sample.interval=" - 1};
  size_t at = str_find(line, key);
  pprofc_str number = str_trim(str_from(line, at + key.size));
  return at < line.size && str_parse_int(number, 10, interval) && *interval > 0 &&
         *interval < INT64_MAX / 1000;
}

/* Parses "#File 1: name". Returns false for any other line. Files must be in the order of their
 * numbers. */
static bool rprof_file(struct rprof *r, pprofc_str line) {
  if (!str_starts(line, STR("#File "))) return false;
  size_t colon = str_find(line, STR(": "));
  pprofc_str name = str_from(line, colon + 2);
  import_need(r->builder, ARRAY_PUSH_IN(r->arena, r->files, r->file_count, r->file_room, name));
  return true;
}

/* Parses "1#5", the position of the next function: line 5 of file 1. */
static bool rprof_place(const struct rprof *r, pprofc_str word, pprofc_str *file, int64_t *line) {
  uint64_t number;
  size_t hash = str_find_char(word, '#');
  if (hash == word.size || !str_parse_uint(str_slice(word, 0, hash), 10, &number) ||
      !str_parse_int(str_from(word, hash + 1), 10, line) || *line < 0)
    return false;
  *file = number && number <= r->file_count ? r->files[number - 1] : STR("");
  return true;
}

static void rprof_add(struct rprof *r, pprofc_str name, pprofc_str file, int64_t number) {
  uint32_t path = file.size ? builder_string(r->builder, file) : 0;
  uint32_t location = import_location(r->builder, NONE, import_function(r->builder, name, path),
                                      file.size ? number : 0);
  import_need(r->builder, ARRAY_PUSH_IN(r->arena, r->frames, r->depth, r->room, location));
}

/* Reads the frames of a sample. Returns false if the line is not a list of names in quotes. */
static bool rprof_frames(struct rprof *r, pprofc_str rest) {
  pprofc_str file = STR(""), word;
  int64_t line = 0;
  r->depth = 0;
  while ((rest = str_trim(rest)).size && builder_ok(r->builder)) {
    if (rest.data[0] == '"') {
      size_t end = str_find(str_from(rest, 1), STR("\"")) + 1;
      if (end >= rest.size) return false;
      rprof_add(r, str_slice(rest, 1, end), file, line);
      rest = str_from(rest, end + 1);
      file = STR("");
    } else if (!str_next(&rest, ' ', &word) || !rprof_place(r, word, &file, &line)) {
      return false;
    }
  }
  return true;
}

/* Returns the line without the sizes ":1:2:3:4:" before its frames. */
static pprofc_str rprof_after_memory(pprofc_str line) {
  size_t at = 0;
  if (!line.size || line.data[0] != ':') return line;
  while (at < line.size && strchr(":0123456789", line.data[at])) at++;
  size_t hash = at < line.size && line.data[at] == '#';
  while (hash && at && line.data[at - 1] != ':') at--; /* "1#5" is a source position, not a size */
  return str_from(line, at);
}

static void rprof_line(struct rprof *r, pprofc_str line, int64_t nanoseconds) {
  int64_t values[2] = {1, nanoseconds}, interval;
  line = str_trim(line);
  if (!line.size || rprof_file(r, line) || rprof_head(line, &interval)) return;
  if (!rprof_frames(r, rprof_after_memory(line))) {
    r->bad++;
  } else if (!r->depth) {
    r->empty++;
  } else {
    pprofc_builder_sample(r->builder, r->frames, r->depth, values);
    r->samples++;
  }
}

/* True if the first line is a header. If words precede the interval, the last of them must end with
 * a colon. */
bool import_is_rprof(pprofc_str text) {
  pprofc_str line;
  int64_t interval;
  if (!str_next_line(&text, &line) || !rprof_head(line, &interval)) return false;
  pprofc_str before = str_trim(str_slice(line, 0, str_find(line, STR("sample.interval="))));
  return !before.size || str_ends(before, STR(":"));
}

IMPORT_READER(import_rprof) {
  struct rprof r = {.builder = builder, .arena = arena};
  pprofc_str line;
  int64_t interval = 0;
  str_next_line(&data, &line);
  rprof_head(line, &interval);
  pprofc_builder_type(builder, "samples", "count");
  pprofc_builder_type(builder, "time", "nanoseconds");
  pprofc_builder_period(builder, "time", "nanoseconds", interval * 1000);
  while (str_next_line(&data, &line) && builder_ok(builder)) rprof_line(&r, line, interval * 1000);
  const struct import_loss losses[] = {
      {r.bad, "line of Rprof could not be read", "lines of Rprof could not be read"},
      {r.empty, "sample has no stack", "samples have no stack"},
      {0}};
  import_account(builder, r.samples, "samples", losses);
}
