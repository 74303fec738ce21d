/* Reading what nm, addr2line and llvm-symbolizer say. */
#include "base/child.h"
#include "symbolize/tools.h"

#include <stdio.h>

#ifdef HAVE_JANSSON
#include <jansson.h>
#endif

/* Runs a tool and gives its whole output, in the arena. */
static pprofc_status run(const char *const *argv, pprofc_str input, struct arena *arena,
                         pprofc_str *said, pprofc_error *error) {
  struct child child = {.argv = argv, .input = input};
  struct child_end end;
  struct buffer output;
  buffer_init(&output, arena->mem, CHILD_OUTPUT_BYTES);
  pprofc_status status = child_run(&child, &output, &end, error);
  if (status == PPROFC_OK && end.status != 0 && !output.size)
    status = error_set(error, PPROFC_E_IO, "%s: %s", argv[0], end.said);
  if (status == PPROFC_OK) {
    *said = arena_str(arena, buffer_str(&output));
    if (!said->data) status = error_nomem(error);
  }
  buffer_free(&output);
  return status;
}

/* ---- nm
 * --------------------------------------------------------------------------------------------------
 */

/* One line "name type value size"; names may hold blanks, so fields are taken from the end. */
static bool nm_line(pprofc_str line, struct nm_symbol *symbol) {
  uint64_t number[2];
  for (int i = 0; i < 2; i++) {
    size_t blank = str_find_last_char(line, ' ');
    if (blank == line.size) return false;
    if (!str_parse_uint(str_slice(line, blank + 1, line.size), 16, &number[i])) return false;
    line = str_slice(line, 0, blank);
  }
  size_t blank = str_find_last_char(line, ' ');
  if (blank == line.size || line.size - blank != 2 || blank == 0) return false;
  *symbol =
      (struct nm_symbol){number[1], number[0], str_slice(line, 0, blank), line.data[blank + 1]};
  return true;
}

pprofc_status nm_symbols(const struct tools *tools, const char *file, struct arena *arena,
                         struct nm_symbol **symbols, size_t *count, pprofc_error *error) {
  const char *argv[] = {tools->found[TOOL_NM] ? tools->path[TOOL_NM] : "nm",
                        "--numeric-sort",
                        "--print-size",
                        "--format=posix",
                        file,
                        NULL};
  pprofc_str said, line;
  pprofc_status status = run(argv, STR(""), arena, &said, error);
  if (status != PPROFC_OK) return status;
  size_t lines = 0;
  for (pprofc_str rest = said; str_next_line(&rest, &line);) lines++;
  *symbols = arena_array(arena, lines, sizeof **symbols);
  if (!*symbols) return error_nomem(error);
  *count = 0;
  while (str_next_line(&said, &line))
    if (nm_line(line, &(*symbols)[*count])) ++*count;
  return PPROFC_OK;
}

const struct nm_symbol *nm_find(const struct nm_symbol *symbols, size_t count, uint64_t address) {
  if (!count || address < symbols[0].address) return NULL;
  const struct nm_symbol *last = &symbols[count - 1];
  if (address >= last->address + last->size) return NULL;
  size_t from = 0, to = count; /* symbols[from].address <= address < symbols[to].address */
  while (to - from > 1) {
    size_t middle = from + (to - from) / 2;
    if (symbols[middle].address <= address)
      from = middle;
    else
      to = middle;
  }
  const struct nm_symbol *found = &symbols[from];
  bool is_data = memchr("bBdDrRvVW", found->type, 9) != NULL;
  return is_data && address >= found->address + found->size ? NULL : found;
}

/* ---- addr2line
 * ---------------------------------------------------------------------------------------------- */

static bool add_addresses(struct buffer *input, const char *prefix, const uint64_t *addresses,
                          size_t count) {
  for (size_t i = 0; i < count; i++)
    buffer_printf(input, "%s0x%llx\n", prefix, (unsigned long long)addresses[i]);
  return !input->failed;
}

/* "file:line" or "file:line (discriminator 3)"; "??:0" stands for unknown. What ends in no number
 * is all file. */
static void file_and_line(pprofc_str text, struct frame *frame) {
  if (str_equal(text, STR("??:0"))) return;
  text = str_slice(text, 0, str_find(text, STR(" (discriminator")));
  size_t colon = str_find_last_char(text, ':');
  bool numbered = str_parse_int(str_slice(text, colon + 1, text.size), 10, &frame->line);
  frame->file = numbered ? str_slice(text, 0, colon) : text;
}

/* After "0x<address>" come pairs of lines: function, place. */
static pprofc_status read_addr2line(pprofc_str said, size_t count, struct arena *arena,
                                    struct frames *frames, pprofc_error *error) {
  pprofc_str line, place;
  size_t answer = 0;
  while (str_next_line(&said, &line)) {
    if (str_starts(line, STR("0x"))) {
      if (answer < count) frames->from[answer] = frames->count;
      answer++;
      continue;
    }
    if (!answer || answer > count || !str_next_line(&said, &place)) break;
    struct frame frame = {.function = str_equal(line, STR("??")) ? STR("") : line};
    file_and_line(place, &frame);
    if (!frame.function.size && !frame.file.size) continue;
    if (!frames_add(frames, arena, frame)) return error_nomem(error);
  }
  for (; answer <= count; answer++) frames->from[answer] = frames->count;
  frames->from[count] = frames->count;
  return PPROFC_OK;
}

pprofc_status addr2line_frames(const struct tools *tools, const char *file,
                               const uint64_t *addresses, size_t count, struct arena *arena,
                               struct frames *frames, pprofc_error *error) {
  const char *argv[] = {tools->path[TOOL_ADDR2LINE], "-aif", "-e", file, NULL};
  struct buffer input;
  pprofc_str said;
  buffer_init(&input, arena->mem, SIZE_MAX / 2);
  pprofc_status status = add_addresses(&input, "", addresses, count)
                             ? run(argv, buffer_str(&input), arena, &said, error)
                             : error_nomem(error);
  buffer_free(&input);
  return status == PPROFC_OK ? read_addr2line(said, count, arena, frames, error) : status;
}

/* ---- llvm-symbolizer
 * ---------------------------------------------------------------------------------------- */

#ifdef HAVE_JANSSON
static pprofc_str json_text(struct arena *arena, const json_t *value) {
  if (!json_is_string(value)) return STR("");
  pprofc_str copy =
      arena_str(arena, (pprofc_str){json_string_value(value), json_string_length(value)});
  return copy.data ? copy : STR("");
}

/* One answer: {"Symbol":[{"FunctionName":...}]} or, for data, {"Data":{"Name":...}}. */
static bool add_answer(const json_t *answer, struct arena *arena, struct frames *frames) {
  const json_t *data = json_object_get(answer, "Data"),
               *symbols = json_object_get(answer, "Symbol");
  const json_t *name = json_object_get(data, "Name");
  if (json_is_string(name)) {
    char place[64];
    const char *start = json_string_value(json_object_get(data, "Start"));
    const char *size = json_string_value(json_object_get(data, "Size"));
    snprintf(place, sizeof place, "%s %s", start ? start : "0x0", size ? size : "0x0");
    return frames_add(frames, arena,
                      (struct frame){.function = json_text(arena, name),
                                     .file = arena_str(arena, str_of(place))});
  }
  for (size_t i = 0; i < json_array_size(symbols); i++) {
    const json_t *symbol = json_array_get(symbols, i);
    struct frame frame = {
        .function = json_text(arena, json_object_get(symbol, "FunctionName")),
        .file = json_text(arena, json_object_get(symbol, "FileName")),
        .line = json_integer_value(json_object_get(symbol, "Line")),
        .column = json_integer_value(json_object_get(symbol, "Column")),
        .start_line = json_integer_value(json_object_get(symbol, "StartLine")),
    };
    if (!frames_add(frames, arena, frame)) return false;
  }
  return true;
}

static pprofc_status read_llvm(pprofc_str said, size_t count, struct arena *arena,
                               struct frames *frames, pprofc_error *error) {
  pprofc_str line;
  size_t answer = 0;
  while (answer < count && str_next_line(&said, &line)) {
    if (!line.size) continue;
    frames->from[answer++] = frames->count;
    json_t *json = json_loadb(line.data, line.size, JSON_REJECT_DUPLICATES, NULL);
    bool added = add_answer(json, arena, frames);
    json_decref(json);
    if (!added) return error_nomem(error);
  }
  for (; answer <= count; answer++) frames->from[answer] = frames->count;
  return PPROFC_OK;
}

pprofc_status llvm_symbolizer_frames(const struct tools *tools, const char *file,
                                     const uint64_t *addresses, size_t count, bool is_data,
                                     struct arena *arena, struct frames *frames,
                                     pprofc_error *error) {
  const char *argv[] = {tools->path[TOOL_LLVM_SYMBOLIZER],
                        "--inlining",
                        "-demangle=false",
                        "--output-style=JSON",
                        "--obj",
                        file,
                        NULL};
  struct buffer input;
  pprofc_str said;
  buffer_init(&input, arena->mem, SIZE_MAX / 2);
  pprofc_status status = add_addresses(&input, is_data ? "DATA " : "CODE ", addresses, count)
                             ? run(argv, buffer_str(&input), arena, &said, error)
                             : error_nomem(error);
  buffer_free(&input);
  return status == PPROFC_OK ? read_llvm(said, count, arena, frames, error) : status;
}
#else
pprofc_status llvm_symbolizer_frames(const struct tools *tools, const char *file,
                                     const uint64_t *addresses, size_t count, bool is_data,
                                     struct arena *arena, struct frames *frames,
                                     pprofc_error *error) {
  (void)tools, (void)file, (void)addresses, (void)count, (void)is_data, (void)arena, (void)frames;
  return error_set(error, PPROFC_E_UNSUPPORTED,
                   "cannot read llvm-symbolizer: built without Jansson");
}
#endif
