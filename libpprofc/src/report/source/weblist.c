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

/* Adds a text after `indent` blanks. Expands tabs, and pads with blanks up to CODE_COLUMN. */
static void fill_code(struct weblist *w, pprofc_str text, size_t indent) {
  struct buffer *out = fill_text(&w->fill, "code");
  size_t at = indent;
  buffer_add_fill(out, ' ', indent);
  for (size_t i = 0; i < text.size;) {
    size_t from = i;
    int32_t c = utf8_next(text, &i);
    at++;
    if (c != '\t') {
      buffer_add(out, text.data + from, i - from);
      continue;
    }
    buffer_add_char(out, ' ');
    for (; at % TAB_WIDTH; at++) buffer_add_char(out, ' ');
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

/* Adds "name:line". The name has no folders. */
static void weblist_place(struct weblist *w, pprofc_str file, int64_t line) {
  struct buffer *out = fill_text(&w->fill, "place");
  buffer_add_str(out, str_path_base(file));
  buffer_printf(out, ":%lld", (long long)line);
}

/* ---- instructions ------------------------------------ */

/* Returns the indentation of a source line in columns, at most MAX_INDENT. The instructions of the
 * line get the same indentation. */
static size_t indentation(pprofc_str line) {
  size_t column = 0;
  for (size_t i = 0; i < line.size && (line.data[i] == ' ' || line.data[i] == '\t'); i++)
    column += line.data[i] == ' ' ? 1 : TAB_WIDTH - column % TAB_WIDTH;
  return column < MAX_INDENT ? column : MAX_INDENT;
}

static bool same_call(const struct web_call *a, const struct web_call *b) {
  return a->line == b->line && str_equal(a->file, b->file);
}

/* Adds the inlined calls that lead to an instruction. Skips the outer calls that also lead to the
 * previous instruction. */
static void add_calls(struct weblist *w, const struct web_place *place,
                      const struct web_place *before, size_t indent) {
  bool same = before != NULL;
  for (size_t i = 0; i < place->call_count; i++) {
    const struct web_call *call = &place->calls[i];
    same = same && i < before->call_count && same_call(call, &before->calls[i]);
    if (same) continue;
    pprofc_str text;
    if (!source_lookup_line(&w->sources, call->file, call->line, &text)) text = STR("");
    fill_pack(&w->fill, "asm:{call:b", true);
    fill_code(w, str_trim(text), indent + 4 + 4 * i);
    weblist_place(w, call->file, call->line);
    fill_end(&w->fill);
  }
}

static void add_instruction(struct weblist *w, const struct web_place *place, size_t indent) {
  const struct web_instruction *in = &w->data.instructions[place->instruction];
  if (!in->text.size) return;
  fill_pack(&w->fill, "asm:{instruction:b", true);
  fill_cost(w, in->flat, in->cum, true);
  buffer_printf(fill_text(&w->fill, "address"), "%8llx", (unsigned long long)in->file_address);
  fill_code(w, in->text, indent + 4 + 4 * place->call_count);
  if (in->file.size) weblist_place(w, in->file, in->line);
  fill_end(&w->fill);
}

static void add_instructions(struct weblist *w, const struct web_place *places, size_t count,
                             size_t indent) {
  for (size_t i = 0; i < count; i++) {
    const struct web_instruction *in = &w->data.instructions[places[i].instruction];
    const struct web_place *before = i ? &places[i - 1] : NULL;
    if (before) {
      const struct web_instruction *last = &w->data.instructions[before->instruction];
      if (in->address != last->address + last->length) fill_pack(&w->fill, "asm:{gap:b}", true);
    }
    add_calls(w, &places[i], before, indent);
    add_instruction(w, &places[i], indent);
  }
}

/* ---- lines and functions ----------------------------- */

/* True if the line has instructions to show. */
static bool is_live(const struct weblist *w, const struct web_place *places, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (places[i].call_count || w->data.instructions[places[i].instruction].text.size) return true;
  return false;
}

static void add_line(struct weblist *w, pprofc_str file, int64_t number,
                     const struct web_place *places, size_t count) {
  pprofc_str text;
  if (!source_lookup_line(&w->sources, file, number, &text)) {
    if (!count) return;
    text = number ? STR("???") : STR("<instructions with unknown line numbers>");
  }
  int64_t flat = 0, cum = 0;
  bool live = is_live(w, places, count);
  weblist_sum(&w->data, places, count, &flat, &cum);
  fill_pack(&w->fill, "lines:{live:b dead:b text:S", live, count && !live, text);
  buffer_printf(fill_text(&w->fill, "number"), "%6lld", (long long)number);
  fill_cost(w, flat, cum, true);
  if (live) add_instructions(w, places, count, indentation(text));
  fill_end(&w->fill);
}

static void print_run(struct weblist *w, const struct template *function,
                      const struct weblist_run *run) {
  const struct web_place *places = w->data.places + run->first;
  char percentage[32];
  if (run->cum == 0) return;
  fill_clear(&w->fill);
  buffer_clear(&w->text);
  fill_pack(&w->fill, "name:S file:S share:S", run->name, places->file,
            unit_percentage(run->cum, w->report->result.total, percentage));
  fill_cost(w, run->flat, run->cum, false);
  size_t next = 0;
  for (int64_t number = run->begin; number < run->end; number++) {
    size_t from = next;
    while (next < run->count && places[next].line == number) next++;
    add_line(w, places->file, number, places + from, next - from);
  }
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
