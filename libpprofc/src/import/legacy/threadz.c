/* Reads thread stacks as text: threadz of C++ servers (docs/spec/pprof.md, 5.4). */
#include "import/formats.h"
#include "import/legacy/legacy.h"

/* True if the line contains "--- threadz 1 ---". */
static bool is_threadz_head(pprofc_str line) {
  static const pprofc_str start = {"--- threadz ", sizeof "--- threadz " - 1};
  for (;;) {
    size_t at = str_find(line, start);
    if (at == line.size) return false;
    line = str_slice(line, at + start.size, line.size);
    pprofc_str rest = line, digits;
    if (text_take_digits(&rest, &digits) && text_take(&rest, STR(" ---"))) return true;
  }
}

/* True if the line contains "--- Thread 7f794ab90940 (name: main/14748) stack: ---". The name may
 * contain any text, even ") stack: ---", so the function tries each place where this end occurs. */
static bool is_thread_head(pprofc_str line) {
  static const pprofc_str start = {"--- Thread ", sizeof "--- Thread " - 1};
  static const pprofc_str end = {") stack: ---", sizeof ") stack: ---" - 1};
  pprofc_str id;
  do {
    size_t at = str_find(line, start);
    if (at == line.size) return false;
    line = str_slice(line, at + start.size, line.size);
  } while (!text_take_run(&line, char_is_hex, &id) || !text_take(&line, STR(" (name: ")));
  for (size_t from = 0;;) {
    size_t at = from + str_find(str_slice(line, from, line.size), end), digits = at;
    if (at == line.size) return false;
    while (digits > from && char_is_digit(line.data[digits - 1])) digits--;
    if (digits < at && digits > 0 && line.data[digits - 1] == '/') return true;
    from = at + end.size;
  }
}

/* Reads the stack after a thread's line. Sets *line to the line that ends the stack, which begins
 * with "---". Sets *same_as_before to true if the text says that the stack is the same as
 * before. */
static pprofc_status threadz_read_stack(struct legacy *l, struct lines *lines, pprofc_str *line,
                                        bool *same_as_before) {
  *line = STR("");
  *same_as_before = false;
  while (lines_next(lines)) {
    *line = str_trim(lines->line);
    if (!line->size) continue;
    if (str_starts(*line, STR("---"))) break;
    if (text_contains(*line, STR("same as previous thread"))) {
      *same_as_before = true;
    } else if (!legacy_add_hex_frames(l, *line, 1)) {
      return lines_malformed(lines, "malformed sample", l->error);
    }
  }
  return lines_status(lines, l->error);
}

/* Adds a sample for a thread. If its stack is the same as the previous thread's, increments the
 * last sample instead. */
static void count_thread(struct legacy *l, bool same_as_before) {
  size_t frames = l->frames.size / sizeof(uint32_t);
  if (same_as_before || frames == l->open_frame) {
    l->frames.size = l->open_frame * sizeof(uint32_t);
    int64_t *values = (void *)l->values.data;
    size_t count = l->values.size / sizeof *values;
    if (count) values[count - 1]++;
    return;
  }
  legacy_add_sample(l, &(int64_t){1}, 0);
}

static pprofc_status read_threads(struct legacy *l, struct lines *lines, pprofc_str line) {
  while (!legacy_is_memory_map_head(line)) {
    if (str_starts(line, STR("---- no stack trace for"))) break;
    if (!is_thread_head(line)) return PPROFC_E_NO_MATCH;
    bool same_as_before;
    pprofc_status status = threadz_read_stack(l, lines, &line, &same_as_before);
    if (status != PPROFC_OK) return status;
    count_thread(l, same_as_before);
  }
  return PPROFC_OK;
}

/* Finds the first line of a thread or of the memory map. Returns false if the text is not
 * threadz. */
static bool find_first_thread(struct lines *lines, pprofc_str *line) {
  while (lines_next(lines) && text_is_comment(lines->line))
    ;
  *line = lines->line;
  if (!is_threadz_head(*line)) return is_thread_head(*line);
  while (lines_next(lines)) {
    *line = lines->line;
    if (legacy_is_memory_map_head(*line) || str_starts(*line, STR("-"))) break;
  }
  return true;
}

static pprofc_status read_threadz(struct legacy *l, pprofc_str data) {
  struct lines lines = lines_of(data);
  pprofc_str line;
  if (!find_first_thread(&lines, &line)) return PPROFC_E_NO_MATCH;
  legacy_add_type(l, STR("thread"), STR("count"));
  l->period_type = l->types[0];
  l->period = 1;
  pprofc_status status = read_threads(l, &lines, line);
  if (status == PPROFC_OK) status = legacy_read_sections(l, &lines);
  if (status == PPROFC_OK) legacy_drop_repeated_leaves(l);
  return status;
}

IMPORT_READER(import_threadz) {
  return legacy_import(read_threadz, data, mem, options, profile, error);
}
