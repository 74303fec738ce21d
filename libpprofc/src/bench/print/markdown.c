/* Prints comparison tables as GitHub-flavoured Markdown, for comments and job summaries. */
#include "bench/print/print.h"

/* Appends text on one line. Escapes it so that Markdown shows the text unchanged. */
static void add_escaped(struct buffer *out, pprofc_str text, const pprofc_allocator *mem) {
  if (markdown_put_code(out, text, true)) return;
  struct buffer clean = buffer_make(mem, (size_t)1 << 30);
  escape_terminal(&clean, text, false);
  for (size_t i = 0; i < clean.size; i++) {
    char c = clean.data[i];
    if (c == '<' || c == '&') {
      buffer_add_text(out, c == '<' ? "&lt;" : "&amp;");
      continue;
    }
    if (strchr("\\|*_`[]~#!", c)) buffer_add_char(out, '\\');
    buffer_add_char(out, c);
  }
  out->failed |= clean.failed;
  buffer_free(&clean);
}

struct print_markdown_table {
  struct printer *printer;
  const struct table *table;
  struct footnotes notes;
  struct buffer line;
};

static void end_line(struct print_markdown_table *m) {
  buffer_add_char(&m->line, '\n');
  output_add_str(m->printer->out, buffer_str(&m->line));
  m->printer->failed |= m->line.failed;
  buffer_clear(&m->line);
}

static void markdown_add_marks(struct print_markdown_table *m, const char *const *notes,
                               size_t count) {
  for (size_t i = 0; i < count; i++) {
    buffer_add_char(&m->line, ' ');
    print_superscript(&m->line, footnotes_number(&m->notes, notes[i]));
  }
}

static void markdown_add_header(struct print_markdown_table *m) {
  const pprofc_allocator *mem = &m->printer->tables->mem;
  pprofc_str unit = set_string(m->printer->tables->set, m->table->unit);
  buffer_add_text(&m->line, "|  |");
  for (size_t i = 0; i < m->table->column_count; i++) {
    buffer_add_char(&m->line, ' ');
    add_escaped(&m->line, m->table->column_labels[i], mem);
    buffer_add_char(&m->line, ' ');
    add_escaped(&m->line, unit, mem);
    buffer_add_text(&m->line, i ? " | vs base |" : " |");
  }
  end_line(m);
  buffer_add_text(&m->line, "| :-- |");
  for (size_t i = 0; i < m->table->column_count; i++)
    buffer_add_text(&m->line, i ? " --: | --: |" : " --: |");
  end_line(m);
}

static void markdown_add_cell(struct print_markdown_table *m, const pprofc_bench_cell *cell,
                              struct unit_scale scale) {
  struct printer *p = m->printer;
  const pprofc_bench_cell *baseline = cell_baseline(m->table, cell);
  buffer_add_char(&m->line, ' ');
  unit_print(&m->line, scale, cell->center);
  buffer_add_text(&m->line, " \xC2\xB1 ");
  buffer_add_str(&m->line, print_range(p, cell));
  markdown_add_marks(m, cell->notes, cell->sample_notes);
  buffer_add_text(&m->line, " |");
  if (cell->column == 0) return;
  if (baseline) {
    bool counts = !(cell->p > cell->alpha) && cell->center != baseline->center;
    buffer_add_text(&m->line, counts ? " **" : " ");
    pprofc_str delta = print_delta(p, m->table, cell);
    if (str_equal(delta, STR("~"))) buffer_add_char(&m->line, '\\');
    buffer_add_str(&m->line, delta);
    buffer_add_text(&m->line, counts ? "** " : " ");
    buffer_add_str(&m->line, print_comparison(p, m->table, cell, true));
    markdown_add_marks(m, cell->notes + cell->sample_notes, cell->comparison_notes);
  }
  buffer_add_text(&m->line, " |");
}

static void markdown_pad_columns(struct print_markdown_table *m, size_t from, size_t to) {
  for (; from < to; from++) buffer_add_text(&m->line, from ? "  |  |" : "  |");
}

static void markdown_add_rows(struct print_markdown_table *m) {
  const struct pprofc_bench_tables *tables = m->printer->tables;
  bool binary = unit_is_binary(set_string(tables->set, m->table->unit));
  const pprofc_bench_cell *cell = m->table->cells, *end = cell + m->table->cell_count;
  for (size_t row = 0; row < m->table->row_count; row++) {
    buffer_add_text(&m->line, "| ");
    add_escaped(&m->line, m->table->row_labels[row], &tables->mem);
    buffer_add_text(&m->line, " |");
    const pprofc_bench_cell *first = cell;
    while (cell < end && cell->row == row) cell++;
    print_mark(m->printer->out, print_rank(m->table, first, cell));
    struct unit_scale scale = print_row_scale(first, cell, binary);
    size_t column = 0;
    for (; first < cell; first++) {
      markdown_pad_columns(m, column, first->column);
      markdown_add_cell(m, first, scale);
      column = first->column + 1;
    }
    markdown_pad_columns(m, column, m->table->column_count);
    end_line(m);
  }
  output_no_row(m->printer->out);
}

static void markdown_add_summary(struct print_markdown_table *m) {
  bool binary = unit_is_binary(set_string(m->printer->tables->set, m->table->unit));
  buffer_add_text(&m->line, "| geomean |");
  for (size_t i = 0; i < m->table->column_count; i++) {
    const struct table_summary *s = &m->table->summaries[i];
    buffer_add_char(&m->line, ' ');
    if (s->has_center) unit_print(&m->line, unit_scale_of(s->center, binary), s->center);
    if (i > 0) {
      buffer_add_text(&m->line, " | ");
      print_summary_ratio(&m->line, s);
    }
    markdown_add_marks(m, s->notes, s->note_count);
    buffer_add_text(&m->line, " |");
  }
  end_line(m);
}

void print_markdown(struct printer *p) {
  for (size_t i = 0; i < p->tables->table_count; i++) {
    struct print_markdown_table m = {
        .printer = p, .table = &p->tables->tables[i], .notes.mem = &p->tables->mem};
    buffer_init(&m.line, &p->tables->mem, (size_t)1 << 30);
    if (i > 0) end_line(&m);
    for (size_t f = 0; f < p->tables->table_by.field_count; f++) {
      pprofc_str line = print_key_line(p, i, f);
      if (!line.data) continue;
      add_escaped(&m.line, line, &p->tables->mem);
      buffer_add_text(&m.line, "  ");
      end_line(&m);
    }
    if (p->tables->table_by.field_count) end_line(&m);
    markdown_add_header(&m);
    markdown_add_rows(&m);
    if (m.table->row_count > 1) markdown_add_summary(&m);
    for (size_t n = 0; n < m.notes.count; n++) {
      buffer_add_char(&m.line, '\n');
      print_superscript(&m.line, n + 1);
      buffer_add_char(&m.line, ' ');
      add_escaped(&m.line, str_of(m.notes.texts[n]), &p->tables->mem);
      end_line(&m);
    }
    buffer_free(&m.line);
    p->failed |= m.notes.failed;
    footnotes_free(&m.notes);
  }
}
