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
  bool labelled; /* true once a line about the profile was printed */
};

/* ---- text in the page -------------------------------- */

/* Characters that are markup in HTML, escaped as in Go's html/template. */
static const struct {
  char c;
  const char *entity;
} entities[] = {{'&', "&amp;"}, {'<', "&lt;"},   {'>', "&gt;"},
                {'"', "&#34;"}, {'\'', "&#39;"}, {'+', "&#43;"}};

static void html_char(struct output *out, pprofc_str bytes, int32_t c) {
  for (size_t i = 0; i < sizeof entities / sizeof *entities; i++)
    if (c == entities[i].c) {
      output_add_text(out, entities[i].entity);
      return;
    }
  /* Replaces invisible characters, and characters that change the direction of text. */
  if ((c == '\t' || escape_terminal_clean(bytes)) && c >= 0)
    output_add_str(out, bytes);
  else
    output_add_text(out, "\xEF\xBF\xBD");
}

static void html_text(struct output *out, pprofc_str text) {
  for (size_t i = 0; i < text.size;) {
    size_t from = i;
    int32_t c = utf8_next(text, &i);
    html_char(out, str_slice(text, from, i), c);
  }
}

/* Prints text after `indent` blanks. Expands tabs, and pads with blanks up to CODE_COLUMN. */
static void html_code(struct output *out, pprofc_str text, size_t indent) {
  size_t at = indent;
  output_add_fill(out, ' ', indent);
  for (size_t i = 0; i < text.size;) {
    size_t from = i;
    int32_t c = utf8_next(text, &i);
    at++;
    if (c != '\t') {
      html_char(out, str_slice(text, from, i), c);
      continue;
    }
    output_add_char(out, ' ');
    for (; at % TAB_WIDTH; at++) output_add_char(out, ' ');
  }
  if (at < CODE_COLUMN) output_add_fill(out, ' ', CODE_COLUMN - at);
}

static void html_value(struct weblist *w, int64_t value, bool dot_for_zero) {
  char text[UNIT_LABEL_MAX];
  pprofc_str label = dot_for_zero && !value ? STR(".") : report_value(w->report, value, text);
  size_t length = utf8_length(label);
  if (length < VALUE_COLUMN) output_add_fill(w->out, ' ', VALUE_COLUMN - length);
  html_text(w->out, label);
}

static void html_values(struct weblist *w, int64_t flat, int64_t cum, bool dot_for_zero) {
  html_value(w, flat, dot_for_zero);
  output_add_char(w->out, ' ');
  html_value(w, cum, dot_for_zero);
}

/* Prints "name:line". The name has no folders. */
static void html_place(struct output *out, pprofc_str file, int64_t line) {
  html_text(out, str_path_base(file));
  output_printf(out, ":%lld", (long long)line);
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

/* Prints the inlined calls that lead to an instruction. Skips the outer calls that also lead to the
 * previous instruction. */
static void print_calls(struct weblist *w, const struct web_place *place,
                        const struct web_place *before, size_t indent) {
  bool same = before != NULL;
  for (size_t i = 0; i < place->call_count; i++) {
    const struct web_call *call = &place->calls[i];
    same = same && i < before->call_count && same_call(call, &before->calls[i]);
    if (same) continue;
    pprofc_str text = STR("");
    if (!source_lookup_line(&w->sources, call->file, call->line, &text)) text = STR("");
    output_printf(w->out, " %8s %10s %10s %8s  <span class=inlinesrc>", "", "", "", "");
    html_code(w->out, str_trim(text), indent + 4 + 4 * i);
    output_add_text(w->out, "</span> <span class=unimportant>");
    html_place(w->out, call->file, call->line);
    output_add_text(w->out, "</span>\n");
  }
}

static void weblist_print_instruction(struct weblist *w, const struct web_place *place,
                                      size_t indent) {
  const struct web_instruction *in = &w->data.instructions[place->instruction];
  if (!in->text.size) return;
  output_printf(w->out, " %8s ", "");
  html_values(w, in->flat, in->cum, true);
  output_printf(w->out, " %8llx: ", (unsigned long long)in->file_address);
  html_code(w->out, in->text, indent + 4 + 4 * place->call_count);
  output_add_text(w->out, " <span class=unimportant>");
  if (in->file.size) html_place(w->out, in->file, in->line);
  output_add_text(w->out, "</span>\n");
}

static void weblist_print_instructions(struct weblist *w, const struct web_place *places,
                                       size_t count, size_t indent) {
  output_add_text(w->out, "<span class=asm>");
  for (size_t i = 0; i < count; i++) {
    const struct web_instruction *in = &w->data.instructions[places[i].instruction];
    const struct web_place *before = i ? &places[i - 1] : NULL;
    if (before) {
      const struct web_instruction *last = &w->data.instructions[before->instruction];
      if (in->address != last->address + last->length)
        output_printf(w->out, " %8s %27s\xE2\x8B\xAE\n", "", "");
    }
    print_calls(w, &places[i], before, indent);
    weblist_print_instruction(w, &places[i], indent);
  }
  output_add_text(w->out, "</span>");
}

/* ---- lines and functions ----------------------------- */

static const char *line_class(const struct weblist *w, const struct web_place *places,
                              size_t count) {
  for (size_t i = 0; i < count; i++)
    if (places[i].call_count || w->data.instructions[places[i].instruction].text.size)
      return "livesrc";
  return count ? "deadsrc" : "nop";
}

static void weblist_print_line(struct weblist *w, pprofc_str file, int64_t number,
                               const struct web_place *places, size_t count) {
  pprofc_str text;
  if (!source_lookup_line(&w->sources, file, number, &text)) {
    if (!count) return;
    text = number ? STR("???") : STR("<instructions with unknown line numbers>");
  }
  int64_t flat = 0, cum = 0;
  weblist_sum(&w->data, places, count, &flat, &cum);
  const char *class = line_class(w, places, count);
  output_printf(w->out, "\n<span class=line> %6lld</span> <span class=%s>  ", (long long)number,
                class);
  html_values(w, flat, cum, true);
  output_printf(w->out, " %8s  ", "");
  html_text(w->out, text);
  output_add_text(w->out, " </span>");
  if (*class == 'l') weblist_print_instructions(w, places, count, indentation(text));
}

static void print_run(struct weblist *w, const struct weblist_run *run) {
  const struct web_place *places = w->data.places + run->first;
  char percentage[32];
  if (run->cum == 0) return;
  output_add_text(w->out, "<h2>");
  html_text(w->out, run->name);
  output_add_text(w->out, "</h2><p class=\"filename\">");
  html_text(w->out, places->file);
  output_add_text(w->out, "</p>\n<pre>\n  Total:  ");
  html_values(w, run->flat, run->cum, false);
  output_add_text(w->out, " (flat, cum) ");
  output_add_str(w->out, unit_percentage(run->cum, w->report->result.total, percentage));
  size_t next = 0;
  for (int64_t number = run->begin; number < run->end; number++) {
    size_t from = next;
    while (next < run->count && places[next].line == number) next++;
    weblist_print_line(w, places->file, number, places + from, next - from);
  }
  output_add_text(w->out, "\n</pre>\n");
}

static bool print_files(struct weblist *w) {
  const struct web_data *data = &w->data;
  struct weblist_run *runs = arena_array(&w->data.arena, data->place_count, sizeof *runs);
  if (!runs) return false;
  for (size_t first = 0, end; first < data->place_count && !w->out->failed; first = end) {
    for (end = first + 1; end < data->place_count; end++)
      if (!str_equal(data->places[end].file, data->places[first].file)) break;
    size_t count = weblist_make_runs(data, first, end, runs);
    for (size_t i = 0; i < count; i++) print_run(w, &runs[i]);
  }
  return true;
}

/* ---- the page ---------------------------------------- */

extern const unsigned char asset_weblist_html[], asset_weblist_js[];
extern const size_t asset_weblist_html_size, asset_weblist_js_size;
extern const char asset_weblist_js_sha256[];

/* Prints the head of the page. The content security policy of the page permits only the script of
 * the page, so names from the profile cannot run scripts. */
static bool weblist_print_head(struct weblist *w) {
  const pprofc_str page = {(const char *)asset_weblist_html, asset_weblist_html_size};
  struct fill fill = fill_make(w->report->mem);
  base64_put_hash(fill_text(&fill, "hash"), asset_weblist_js_sha256);
  buffer_add(fill_html(&fill, "script"), asset_weblist_js, asset_weblist_js_size);
  return template_print(w->out, page, "head", &fill);
}

static void print_label(void *context, const char *prefix, pprofc_str text) {
  struct weblist *w = context;
  if (w->labelled) output_add_text(w->out, "<br>\n");
  w->labelled = true;
  html_text(w->out, str_of(prefix));
  html_text(w->out, text);
}

static bool print_page(struct weblist *w) {
  char total[UNIT_LABEL_MAX];
  if (!weblist_print_head(w)) return false;
  labels_profile(w->report, print_label, w);
  output_add_text(w->out, "<br>Total: ");
  html_text(w->out, report_value(w->report, w->report->result.total, total));
  output_add_text(w->out, "</div>");
  bool done = print_files(w);
  output_add_text(w->out, "</body>\n</html>\n");
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
