/* Draws a flame graph with characters, for a terminal or a CI log. The root is at the top. The
 * width of a box is its share of the row. */
#include "flame/flame.h"

#define COLUMNS   110u
#define MOST_ROWS 60u

/* A row of cells. Each cell contains a code point. */
struct flame_text_row {
  uint32_t cell[COLUMNS];
  size_t used;
};

static const uint32_t status_characters[] = {
    [FLAME_UNCHANGED] = 0,   [FLAME_SLOWER] = 0x25B2,  /* ▲ */
    [FLAME_FASTER] = 0x25BC,                           /* ▼ */
    [FLAME_ADDED] = '+',     [FLAME_REMOVED] = 0x2212, /* − */
};

/* Writes text into the cells [from, to). A text that does not fit is cut and ends with "..". */
static void flame_text_put_label(struct flame_text_row *row, size_t from, size_t to,
                                 pprofc_str text) {
  size_t length = utf8_length(text), at = 0, column = from;
  bool cut = length > to - from;
  while (column < to && at < text.size) {
    if (cut && column + 2 >= to && to - from > 4) break;
    size_t before = at;
    int32_t code = utf8_next(text, &at);
    bool clean = escape_terminal_clean(str_slice(text, before, at)) && code >= 0x20;
    row->cell[column++] = clean ? (uint32_t)code : 0xFFFD;
  }
  while (cut && to - from > 4 && column < to) row->cell[column++] = '.';
}

/* Returns the sign of a change. With verdicts, only a change beyond noise has a sign. */
static uint32_t flame_text_sign(const struct flame_tree *tree,
                                const struct flame_verdicts *verdicts,
                                const struct flame_box *box) {
  if (!tree->has_base) return 0;
  if (verdicts && !flame_verdict_certainty(verdicts, tree, box->node, box->head, box->base))
    return 0;
  return status_characters[flame_status(box->head, box->base)];
}

static void flame_text_put_box(struct flame_text_row *row, const struct flame_tree *tree,
                               const struct flame_verdicts *verdicts, const struct flame_box *box,
                               double scale, struct buffer *scratch) {
  size_t from = (size_t)lround(box->x * scale), to = (size_t)lround((box->x + box->width) * scale);
  if (to > COLUMNS) to = COLUMNS;
  if (to <= from) return;
  if (to > row->used) row->used = to;
  if (box->node == NONE) {
    /* ░ marks boxes narrower than a cell. */
    for (size_t i = from; i < to; i++) row->cell[i] = 0x2591;
    return;
  }
  row->cell[from] = 0x2502; /* │ */
  size_t at = from + 1;
  uint32_t sign = flame_text_sign(tree, verdicts, box);
  if (sign && at < to) row->cell[at++] = sign;
  flame_text_put_label(row, at, to, flame_name(tree, box, scratch));
}

static void flame_text_write_row(struct flame_text_row *row, struct output *out) {
  size_t last = row->used;
  while (last && row->cell[last - 1] == ' ') last--;
  for (size_t i = 0; i < last; i++) {
    char bytes[4];
    output_add(out, bytes, utf8_encode(row->cell[i], bytes));
  }
  output_add_char(out, '\n');
}

static void write_rows(const struct flame_tree *tree, const struct flame_verdicts *verdicts,
                       const struct flame_boxes *boxes, struct output *out,
                       struct buffer *scratch) {
  double scale = COLUMNS / boxes->width;
  size_t at = 0;
  for (uint32_t depth = 0; depth <= boxes->max_depth && depth < MOST_ROWS; depth++) {
    struct flame_text_row row = {.used = 0};
    for (size_t i = 0; i < COLUMNS; i++) row.cell[i] = ' ';
    for (; at < boxes->count && boxes->items[at].depth == depth; at++)
      flame_text_put_box(&row, tree, verdicts, &boxes->items[at], scale, scratch);
    if (row.used) flame_text_write_row(&row, out);
  }
  if (boxes->max_depth >= MOST_ROWS)
    output_printf(out, "(%u more levels)\n", boxes->max_depth + 1 - MOST_ROWS);
}

static void flame_text_put_key(const struct flame_verdicts *verdicts, struct output *out) {
  if (verdicts) output_add_text(out, "Changes within noise have no sign.\n");
  output_add_text(out, "\xE2\x96\xB2 more than base  \xE2\x96\xBC less  + new  \xE2\x88\x92 "
                       "gone; width: the larger "
                       "of both\n");
  for (size_t i = 0; verdicts && i < verdicts->note_count; i++) {
    output_add_str(out, verdicts->notes[i]);
    output_add_char(out, '\n');
  }
}

static pprofc_status flame_text_draw(const struct flame_drawing *drawing, struct flame_tree *tree,
                                     const struct flame_verdicts *verdicts, struct output *out,
                                     pprofc_error *error) {
  struct flame_boxes boxes;
  pprofc_status status =
      flame_place(tree, drawing->type, drawing->width, 0.75 / COLUMNS, &boxes, error);
  if (status != PPROFC_OK) return status;
  struct buffer scratch = buffer_make(tree->arena.mem, 1 << 20);
  escape_line_to_output(out, drawing->subtitle);
  output_add_char(out, '\n');
  if (boxes.width > 0) write_rows(tree, verdicts, &boxes, out, &scratch);
  if (tree->has_base) flame_text_put_key(verdicts, out);
  bool failed = scratch.failed;
  buffer_free(&scratch);
  return failed ? error_nomem(error) : PPROFC_OK;
}

pprofc_status flame_text(const struct flame_drawing *drawing, struct output *out,
                         pprofc_error *error) {
  const struct flame_verdicts *v = drawing->verdicts;
  struct flame_tree scaled;
  if (!v || v->type != drawing->type || !drawing->tree->has_base)
    return flame_text_draw(drawing, drawing->tree, NULL, out, error);
  pprofc_status status = error_nomem(error);
  if (flame_verdict_scale(v, drawing->tree, &scaled))
    status = flame_text_draw(drawing, &scaled, v, out, error);
  flame_verdict_scale_free(&scaled);
  return status;
}
