/* Reads Go's profiles of counted stacks as text: goroutine and threadcreate with debug=1, and
 * profiles that a program defines (docs/spec/pprof.md, 5.3). */
#include "import/formats.h"
#include "import/legacy/legacy.h"

/* Parses "goroutine profile: total 7" and sets *word to the first word. */
static bool go_count_parse_header(pprofc_str line, pprofc_str *word) {
  static const pprofc_str middle = {" profile: total ", sizeof " profile: total " - 1};
  size_t digits = line.size;
  while (digits > 0 && char_is_digit(line.data[digits - 1])) digits--;
  if (digits == line.size || !str_ends(str_slice(line, 0, digits), middle)) return false;
  *word = str_slice(line, 0, digits - middle.size);
  for (size_t i = 0; i < word->size; i++)
    if (char_is_blank(word->data[i])) return false;
  return word->size > 0;
}

/* Adds the sample "3 @ 0x44cb3 0x45045". The line must have single spaces, and no other text. */
static bool go_count_add_sample(struct legacy *l, pprofc_str line) {
  pprofc_str digits, count_text;
  int64_t count;
  if (!text_take_digits(&line, &count_text) || !str_parse_int(count_text, 0, &count) ||
      !text_take(&line, STR(" @")) || !line.size)
    return false;
  while (line.size) {
    uint64_t address;
    if (!text_take(&line, STR(" 0x")) || !text_take_run(&line, text_is_lower_xdigit, &digits) ||
        !str_parse_uint(digits, 16, &address))
      return false;
    legacy_add_frame(l, address - 1);
  }
  legacy_add_sample(l, &count, 0);
  return true;
}

static pprofc_status go_count_read_samples(struct legacy *l, struct lines *lines) {
  while (lines_next(lines)) {
    if (text_is_comment(lines->line)) continue;
    if (str_starts(lines->line, STR("---"))) break;
    if (!go_count_add_sample(l, lines->line))
      return lines_malformed(lines, "malformed profile format", l->error);
  }
  return lines_status(lines, l->error);
}

static pprofc_status read_go_count(struct legacy *l, pprofc_str data) {
  struct lines lines = lines_of(data);
  pprofc_str word;
  while (lines_next(&lines) && text_is_comment(lines.line))
    ;
  if (!go_count_parse_header(lines.line, &word)) return PPROFC_E_NO_MATCH;
  legacy_add_type(l, word, STR("count"));
  l->period_type = l->types[0];
  l->period = 1;
  pprofc_status status = go_count_read_samples(l, &lines);
  return status == PPROFC_OK ? legacy_read_sections(l, &lines) : status;
}

IMPORT_READER(import_go_count) {
  return legacy_import(read_go_count, data, mem, options, profile, error);
}
