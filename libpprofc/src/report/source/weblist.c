/* Prints the report -weblist: a page with the source of matching functions. A click on a line shows
 * its instructions. */
#include "core/template.h"
#include "report/source/listing.h"
#include "report/source/lookup.h"
#include "report/source/weblist_data.h"

#define VALUE_COLUMN 10
#define CODE_COLUMN  80
#define TAB_WIDTH    8
#define MAX_INDENT   400

struct weblist {
  const struct report *report;
  struct output *out;
  struct web_data data;
  struct source_lookup sources;
  struct fill fill;   /* values of the function, or of the head of the page */
  struct buffer text; /* text of the function */
};

/* ---- text in the page -------------------------------- */

/* Characters that are markup in HTML, escaped as in Go's html/template. */
static const struct {
  char c;
  const char *entity;
} entities[] = {{'&', "&amp;"}, {'<', "&lt;"},   {'>', "&gt;"},
                {'"', "&#34;"}, {'\'', "&#39;"}, {'+', "&#43;"}};

/* Replaces invisible characters, and characters that change the direction of text. */
static void html_char(struct buffer *out, pprofc_str bytes, int32_t c) {
  for (size_t i = 0; i < sizeof entities / sizeof *entities; i++)
    if (c == entities[i].c) {
      buffer_add_text(out, entities[i].entity);
      return;
    }
  if ((c == '\t' || escape_terminal_clean(bytes)) && c >= 0)
    buffer_add_str(out, bytes);
  else
    buffer_add_text(out, "\xEF\xBF\xBD");
}

static void html_text(struct buffer *out, pprofc_str text) {
  for (size_t i = 0; i < text.size;) {
    size_t from = i;
    while (i < text.size && text.data[i] != '+' && xml_is_plain(text.data[i])) i++;
    buffer_add(out, text.data + from, i - from);
    if (i == text.size) break;
    from = i;
    int32_t c = utf8_next(text, &i);
    html_char(out, str_slice(text, from, i), c);
  }
}

/* Returns the indentation of a source line in columns, at most MAX_INDENT. The instructions of the
 * line get the same indentation. */
static size_t indentation(pprofc_str line) {
  size_t column = 0;
  for (size_t i = 0; i < line.size && (line.data[i] == ' ' || line.data[i] == '\t'); i++)
    column += line.data[i] == ' ' ? 1 : TAB_WIDTH - column % TAB_WIDTH;
  return column < MAX_INDENT ? column : MAX_INDENT;
}

/* Sets "code" to an indented and escaped text. Expands tabs, and pads with blanks up to
 * CODE_COLUMN. */
static void fill_code(void *context, pprofc_str text, size_t depth, pprofc_str around) {
  struct weblist *w = context;
  struct buffer *out = fill_html(&w->fill, "code");
  size_t at = indentation(around) + 4 + 4 * depth;
  pprofc_str piece;
  buffer_add_fill(out, ' ', at);
  for (bool first = true; str_next(&text, '\t', &piece); first = false) {
    size_t blanks = first ? 0 : TAB_WIDTH - at % TAB_WIDTH;
    buffer_add_fill(out, ' ', blanks);
    html_text(out, piece);
    at += blanks + utf8_length(piece);
  }
  if (at < CODE_COLUMN) buffer_add_fill(out, ' ', CODE_COLUMN - at);
}

static void add_value(struct weblist *w, struct buffer *out, int64_t value, bool dot_for_zero) {
  char text[UNIT_LABEL_MAX];
  pprofc_str label = dot_for_zero && !value ? STR(".") : report_value(w->report, value, text);
  size_t length = utf8_length(label);
  if (length < VALUE_COLUMN) buffer_add_fill(out, ' ', VALUE_COLUMN - length);
  buffer_add_str(out, label);
}

static void fill_cost(struct weblist *w, int64_t flat, int64_t cum, bool dot_for_zero) {
  struct buffer *out = fill_text(&w->fill, "cost");
  add_value(w, out, flat, dot_for_zero);
  buffer_add_char(out, ' ');
  add_value(w, out, cum, dot_for_zero);
}

static void fill_line_cost(void *context, int64_t flat, int64_t cum) {
  fill_cost(context, flat, cum, true);
}

/* ---- functions --------------------------------------- */

static void print_run(struct weblist *w, const struct template *function,
                      const struct weblist_run *run) {
  char percentage[32];
  if (run->cum == 0) return;
  fill_clear(&w->fill);
  buffer_clear(&w->text);
  fill_pack(&w->fill, "name:S file:S share:S", run->name, w->data.places[run->first].file,
            unit_percentage(run->cum, w->report->result.total, percentage));
  fill_cost(w, run->flat, run->cum, false);
  const struct weblist_lines lines = {&w->data, &w->sources,    &w->fill,
                                      w,        fill_line_cost, fill_code};
  weblist_fill_run(&lines, run);
  template_run(&w->text, function, &w->fill);
  output_add_str(w->out, buffer_str(&w->text));
}

static bool print_files(struct weblist *w, const struct template *function) {
  const struct web_data *data = &w->data;
  struct weblist_run *runs = arena_array(&w->data.arena, data->place_count, sizeof *runs);
  if (!runs) return false;
  for (size_t first = 0, end; first < data->place_count && !w->out->failed && !w->text.failed;
       first = end) {
    for (end = first + 1; end < data->place_count; end++)
      if (!str_equal(data->places[end].file, data->places[first].file)) break;
    size_t count = weblist_make_runs(data, first, end, runs);
    for (size_t i = 0; i < count; i++) print_run(w, function, &runs[i]);
  }
  return true;
}

/* ---- the page ---------------------------------------- */

extern const unsigned char asset_weblist_html[], asset_weblist_js[];
extern const size_t asset_weblist_html_size, asset_weblist_js_size;
extern const char asset_weblist_js_sha256[];

static void weblist_label(void *context, const char *prefix, pprofc_str text) {
  struct weblist *w = context;
  fill_pack(&w->fill, "labels:{prefix:s label:S}", prefix, text);
}

/* Prints the head of the page. The content security policy of the page permits only the script of
 * the page, so names from the profile cannot run scripts. */
static void print_head(struct weblist *w, pprofc_str page) {
  char total[UNIT_LABEL_MAX];
  base64_put_hash(fill_text(&w->fill, "hash"), asset_weblist_js_sha256);
  buffer_add(fill_html(&w->fill, "script"), asset_weblist_js, asset_weblist_js_size);
  labels_profile(w->report, weblist_label, w);
  fill_str(&w->fill, "total", report_value(w->report, w->report->result.total, total));
  template_put(&w->text, page, "head", &w->fill);
  output_add_str(w->out, buffer_str(&w->text));
}

static bool print_page(struct weblist *w) {
  const pprofc_str page = {(const char *)asset_weblist_html, asset_weblist_html_size};
  struct template function = template_compile(w->report->mem, page, "function");
  w->text = buffer_make(w->report->mem, SIZE_MAX / 2);
  fill_init(&w->fill, w->report->mem);
  w->fill.escape = html_text;
  print_head(w, page);
  bool done = print_files(w, &function);
  buffer_clear(&w->text);
  template_put(&w->text, page, "foot", &w->fill);
  output_add_str(w->out, buffer_str(&w->text));
  done = done && !w->text.failed;
  fill_free(&w->fill);
  buffer_free(&w->text);
  template_free(&function);
  return done;
}

pprofc_status report_weblist(struct report *report, struct output *out, pprofc_error *error) {
  struct weblist w = {.report = report, .out = out};
  pprofc_status status = web_data_collect(&w.data, report, error);
  if (status == PPROFC_OK) {
    status = source_lookup_init(&w.sources, report->options, report->mem, error);
    if (status == PPROFC_OK && !print_page(&w)) status = error_nomem(error);
    source_lookup_free(&w.sources);
  }
  web_data_free(&w.data);
  return status;
}
