/* Prints the gate's result as Markdown for a comment or a step summary. The verdict is always
 * complete. The table has as many rows as fit into a comment. */
#include "gate/print/print.h"

/* Maximum size of the table in bytes. GitHub limits a comment to 65,536 characters, so the rest is
 * for the text around the table. */
#define COMMENT_MAX 60000
#define MARKER      "<!-- parse_bench_regressions -->\n"

/* Appends text to a cell. Escapes it, so that it cannot end the cell or act as markup. */
static void markdown_put_text(struct buffer *out, pprofc_str text, bool cell) {
  if (markdown_put_code(out, text, cell)) return;
  for (size_t i = 0; i < text.size; i++) {
    char c = text.data[i];
    if (strchr("|\\`*_<>&[]~", c) && c)
      buffer_printf(out, "&#%d;", c);
    else
      buffer_add_char(out, (unsigned char)c < ' ' ? ' ' : c);
  }
}

static void put_cell(struct buffer *out, pprofc_str text) {
  markdown_put_text(out, text, true);
}

static void markdown_put_row(struct buffer *out, const struct gate *gate,
                             const struct gate_row *row, struct buffer *scratch) {
  buffer_printf(out, "| %s | ", gate_row_verdict(row));
  put_cell(out, row->name);
  if (row->group.size) {
    buffer_add_text(out, " (");
    put_cell(out, row->group);
    buffer_add_char(out, ')');
  }
  buffer_add_text(out, " | ");
  put_cell(out, row->unit);
  buffer_add_text(out, " | ");
  buffer_clear(scratch);
  gate_print_value(scratch, row->base, row->unit);
  buffer_add_text(scratch, " | ");
  gate_print_value(scratch, row->head, row->unit);
  buffer_add_text(scratch, " | ");
  buffer_add_str(out, buffer_str(scratch));
  buffer_clear(scratch);
  if (row->in_base && row->in_head) gate_print_effect(scratch, gate, row);
  gate_print_remarks(scratch, gate, row);
  put_cell(out, buffer_str(scratch));
  buffer_add_text(out, " | ");
  gate_print_visible(out, row->visible);
  buffer_add_text(out, " |\n");
  out->failed |= scratch->failed;
}

#define NOTES_MOST 8000 /* maximum size in bytes of the problems, and of the warnings */

static void put_notes(struct buffer *out, const char *title, pprofc_str notes) {
  pprofc_str line;
  size_t start = out->size;
  while (str_next_line(&notes, &line)) {
    if (!line.size) continue;
    if (out->size - start + line.size > NOTES_MOST) {
      buffer_printf(out, "- %s: more than fit here\n", title);
      return;
    }
    buffer_printf(out, "- %s: ", title);
    markdown_put_text(out, line, false);
    buffer_add_char(out, '\n');
  }
}

/* Appends rows of the table, up to `limit` bytes. Returns the number of rows that do not fit. */
static size_t markdown_put_table(struct buffer *out, const struct gate *gate, bool all,
                                 size_t limit) {
  size_t left = 0, shown = 0;
  size_t *order = gate_order(gate);
  struct buffer scratch = buffer_make(gate->mem, SIZE_MAX / 2);
  for (size_t i = 0; i < gate->row_count && order; i++) {
    const struct gate_row *row = &gate->rows[order[i]];
    if (!gate_is_listed(row, all)) continue;
    if (!shown++)
      buffer_add_text(out,
                      "\n| verdict | benchmark | unit | base | head | change | visible from |\n"
                      "| --- | --- | --- | --: | --: | --- | --: |\n");
    size_t before = out->size;
    if (!left) markdown_put_row(out, gate, row, &scratch);
    if (out->size > limit) out->size = before;
    left += out->size == before;
  }
  out->failed |= !order;
  buffer_free(&scratch);
  mem_free(gate->mem, order, gate->row_count, sizeof *order);
  return left;
}

void gate_print_markdown(struct buffer *out, const struct gate *gate, bool all) {
  struct buffer end, visible;
  buffer_init(&end, gate->mem, COMMENT_MAX);
  buffer_init(&visible, gate->mem, COMMENT_MAX / 4);
  buffer_add_text(&end, "\n");
  put_notes(&end, "problem", buffer_str(&gate->problems));
  put_notes(&end, "warning", buffer_str(&gate->warnings));
  buffer_add_text(&end, "\n");
  gate_print_visible_changes(&visible, gate);
  put_cell(&end, str_trim(buffer_str(&visible)));
  if (visible.size) buffer_add_text(&end, "\n\n");
  gate_print_totals(&end, gate);
  size_t start = out->size;
  buffer_add_text(out, MARKER);
  buffer_add_text(out, "### Benchmarks: ");
  gate_print_result(out, gate);
  buffer_add_char(out, '\n');
  size_t left = markdown_put_table(out, gate, all, start + COMMENT_MAX - end.size - 200);
  if (left) buffer_printf(out, "\n%zu more rows do not fit here.\n", left);
  buffer_add_str(out, buffer_str(&end));
  out->failed |= end.failed || visible.failed;
  buffer_free(&visible);
  buffer_free(&end);
}
