/* Writes the tables that benchstat printed before 2021 as text, CSV or HTML. */
#include "bench/print/print.h"
#include "bench/classic/classic.h"
#include "core/template.h"

extern const unsigned char asset_classic_html[];
extern const size_t asset_classic_html_size;

struct classic_printer {
  struct classic *c;
  struct output *out;
  struct buffer text;
  bool csv; /* true for CSV: means are not rounded, and ranges ("3%") have columns of their own */
  bool failed;
};

/* ---- lines of cells ---------------------------------- */

struct classic_line {
  pprofc_str *cells;
  size_t count;
};

struct classic_lines {
  struct classic_line *items;
  size_t count;
};

static void line_add_cell(struct classic_printer *p, struct classic_line *line, pprofc_str text) {
  line->cells[line->count] = escape_cell(text, line->count == 0, &p->c->arena);
  p->failed |= !line->cells[line->count].data;
  line->count++;
}

static void line_add_text(struct classic_printer *p, struct classic_line *line, const char *text) {
  line_add_cell(p, line, str_of(text));
}

/* Adds an empty line with space for the maximum number of cells. */
static struct classic_line *lines_add(struct classic_printer *p, struct classic_lines *lines) {
  struct classic_line *line = &lines->items[lines->count];
  line->count = 0;
  line->cells = arena_array(&p->c->arena, 2 * p->c->config_count + 8, sizeof *line->cells);
  if (!line->cells) {
    p->failed = true;
    return NULL;
  }
  lines->count++;
  return line;
}

static void line_trim(struct classic_line *line) {
  while (line->count && !line->cells[line->count - 1].size) line->count--;
}

/* Writes a cell such as "13.6ms ± 1%" to p->text. */
static void classic_print_cell(struct classic_printer *p, const struct classic_row *row,
                               const struct classic_metric *metric) {
  buffer_clear(&p->text);
  if (!metric) return;
  char range[16] = "";
  classic_print_range(&p->text, metric);
  snprintf(range, sizeof range, "%.*s", STR_ARG(buffer_str(&p->text)));
  buffer_clear(&p->text);
  classic_print_scaled(&p->text, &row->scale, metric->mean);
  if (*range)
    buffer_printf(&p->text, " \xC2\xB1%3s", range);
  else
    buffer_add_fill(&p->text, ' ', 5);
}

/* Adds a heading such as "old time/op". In CSV, the heading also has the unit. */
static void line_add_heading(struct classic_printer *p, struct classic_line *line,
                             const char *which, const struct classic_table *table) {
  buffer_clear(&p->text);
  buffer_add_text(&p->text, which);
  buffer_add_str(&p->text, table->metric);
  if (p->csv) {
    /* Like benchstat, print empty parentheses if the first row has no value from the first input.
     */
    buffer_add_text(&p->text, " (");
    if (table->rows[0].metrics[0]) buffer_add_str(&p->text, table->unit);
    buffer_add_char(&p->text, ')');
  }
  line_add_cell(p, line, buffer_str(&p->text));
}

/* ---- headings and rows ------------------------------- */

/* Adds the heading of a column of ranges ("3%"). Only CSV has these columns. */
static void line_add_plusminus(struct classic_printer *p, struct classic_line *line) {
  if (p->csv && !p->c->options.no_range) line_add_text(p, line, "\xC2\xB1");
}

/* Returns the length of the folder that all nonempty paths have in common. */
static size_t common_folder(const struct classic *c) {
  pprofc_str common = {NULL, 0};
  size_t paths = 0;
  for (size_t i = 0; i < c->config_count; i++) {
    pprofc_str path = set_string(c->set, c->configs[i]);
    if (!path.size) continue;
    size_t same = 0;
    if (!paths++) {
      common = path;
      continue;
    }
    while (same < common.size && same < path.size && common.data[same] == path.data[same]) same++;
    common.size = same;
  }
  if (paths < 2) return 0;
  size_t slash = str_find_last_char(common, '/');
  return slash < common.size ? slash + 1 : 0;
}

static void line_add_head(struct classic_printer *p, struct classic_line *line,
                          const struct classic_table *table) {
  struct classic *c = p->c;
  if (c->config_count > 2) {
    size_t folder = p->csv ? common_folder(c) : 0;
    line_add_heading(p, line, "name \\ ", table);
    for (size_t i = 0; i < c->config_count; i++) {
      pprofc_str path = set_string(c->set, c->configs[i]);
      line_add_cell(p, line, str_slice(path, path.size ? folder : 0, path.size));
      line_add_plusminus(p, line);
    }
    return;
  }
  line_add_text(p, line, "name");
  line_add_heading(p, line, c->config_count == 2 ? "old " : "", table);
  line_add_plusminus(p, line);
  if (c->config_count != 2) return;
  line_add_heading(p, line, "new ", table);
  line_add_plusminus(p, line);
  line_add_text(p, line, "delta");
  line_add_plusminus(p, line);
}

static void classic_print_mean(struct classic_printer *p, const struct classic_metric *metric) {
  buffer_clear(&p->text);
  if (metric && isfinite(metric->mean))
    buffer_printf(&p->text, "%.5E", metric->mean);
  else if (metric)
    number_print(&p->text, metric->mean);
}

static void line_add_row(struct classic_printer *p, struct classic_line *line,
                         const struct classic_row *row) {
  bool padded = !p->csv && strcmp(row->delta, "~") == 0;
  line_add_cell(p, line, row->benchmark);
  for (size_t i = 0; i < p->c->config_count; i++) {
    const struct classic_metric *metric = row->metrics[i];
    if (p->csv)
      classic_print_mean(p, metric);
    else
      classic_print_cell(p, row, metric);
    line_add_cell(p, line, buffer_str(&p->text));
    if (!p->csv || p->c->options.no_range) continue;
    buffer_clear(&p->text);
    if (metric) classic_print_range(&p->text, metric);
    line_add_cell(p, line, buffer_str(&p->text));
  }
  if (p->c->config_count != 2) return;
  line_add_text(p, line, padded ? "~   " : row->delta);
  line_add_text(p, line, row->note);
}

/* ---- layout ------------------------------------------ */

static void lines_make(struct classic_printer *p, const struct classic_table *table,
                       struct classic_lines *lines) {
  pprofc_str group = {NULL, 0};
  lines->items = arena_array(&p->c->arena, 2 * table->row_count + 1, sizeof *lines->items);
  lines->count = 0;
  p->failed |= !lines->items;
  struct classic_line *line = p->failed ? NULL : lines_add(p, lines);
  if (line) line_add_head(p, line, table);
  for (size_t i = 0; i < table->row_count && !p->failed; i++) {
    const struct classic_row *row = &table->rows[i];
    if (!str_equal(row->group, group)) {
      group = row->group;
      if ((line = lines_add(p, lines)) != NULL) line_add_cell(p, line, group);
    }
    if ((line = lines_add(p, lines)) != NULL) line_add_row(p, line, row);
  }
  for (size_t i = 0; i < lines->count; i++) line_trim(&lines->items[i]);
}

static void classic_write_left(struct output *out, pprofc_str text, size_t width) {
  size_t length = utf8_length(text);
  output_add_str(out, text);
  if (length < width) output_add_fill(out, ' ', width - length);
}

/* Writes the headings left-aligned. The last heading is not padded. */
static void line_write_head(struct output *out, const struct classic_line *line,
                            const size_t *width) {
  for (size_t i = 0; i < line->count; i++) {
    if (i) output_add_text(out, "  ");
    classic_write_left(out, line->cells[i], i == 0 || i + 1 < line->count ? width[i] : 0);
  }
  if (line->count > 1) output_add_char(out, '\n');
}

/* Writes the numbers right-aligned. If the last cell is in parentheses, it is left-aligned. */
static void line_write_row(struct output *out, const struct classic_line *line,
                           const size_t *width) {
  for (size_t i = 0; i < line->count; i++) {
    pprofc_str cell = line->cells[i];
    if (i) output_add_text(out, "  ");
    if (line->count == 1 || (i && i + 1 == line->count && cell.size && cell.data[0] == '('))
      output_add_str(out, cell);
    else if (i == 0)
      classic_write_left(out, cell, width[0]);
    else
      output_add_padded(out, cell, width[i]);
  }
  output_add_char(out, '\n');
}

static void lines_widen(const struct classic_lines *lines, size_t *width) {
  for (size_t i = 0; i < lines->count; i++) {
    const struct classic_line *line = &lines->items[i];
    for (size_t j = 0; line->count > 1 && j < line->count; j++) {
      size_t length = utf8_length(line->cells[j]);
      if (length > width[j]) width[j] = length;
    }
  }
}

/* Writes all tables with the same column widths. */
static void classic_write_text(struct classic_printer *p) {
  struct classic *c = p->c;
  struct arena *arena = &c->arena;
  struct classic_lines *tables = arena_zero_array(arena, c->table_count, sizeof *tables);
  size_t *width = arena_zero_array(arena, 2 * c->config_count + 8, sizeof *width);
  p->failed |= !tables || !width;
  for (size_t i = 0; i < c->table_count && !p->failed; i++) {
    lines_make(p, &c->tables[i], &tables[i]);
    lines_widen(&tables[i], width);
  }
  for (size_t i = 0; i < c->table_count && !p->failed; i++) {
    if (i) output_add_char(p->out, '\n');
    line_write_head(p->out, &tables[i].items[0], width);
    for (size_t j = 1; j < tables[i].count; j++) line_write_row(p->out, &tables[i].items[j], width);
  }
}

static void classic_write_csv(struct classic_printer *p) {
  p->csv = true;
  for (size_t i = 0; i < p->c->table_count && !p->failed; i++) {
    struct classic_lines lines;
    lines_make(p, &p->c->tables[i], &lines);
    if (i) output_add_char(p->out, '\n');
    for (size_t j = 0; j < lines.count; j++) {
      for (size_t k = 0; k < lines.items[j].count; k++) {
        if (k) output_add_char(p->out, ',');
        print_csv_field(p->out, lines.items[j].cells[k]);
      }
      output_add_char(p->out, '\n');
    }
  }
}

/* ---- html -------------------------------------------- */

static void classic_fill_row(struct classic_printer *p, struct fill *fill,
                             const struct classic_row *row) {
  static const char *const classes[] = {" class='worse'", " class='unchanged'", " class='better'"};
  bool pair = p->c->config_count == 2, minus = row->delta[0] == '-';
  buffer_add_text(fill_html(fill, "class"), pair ? classes[row->change + 1] : "");
  fill_str(fill, "benchmark", row->benchmark);
  for (size_t i = 0; i < p->c->config_count; i++) {
    classic_print_cell(p, row, row->metrics[i]);
    fill_pack(fill, "metrics:{value:S}", buffer_str(&p->text));
  }
  buffer_add_text(fill_html(fill, "delta"), strcmp(row->delta, "~") == 0 ? "nodelta" : "delta");
  buffer_printf(fill_text(fill, "change"), "%s%s", minus ? "\xE2\x88\x92" : "", row->delta + minus);
  fill_words(fill, "note", row->note);
}

static void classic_fill_table(struct classic_printer *p, struct fill *fill,
                               const struct classic_table *table) {
  pprofc_str group = {NULL, 0};
  fill_pack(fill, "tables:{metric:S", table->metric);
  for (size_t i = 0; i < table->row_count; i++) {
    const struct classic_row *row = &table->rows[i];
    fill_begin(fill, "rows");
    if (p->c->groups.count > 1 && !str_equal(row->group, group))
      fill_str(fill, "group", row->group);
    group = row->group;
    classic_fill_row(p, fill, row);
    fill_end(fill);
  }
  fill_end(fill);
}

static void classic_write_html(struct classic_printer *p) {
  const pprofc_str page = {(const char *)asset_classic_html, asset_classic_html_size};
  const struct classic *c = p->c;
  struct fill fill = fill_make(c->mem);
  fill_pack(&fill, "any:b single:b pair:b", c->table_count > 0, c->config_count == 1,
            c->config_count == 2);
  buffer_add_text(fill_html(&fill, "kind"), c->config_count == 2 ? "oldnew" : "");
  buffer_printf(fill_html(&fill, "count"), "%zu", c->config_count);
  buffer_printf(fill_html(&fill, "columns"), "%zu", c->config_count + 1 + (c->config_count == 2));
  for (size_t i = 0; i < c->config_count; i++)
    fill_pack(&fill, "configs:{config:S}", set_string(c->set, c->configs[i]));
  for (size_t i = 0; i < c->table_count; i++) classic_fill_table(p, &fill, &c->tables[i]);
  p->failed |= !template_print(p->out, page, "page", &fill);
}

/* ---- the whole report -------------------------------- */

struct classic_format {
  const char *name;
  void (*write)(struct classic_printer *);
  bool is_log; /* true for text that may appear in a CI log, so that its lines must not be CI
                  commands */
};

static const struct classic_format formats[] = {{"text", classic_write_text, true},
                                                {"csv", classic_write_csv, true},
                                                {"html", classic_write_html, false}};

pprofc_status pprofc_bench_print_classic(const pprofc_bench *set,
                                         const pprofc_bench_classic_options *options,
                                         const char *format, pprofc_write_fn write, void *context,
                                         pprofc_error *error) {
  pprofc_bench_classic_options o;
  pprofc_status status = OPTIONS_COPY(pprofc_bench_classic_options, &o, options, error);
  if (status) return status;
  size_t f = 0, count = sizeof formats / sizeof *formats;
  while (f < count && strcmp(formats[f].name, format) != 0) f++;
  if (f == count) return error_set(error, PPROFC_E_INVALID, "unknown format '%s'", format);
  struct classic classic;
  struct output *out = mem_array(mem_or_default(o.allocator), 1, sizeof *out);
  if (!out) return error_nomem(error);
  struct log_guard guard;
  log_guard_init(&guard, write, context);
  if (formats[f].is_log)
    output_init(out, log_guard_write, &guard);
  else
    output_init(out, write, context);
  status = classic_make(&classic, set, &o, error);
  struct classic_printer p = {.c = &classic, .out = out};
  buffer_init(&p.text, classic.mem, (size_t)1 << 30);
  if (status == PPROFC_OK) {
    formats[f].write(&p);
    status = p.failed || p.text.failed ? error_nomem(error) : output_flush(out, error);
  }
  buffer_free(&p.text);
  mem_free(classic.mem, out, 1, sizeof *out);
  classic_free(&classic);
  return status;
}
