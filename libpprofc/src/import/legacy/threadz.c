/* Reads thread stacks as text: threadz of C++ servers (docs/spec/pprof.md, 5.4). */
#include "import/legacy/legacy.h"

/* True if the line contains "--- threadz 1 ---". */
static bool is_threadz_head(pprofc_str line) {
  static const pprofc_str start = {"--- threadz ", sizeof "--- threadz " - 1};
  for (;;) {
    size_t at = str_find(line, start);
    if (at == line.size) return false;
    line = str_from(line, at + start.size);
    pprofc_str rest = line, digits;
    if (text_scan(&rest, "#_---", &digits)) return true;
  }
}

/* True if the line contains "--- Thread 7f794ab90940 (name: main/14748) stack: ---". The name may
 * contain any text, even ") stack: ---", so the function tries each occurrence of this text. */
static bool is_thread_head(pprofc_str line) {
  static const pprofc_str start = {"--- Thread ", sizeof "--- Thread " - 1};
  static const pprofc_str end = {") stack: ---", sizeof ") stack: ---" - 1};
  pprofc_str id;
  do {
    size_t at = str_find(line, start);
    if (at == line.size) return false;
    line = str_from(line, at + start.size);
  } while (!str_take_run(&line, char_is_hex, &id) || !str_take(&line, STR(" (name: ")));
  for (size_t from = 0;;) {
    size_t at = from + str_find(str_from(line, from), end);
    if (at == line.size) return false;
    size_t digits = at - str_last_run(str_slice(line, from, at), char_is_digit);
    if (digits < at && digits > 0 && line.data[digits - 1] == '/') return true;
    from = at + end.size;
  }
}

/* Reads the stack after a thread's line, up to the first line that begins with "---". Returns true
 * if the text "same as previous thread" replaces the stack. */
static bool threadz_read_stack(struct legacy *l) {
  bool same_as_before = false;
  pprofc_str line = STR("");
  while (legacy_next_line(l)) {
    line = str_trim(l->line);
    if (str_starts(line, STR("---"))) break;
    if (str_contains(line, STR("same as previous thread")))
      same_as_before = true;
    else if (line.size && !legacy_add_hex_frames(l, line, 1))
      legacy_malformed(l, "malformed sample");
  }
  l->line = line;
  return same_as_before;
}

/* Adds a sample for a thread, or increments the last sample if the thread has the same stack as the
 * previous thread. */
static void count_thread(struct legacy *l, bool same_as_before) {
  if (same_as_before || l->frame_count == l->open_frame) {
    l->frame_count = l->open_frame;
    if (l->sample_count) l->values[l->sample_count - 1]++;
    return;
  }
  legacy_add_sample(l, &(int64_t){1}, 0);
}

/* Finds the first line of a thread or of the memory map. Returns false if the text is not
 * threadz. */
static bool find_first_thread(pprofc_str *rest, pprofc_str *line) {
  while (text_next_line(rest, line) && text_is_comment(*line))
    ;
  if (!is_threadz_head(*line)) return is_thread_head(*line);
  pprofc_str next;
  while (text_next_line(rest, &next)) {
    *line = next;
    if (legacy_is_memory_map_head(next) || str_starts(next, STR("-"))) break;
  }
  return true;
}

bool import_is_threadz(pprofc_str data) {
  pprofc_str line;
  return find_first_thread(&data, &line);
}

static void read_threadz(struct legacy *l) {
  find_first_thread(&l->rest, &l->line);
  legacy_add_type(l, STR("thread"), STR("count"));
  l->period_type = l->types[0];
  l->period = 1;
  while (builder_ok(l->builder) && !legacy_is_memory_map_head(l->line) &&
         !str_starts(l->line, STR("---- no stack trace for"))) {
    if (is_thread_head(l->line))
      count_thread(l, threadz_read_stack(l));
    else
      legacy_no_match(l);
  }
  legacy_read_sections(l);
  legacy_drop_repeated_leaves(l);
}

IMPORT_READER(import_threadz) {
  legacy_import(read_threadz, data, builder, arena);
}
