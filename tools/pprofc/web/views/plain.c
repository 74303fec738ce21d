/* Plain documents: the text of the command line, without style and script. */
#include "core/escape.h"
#include "web/views/views.h"

struct web_view {
  const char *path, *title;
  const char *format; /* of the report */
  const char *granularity;
  bool argument; /* the report takes the focus as its expression */
  bool untrimmed;
  int nodecount; /* 0: as asked */
};

static const struct web_view views[] = {
    {"flamegraph", "Flame", "top", NULL, false, true, 500},
    {"top", "Top", "top", NULL, false, false, 500},
    {"graph", "Graph", "tree", NULL, false, false, 0},
    {"peek", "Peek", "peek", "lines", true, true, 0},
    {"source", "Source", "list", NULL, true, false, 0},
    {"disasm", "Disassembly", "disasm", NULL, true, false, 0},
    {"tags", "Tags", "tags", NULL, false, false, 0},
    {"compare", "Compare", "top", NULL, false, false, 500},
};

const struct web_view *web_view_find(pprofc_str path) {
  for (size_t i = 0; i < sizeof views / sizeof *views; i++)
    if (str_equal(path, str_of(views[i].path))) return &views[i];
  return NULL;
}

static void plain_text(struct output *out, pprofc_str text) {
  for (size_t i = 0; i < text.size; i++) {
    const char *entity = NULL;
    if (text.data[i] == '&') entity = "&amp;";
    if (text.data[i] == '<') entity = "&lt;";
    if (text.data[i] == '>') entity = "&gt;";
    if (text.data[i] == '"') entity = "&quot;";
    if (entity)
      output_add_text(out, entity);
    else
      output_add_char(out, text.data[i]);
  }
}

static int plain_collect(void *buffer, const void *data, size_t size) {
  buffer_add(buffer, data, size);
  return ((struct buffer *)buffer)->failed;
}

static void plain_warn(void *context, const char *message) {
  buffer_add_text(context, message);
  buffer_add_char(context, '\n');
}

static void plain_links(const struct web_view_input *input, struct output *out) {
  static const char *const sides[] = {"base", "head", "diff"};
  for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
    output_add_text(out, "<a href=\"");
    web_query_link(out, input->query, views[i].path, NULL, 0);
    output_printf(out, "\">%s</a>\n", views[i].title);
  }
  for (size_t i = 0; input->base && i < 3; i++) {
    struct web_change side = {"side", str_of(sides[i])};
    output_add_text(out, "<a href=\"");
    web_query_link(out, input->query, "top", &side, 1);
    output_add_text(out, "\">");
    output_add_text(out, sides[i]);
    output_add_text(out, "</a>\n");
  }
}

static void plain_document(const struct web_view *view, const struct web_view_input *input,
                           pprofc_str notes, pprofc_str text, struct output *out) {
  struct web_change here = {"view", str_of(view->path)};
  output_add_text(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<title>");
  output_add_text(out, view->title);
  output_add_text(out, "</title>\n<nav>");
  plain_links(input, out);
  output_add_text(out, "<form method=\"get\"><input name=\"f\" aria-label=\"focus\" value=\"");
  plain_text(out, str_of(web_query_get(input->query, "f")));
  output_add_text(out, "\"></form><form method=\"post\" action=\"");
  web_query_link(out, input->query, "saveconfig", &here, 1);
  output_add_text(out, "\"><input name=\"config\" placeholder=\"name\"><button>Save</button></form>"
                       "</nav>\n<p role=\"status\">");
  if (input->info->pending) plain_text(out, str_of(input->info->pending));
  plain_text(out, notes);
  output_add_text(out, "</p>\n<main id=\"view\"><pre>");
  plain_text(out, text);
  output_add_text(out, "</pre></main>\n");
  for (size_t i = 0; i < input->info->saved_count; i++) {
    output_add_text(out, "<a href=\"?");
    plain_text(out, str_of(input->info->saved[i].query));
    output_add_text(out, "\">");
    plain_text(out, str_of(input->info->saved[i].name));
    output_add_text(out, "</a>\n");
  }
}

pprofc_status web_document(const struct web_view *view, const struct web_view_input *input,
                           struct output *out, pprofc_error *error) {
  pprofc_report_options options = *input->options;
  struct buffer text, notes;
  buffer_init(&text, &input->profile->mem, (size_t)1 << 30);
  buffer_init(&notes, &input->profile->mem, 1 << 20);
  options.format = view->format;
  options.argument = view->argument ? options.focus : "";
  if (view->granularity) options.granularity = view->granularity;
  if (view->nodecount) options.nodecount = view->nodecount;
  if (view->untrimmed) options.trim = false;
  options.warn = plain_warn;
  options.warn_context = &notes;
  pprofc_status status = pprofc_report(input->profile, &options, plain_collect, &text, error);
  if (status == PPROFC_OK) plain_document(view, input, buffer_str(&notes), buffer_str(&text), out);
  buffer_free(&text);
  buffer_free(&notes);
  return status;
}

pprofc_status web_document_error(const struct web_view *view, const struct web_view_input *input,
                                 const char *message, struct output *out, pprofc_error *error) {
  (void)error;
  plain_document(view, input, STR(""), str_of(message), out);
  return PPROFC_OK;
}
