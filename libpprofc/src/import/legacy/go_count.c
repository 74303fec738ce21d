/* Reads Go's profiles of counted stacks as text: goroutine and threadcreate with debug=1, and
 * profiles that a program defines (docs/spec/pprof.md, 5.3). */
#include "import/legacy/legacy.h"

/* Parses the first line that is not a comment: "goroutine profile: total 7". Sets *word to the
 * first word of this line, and *data to the text after the line. */
static bool go_count_header(pprofc_str *data, pprofc_str *word) {
  static const pprofc_str middle = {" profile: total ", sizeof " profile: total " - 1};
  pprofc_str line;
  while (text_next_line(data, &line) && text_is_comment(line))
    ;
  size_t digits = line.size - str_last_run(line, char_is_digit);
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
  if (!text_scan(&line, "#_@", &count_text) || !str_parse_int(count_text, 0, &count) || !line.size)
    return false;
  while (line.size) {
    uint64_t address;
    if (!str_take(&line, STR(" 0x")) || !str_take_run(&line, text_is_lower_xdigit, &digits) ||
        !str_parse_uint(digits, 16, &address))
      return false;
    legacy_add_frame(l, address - 1);
  }
  legacy_add_sample(l, &count, 0);
  return true;
}

bool import_is_go_count(pprofc_str data) {
  pprofc_str word;
  return go_count_header(&data, &word);
}

static void read_go_count(struct legacy *l) {
  pprofc_str word;
  go_count_header(&l->rest, &word);
  legacy_add_type(l, word, STR("count"));
  l->period_type = l->types[0];
  l->period = 1;
  while (legacy_next_line(l) && !str_starts(l->line, STR("---")))
    if (!text_is_comment(l->line) && !go_count_add_sample(l, l->line))
      legacy_malformed(l, "malformed profile format");
  legacy_read_sections(l);
}

IMPORT_READER(import_go_count) {
  legacy_import(read_go_count, data, builder, arena);
}
