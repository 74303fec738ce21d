/* Prints comparison tables as an HTML page that needs no other file. */
#include "bench/print/print.h"
#include "core/template.h"

extern const unsigned char asset_bench_html[], asset_bench_css[], asset_bench_js[];
extern const size_t asset_bench_html_size, asset_bench_css_size, asset_bench_js_size;
extern const char asset_bench_js_sha256[];

struct html_table {
  struct printer *printer;
  const struct table *table;
  struct footnotes notes;
  struct fill fill;
  int direction;
  bool binary;
};

/* Prints a part of the template bench.html with the values in `fill`, and frees the values. */
static void html_put(struct printer *p, const char *part, struct fill *fill) {
  const pprofc_str page = {(const char *)asset_bench_html, asset_bench_html_size};
  p->failed |= !template_print(p->out, page, part, fill);
}

static void html_put_frame(struct printer *p, const char *part) {
  struct fill fill = fill_make(&p->tables->mem);
  base64_put_hash(fill_text(&fill, "hash"), asset_bench_js_sha256);
  buffer_add(fill_html(&fill, "css"), asset_bench_css, asset_bench_css_size);
  buffer_add(fill_html(&fill, "js"), asset_bench_js, asset_bench_js_size);
  html_put(p, part, &fill);
}

static void html_add_marks(struct html_table *h, const char *const *notes, size_t count) {
  for (size_t i = 0; i < count; i++)
    fill_pack(&h->fill, "marks:{number:i}", (int64_t)footnotes_number(&h->notes, notes[i]));
}

static void html_add_columns(struct html_table *h) {
  for (size_t i = 0; i < h->table->column_count; i++)
    fill_pack(&h->fill, "columns:{colspan:s label:S}", i ? "3" : "", h->table->column_labels[i]);
}

/* Returns the CSS class of a change: better, worse, changed, or "" if not significant. */
static const char *change_class(const struct html_table *h, const pprofc_bench_cell *cell,
                                const pprofc_bench_cell *baseline) {
  if (cell->p > cell->alpha || cell->center == baseline->center || cell->nan) return "";
  if (h->direction == 0) return "changed";
  return (cell->center > baseline->center) == (h->direction > 0) ? "better" : "worse";
}

/* Begins a cell, and returns the buffer for its text. The script of the page sorts rows by `value`.
 * The caller appends the text and ends the cell. */
static struct buffer *html_begin_cell(struct html_table *h, const char *class, double value) {
  fill_pack(&h->fill, "cells:{class:s", class);
  if (isfinite(value)) buffer_printf(fill_text(&h->fill, "data-value"), "%.9g", value);
  return fill_text(&h->fill, "text");
}

static void html_add_empty(struct html_table *h, size_t count) {
  for (size_t i = 0; i < count; i++) fill_pack(&h->fill, "cells:{}");
}

static void html_add_cell(struct html_table *h, const pprofc_bench_cell *cell,
                          struct unit_scale scale) {
  struct printer *p = h->printer;
  const pprofc_bench_cell *baseline = cell_baseline(h->table, cell);
  struct buffer *text = html_begin_cell(h, "", cell->center);
  unit_print(text, scale, cell->center);
  buffer_add_text(text, " \xC2\xB1 ");
  buffer_add_str(text, print_range(p, cell));
  html_add_marks(h, cell->notes, cell->sample_notes);
  fill_end(&h->fill);
  if (cell->column == 0) return;
  if (!baseline) {
    html_add_empty(h, 2);
    return;
  }
  text = html_begin_cell(h, change_class(h, cell, baseline), cell->center / baseline->center);
  buffer_add_str(text, print_delta(p, h->table, cell));
  fill_end(&h->fill);
  text = html_begin_cell(h, "p", cell->p);
  buffer_add_str(text, print_comparison(p, h->table, cell, true));
  html_add_marks(h, cell->notes + cell->sample_notes, cell->comparison_notes);
  fill_end(&h->fill);
}

/* Returns the number of HTML columns that are to the left of a column of the table. */
static size_t html_column(size_t column) {
  return column ? 3 * column - 2 : 0;
}

static void html_add_rows(struct html_table *h) {
  const pprofc_bench_cell *cell = h->table->cells, *end = cell + h->table->cell_count;
  for (size_t row = 0; row < h->table->row_count; row++) {
    fill_pack(&h->fill, "rows:{name:S", h->table->row_labels[row]);
    const pprofc_bench_cell *first = cell;
    while (cell < end && cell->row == row) cell++;
    struct unit_scale scale = print_row_scale(first, cell, h->binary);
    size_t column = 0;
    for (; first < cell; first++) {
      html_add_empty(h, html_column(first->column) - html_column(column));
      html_add_cell(h, first, scale);
      column = first->column + 1;
    }
    html_add_empty(h, html_column(h->table->column_count) - html_column(column));
    fill_end(&h->fill);
  }
}

static void html_add_summary(struct html_table *h) {
  fill_pack(&h->fill, "rows:{class:s name:s", "summary", "geomean");
  for (size_t i = 0; i < h->table->column_count; i++) {
    const struct table_summary *s = &h->table->summaries[i];
    struct buffer *text = html_begin_cell(h, "", (double)NAN);
    if (s->has_center) unit_print(text, unit_scale_of(s->center, h->binary), s->center);
    if (i > 0) {
      fill_end(&h->fill);
      print_summary_ratio(html_begin_cell(h, "", (double)NAN), s);
      fill_end(&h->fill);
      html_begin_cell(h, "", (double)NAN);
    }
    html_add_marks(h, s->notes, s->note_count);
    fill_end(&h->fill);
  }
  fill_end(&h->fill);
}

static void html_add_notes(struct html_table *h) {
  for (size_t i = 0; i < h->notes.count; i++)
    fill_pack(&h->fill, "notes:{first:b note:s last:b}", i == 0, h->notes.texts[i],
              i + 1 == h->notes.count);
}

static void html_add_keys(struct html_table *h, size_t table) {
  for (size_t f = 0; f < h->printer->tables->table_by.field_count; f++) {
    pprofc_str line = print_key_line(h->printer, table, f);
    if (line.data) fill_pack(&h->fill, "keys:{key:S}", line);
  }
}

void print_html(struct printer *p) {
  html_put_frame(p, "head");
  for (size_t i = 0; i < p->tables->table_count; i++) {
    struct html_table h = {
        .printer = p, .table = &p->tables->tables[i], .notes.mem = &p->tables->mem};
    pprofc_str unit = set_string(p->tables->set, h.table->unit);
    fill_init(&h.fill, &p->tables->mem);
    p->failed |= !set_direction(p->tables->set, unit, &h.direction);
    h.binary = unit_is_binary(unit);
    fill_str(&h.fill, "unit", unit);
    html_add_keys(&h, i);
    html_add_columns(&h);
    html_add_rows(&h);
    if (h.table->row_count > 1) html_add_summary(&h);
    html_add_notes(&h);
    html_put(p, "table", &h.fill);
    p->failed |= h.notes.failed;
    footnotes_free(&h.notes);
  }
  html_put_frame(p, "foot");
}
