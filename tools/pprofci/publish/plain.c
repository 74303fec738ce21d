/* Makes a summary for a host that does not show HTML in comments: titles replace folded
 * sections, and preformatted text becomes code. */
#include "publish/body.h"

#include "run/text.h"

#define FOLD_OPEN  "<details><summary>"
#define FOLD_CLOSE "</summary>"

/* Adds a line of HTML text, decoded. */
static void plain_put_text(struct buffer *out, pprofc_str line) {
  static const struct {
    pprofc_str entity;
    char byte;
  } entities[] = {
      {{"&lt;", 4}, '<'}, {{"&gt;", 4}, '>'}, {{"&quot;", 6}, '"'}, {{"&amp;", 5}, '&'}};
  while (line.size) {
    size_t i = 0, count = sizeof entities / sizeof *entities;
    while (i < count && !str_starts(line, entities[i].entity)) i++;
    buffer_add_char(out, i < count ? entities[i].byte : *line.data);
    line = str_slice(line, i < count ? entities[i].entity.size : 1, line.size);
  }
}

/* Adds "<details><summary>TITLE</summary>REST" as a title and its text. */
static void plain_put_title(struct buffer *out, pprofc_str line) {
  pprofc_str title = str_slice(line, strlen(FOLD_OPEN), line.size);
  size_t end = str_find(title, STR(FOLD_CLOSE));
  buffer_add_text(out, "**");
  buffer_add_str(out, str_slice(title, 0, end));
  buffer_add_text(out, "**\n");
}

/* Adds a line. Code is indented, so that no name in it can end the block. */
static void plain_put_line(struct buffer *out, pprofc_str line, bool *code) {
  if (str_starts(line, STR(FOLD_OPEN))) {
    plain_put_title(out, line);
  } else if (str_equal(line, STR("<pre>")) || str_equal(line, STR("</pre>"))) {
    *code = line.data[1] == 'p';
  } else if (*code) {
    buffer_add_text(out, "    ");
    plain_put_text(out, line);
  } else if (!str_equal(line, STR("</details>"))) {
    buffer_add_str(out, line);
  }
  buffer_add_char(out, '\n');
}

pprofc_str body_plain(pprofc_str summary, struct arena *arena) {
  struct buffer out;
  bool code = false;
  pprofc_str line;
  buffer_init(&out, &mem_default, SIZE_MAX / 2);
  while (summary.size && str_next_line(&summary, &line)) {
    plain_put_line(&out, line, &code);
    if (!summary.data) break;
  }
  pprofc_str kept = buffer_keep(&out, arena);
  buffer_free(&out);
  return kept;
}
