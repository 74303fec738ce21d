/* Prints comparison tables as one self-contained HTML page. */
#include "bench/print/print.h"
#include "core/base64.h"
#include "core/escape.h"

#include <math.h>

extern const unsigned char asset_bench_css[], asset_bench_js[];
extern const size_t asset_bench_css_size, asset_bench_js_size;
extern const char asset_bench_js_sha256[];

static void html_add_head(struct output *out) {
  output_add_text(out, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                       "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                       "style-src 'unsafe-inline'; script-src '");
  base64_put_script_hash(out, asset_bench_js_sha256);
  output_add_text(out, "'; base-uri 'none'; form-action 'none'\">\n"
                       "<meta name=\"viewport\" content=\"width=device-width, "
                       "initial-scale=1\">\n<title>Benchmark comparison</title>\n<style>\n");
  output_add(out, asset_bench_css, asset_bench_css_size);
  output_add_text(out, "</style>\n</head>\n<body>\n");
}

static void html_add_foot(struct output *out) {
  output_add_text(out, "<script>");
  output_add(out, asset_bench_js, asset_bench_js_size);
  output_add_text(out, "</script>\n</body>\n</html>\n");
}

struct html_table {
  struct printer *printer;
  const struct table *table;
  struct footnotes notes;
  struct buffer text;
  int direction;
};

static void flush(struct html_table *h) {
  output_add_str(h->printer->out, buffer_str(&h->text));
  h->printer->failed |= h->text.failed;
  buffer_clear(&h->text);
}

static void html_add_marks(struct html_table *h, const char *const *notes, size_t count) {
  for (size_t i = 0; i < count; i++)
    buffer_printf(&h->text, "%s<sup>%zu</sup>", i ? " " : "",
                  footnotes_number(&h->notes, notes[i]));
}

static void html_add_header(struct html_table *h) {
  buffer_add_text(&h->text, "<table>\n<thead>\n<tr><th></th>");
  for (size_t i = 0; i < h->table->column_count; i++) {
    buffer_add_text(&h->text, i ? "<th colspan=\"3\">" : "<th>");
    escape_xml(&h->text, h->table->column_labels[i]);
    buffer_add_text(&h->text, "</th>");
  }
  buffer_add_text(&h->text, "</tr>\n<tr><th></th>");
  for (size_t i = 0; i < h->table->column_count; i++) {
    buffer_add_text(&h->text, "<th>");
    escape_xml(&h->text, set_string(h->printer->tables->set, h->table->unit));
    buffer_add_text(&h->text, i ? "</th><th colspan=\"2\">vs base</th>" : "</th>");
  }
  buffer_add_text(&h->text, "</tr>\n</thead>\n<tbody>\n");
  flush(h);
}

/* Returns the class: better, worse or changed; "" without a significant difference. */
static const char *change_class(const struct html_table *h, const pprofc_bench_cell *cell,
                                const pprofc_bench_cell *baseline) {
  if (cell->p > cell->alpha || cell->center == baseline->center || cell->nan) return "";
  if (h->direction == 0) return "changed";
  return (cell->center > baseline->center) == (h->direction > 0) ? "better" : "worse";
}

/* Opens a cell with the number that the script sorts by. */
static void html_begin_value(struct html_table *h, const char *class, double value) {
  buffer_add_text(&h->text, "<td");
  if (*class) buffer_printf(&h->text, " class=\"%s\"", class);
  if (isfinite(value)) buffer_printf(&h->text, " data-value=\"%.9g\"", value);
  buffer_add_char(&h->text, '>');
}

static void html_add_cell(struct html_table *h, const pprofc_bench_cell *cell,
                          struct unit_scale scale) {
  struct printer *p = h->printer;
  const pprofc_bench_cell *baseline = cell_baseline(h->table, cell);
  html_begin_value(h, "", cell->center);
  unit_print(&h->text, scale, cell->center);
  buffer_add_text(&h->text, " \xC2\xB1 ");
  buffer_add_str(&h->text, print_range(p, cell));
  html_add_marks(h, cell->notes, cell->sample_notes);
  buffer_add_text(&h->text, "</td>");
  if (cell->column == 0) return;
  if (!baseline) {
    buffer_add_text(&h->text, "<td></td><td></td>");
    return;
  }
  html_begin_value(h, change_class(h, cell, baseline), cell->center / baseline->center);
  buffer_add_str(&h->text, print_delta(p, h->table, cell));
  buffer_add_text(&h->text, "</td>");
  html_begin_value(h, "p", cell->p);
  buffer_add_str(&h->text, print_comparison(p, h->table, cell, true));
  html_add_marks(h, cell->notes + cell->sample_notes, cell->comparison_notes);
  buffer_add_text(&h->text, "</td>");
}

static void html_pad_columns(struct html_table *h, size_t from, size_t to) {
  for (; from < to; from++)
    buffer_add_text(&h->text, from ? "<td></td><td></td><td></td>" : "<td></td>");
}

static void html_add_rows(struct html_table *h) {
  bool binary = unit_is_binary(set_string(h->printer->tables->set, h->table->unit));
  const pprofc_bench_cell *cell = h->table->cells, *end = cell + h->table->cell_count;
  for (size_t row = 0; row < h->table->row_count; row++) {
    buffer_add_text(&h->text, "<tr><td>");
    escape_xml(&h->text, h->table->row_labels[row]);
    buffer_add_text(&h->text, "</td>");
    const pprofc_bench_cell *first = cell;
    while (cell < end && cell->row == row) cell++;
    struct unit_scale scale = print_row_scale(first, cell, binary);
    size_t column = 0;
    for (; first < cell; first++) {
      html_pad_columns(h, column, first->column);
      html_add_cell(h, first, scale);
      column = first->column + 1;
    }
    html_pad_columns(h, column, h->table->column_count);
    buffer_add_text(&h->text, "</tr>\n");
    flush(h);
  }
}

static void html_add_summary(struct html_table *h) {
  bool binary = unit_is_binary(set_string(h->printer->tables->set, h->table->unit));
  buffer_add_text(&h->text, "<tr class=\"summary\"><td>geomean</td>");
  for (size_t i = 0; i < h->table->column_count; i++) {
    const struct table_summary *s = &h->table->summaries[i];
    buffer_add_text(&h->text, "<td>");
    if (s->has_center) unit_print(&h->text, unit_scale_of(&s->center, 1, binary), s->center);
    if (i > 0) {
      buffer_add_text(&h->text, "</td><td>");
      if (s->has_ratio)
        print_ratio(&h->text, s->ratio);
      else
        buffer_add_char(&h->text, '?');
      buffer_add_text(&h->text, "</td><td>");
    }
    html_add_marks(h, s->notes, s->note_count);
    buffer_add_text(&h->text, "</td>");
  }
  buffer_add_text(&h->text, "</tr>\n");
}

static void html_add_notes(struct html_table *h) {
  buffer_add_text(&h->text, "</tbody>\n</table>\n");
  if (h->notes.count) buffer_add_text(&h->text, "<ol class=\"notes\">\n");
  for (size_t i = 0; i < h->notes.count; i++) {
    buffer_add_text(&h->text, "<li>");
    escape_xml(&h->text, str_of(h->notes.texts[i]));
    buffer_add_text(&h->text, "</li>\n");
  }
  if (h->notes.count) buffer_add_text(&h->text, "</ol>\n");
  flush(h);
}

void print_html(struct printer *p) {
  html_add_head(p->out);
  for (size_t i = 0; i < p->tables->table_count; i++) {
    const struct table *table = &p->tables->tables[i];
    struct html_table h = {.printer = p, .table = table};
    footnotes_init(&h.notes, &p->tables->mem);
    buffer_init(&h.text, &p->tables->mem, (size_t)1 << 30);
    pprofc_str unit = set_string(p->tables->set, table->unit);
    p->failed |= !set_direction(p->tables->set, unit, &h.direction);
    for (size_t f = 0; f < p->tables->table_by.field_count; f++) {
      pprofc_str line = print_key_line(p, i, f);
      if (!line.data) continue;
      buffer_add_text(&h.text, "<div class=\"key\">");
      escape_xml(&h.text, line);
      buffer_add_text(&h.text, "</div>\n");
    }
    html_add_header(&h);
    html_add_rows(&h);
    if (table->row_count > 1) html_add_summary(&h);
    html_add_notes(&h);
    buffer_free(&h.text);
    p->failed |= h.notes.failed;
    footnotes_free(&h.notes);
  }
  html_add_foot(p->out);
}
