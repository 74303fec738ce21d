/* Detects files of comparisons, cleans their text, and finds the lines that report failures. */
#include "gate/read/read.h"

/* ---- failures of the run ----------------------------- */

static bool tables_is_failure(pprofc_str line) {
  /* This cheap check rejects most lines, which makes the scan fast. */
  if (!line.size || !memchr("F-pfb{", line.data[0], 6)) return false;
  if (str_equal(line, STR("FAIL"))) return true;
  if (STR_ANY(str_starts, line, "FAIL\t", "FAIL ", "--- FAIL",
              "panic: ", "fatal error: ", "benchstat: ", "benchstatc: "))
    return true;
  /* Texts in lines of `go test -json` that report a failure. */
  static const char *const actions[] = {"\"Action\":\"fail\"", "\"Action\":\"build-fail\"",
                                        "\"Output\":\"panic: "};
  for (size_t i = 0; i < COUNT(actions) && str_starts(line, STR("{\"")); i++)
    if (str_find(line, str_of(actions[i])) < line.size) return true;
  return false;
}

size_t gate_scan_failures(struct gate *gate, pprofc_str path, pprofc_str data) {
  struct gate_lines lines = {.rest = data};
  size_t count = 0;
  while (gate_next_line(&lines)) {
    if (!tables_is_failure(lines.text)) continue;
    /* Report only the first ten failures. */
    if (count++ < 10)
      gate_problem(gate, "%.*s:%zu: %.*s", STR_ARG(path), lines.number,
                   STR_ARG(utf8_prefix(lines.text, GATE_SHOWN)));
  }
  return count;
}

/* ---- cleaning ---------------------------------------- */

/* Returns the length of a terminal escape sequence: ESC [ ... letter, or ESC and a byte. */
static size_t sequence_at(pprofc_str s) {
  if (s.size < 2 || s.data[1] != '[') return s.size < 2 ? s.size : 2;
  size_t i = 2;
  while (i < s.size && !(s.data[i] >= 0x40 && s.data[i] <= 0x7E)) i++;
  return i < s.size ? i + 1 : s.size;
}

/* Removes colours, byte order mark and carriage returns. If there is nothing to remove, *out points
 * to the data. */
static bool clean(struct gate *gate, pprofc_str data, pprofc_str *out) {
  *out = data;
  if (str_starts(data, STR("\xEF\xBB\xBF"))) *out = str_slice(data, 3, data.size);
  if (str_find_char(data, '\033') == data.size && str_find_char(data, '\r') == data.size)
    return true;
  char *text = arena_alloc(&gate->arena, out->size);
  if (!text) return false;
  size_t size = 0;
  for (size_t i = 0; i < out->size;) {
    char c = out->data[i];
    if (c == '\033') {
      i += sequence_at(str_slice(*out, i, out->size));
      continue;
    }
    if (c != '\r') text[size++] = c;
    i++;
  }
  *out = (pprofc_str){text, size};
  return true;
}

/* Returns the reason why no reader can read the data, or NULL. */
static const char *unreadable(pprofc_str data) {
  if (str_trim(data).size == 0) return "it is empty";
  if (str_starts(data, STR("\xFF\xFE")) || str_starts(data, STR("\xFE\xFF")))
    return "it is UTF-16 text; write it as UTF-8";
  if (str_find_char(data, '\0') < data.size)
    return "it has NUL bytes (UTF-16 text or a binary file)";
  if (str_find(data, STR("\xC3\x82\xC2\xB1")) < data.size ||
      str_find(data, STR("\xC3\xA2\xE2\x80\x9D\xE2\x80\x9A")) < data.size ||
      str_find(data, STR("\xE2\x94\xAC\xE2\x96\x92")) < data.size)
    return "its characters were garbled by a redirection; write it as UTF-8";
  return NULL;
}

/* Describes the content of a file that is not a comparison. */
static const char *what_is_it(pprofc_str data) {
  pprofc_str trimmed = str_trim(data);
  struct gate_lines lines = {.rest = data};
  if (trimmed.data[0] == '{' || trimmed.data[0] == '[')
    return "JSON that is not a comparison of benchstatc; pass results with -base and -head";
  if (str_starts(trimmed, STR("<"))) return "HTML or XML; print text or CSV";
  while (gate_next_line(&lines))
    if (str_starts(lines.text, STR("Benchmark")))
      return "lines of go test -bench; pass the two runs with -base and -head";
  return "text without a table of benchstat";
}

/* ---- recognition ------------------------------------- */

static gate_table_reader *const readers[] = {gate_read_json, gate_read_text, gate_read_csv,
                                             gate_read_classic, gate_read_markdown};

pprofc_status gate_read_tables(struct gate *gate, pprofc_str path, pprofc_str data,
                               pprofc_error *error) {
  pprofc_str text;
  const char *reason = unreadable(data);
  if (reason) {
    gate_problem(gate, "cannot read '%.*s': %s", STR_ARG(path), reason);
    return PPROFC_OK;
  }
  if (!clean(gate, data, &text)) return error_nomem(error);
  size_t failures = gate_scan_failures(gate, path, text);
  bool found = false;
  for (size_t i = 0; i < COUNT(readers); i++) {
    pprofc_status status = readers[i](gate, path, text, error);
    if (status != PPROFC_OK && status != PPROFC_E_NO_MATCH) return status;
    found |= status == PPROFC_OK;
  }
  if (!found && !failures)
    gate_problem(gate, "no comparison in '%.*s': it holds %s", STR_ARG(path),
                 str_trim(text).size ? what_is_it(text) : "nothing");
  return PPROFC_OK;
}

bool gate_is_comparison(pprofc_str data) {
  struct gate_lines lines = {.rest = data};
  if (str_starts(data, STR("{\"version\":")) && str_find(data, STR("\"tables\":")) < data.size)
    return true;
  while (gate_next_line(&lines)) {
    pprofc_str line = lines.text;
    bool text = str_find(line, STR("\xE2\x94\x82")) < line.size;
    bool csv = str_starts(line, STR(",")) && str_find(line, STR(",CI")) < line.size;
    bool classic = str_starts(line, STR("name")) && str_find(line, STR("delta")) < line.size;
    bool markdown = str_starts(line, STR("|")) && str_find(line, STR("vs base")) < line.size;
    if (text || csv || classic || markdown) return true;
    if (str_starts(line, STR("Benchmark"))) return false;
  }
  return false;
}
