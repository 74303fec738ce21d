/* Wraps words into lines. */
#include "common/fill.h"

#include "core/escape.h"

void fill_new_line(struct filler *filler) {
  output_add_char(filler->out, '\n');
  output_add_fill(filler->out, ' ', filler->indent);
  filler->at = filler->indent;
}

void fill(struct filler *filler, const char *text) {
  pprofc_str rest = str_of(text), word;
  while (str_next(&rest, ' ', &word)) {
    if (!word.size) continue;
    size_t cells = utf8_length(word);
    bool first = filler->at == filler->indent;
    if (!first && filler->at + 1 + cells > filler->width) {
      fill_new_line(filler);
      first = true;
    }
    if (!first) output_add_char(filler->out, ' ');
    output_add_str(filler->out, word);
    filler->at += cells + !first;
  }
}

size_t fill_width(size_t width) {
  if (width < FILL_MIN) return FILL_MIN;
  return width > FILL_MAX ? FILL_MAX : width;
}
