/* The document of every view: bar, pills, the view, inspector and dialogs. The view is made
 * first, because its totals and warnings come before it, and because a failure must write
 * nothing. */
#include "core/array.h"
#include "pipeline/pipeline.h"
#include "web/views/page.h"

static const struct web_view web_views[] = {
    {"flamegraph", "Flame", '1', view_flame, "every stack, as wide as its cost", "flame"},
    {"top", "Top", '2', view_top, "a row for each function", "top"},
    {"graph", "Graph", '3', view_graph, "who calls whom", "dot"},
    {"peek", "Peek", '4', view_peek, "callers and callees of a function", "peek"},
    {"source", "Source", '5', view_source, "cost of each source line", "list"},
    {"disasm", "Disassembly", '6', view_disasm, "cost of each instruction", "disasm"},
    {"tags", "Tags", '7', view_tags, "labels and their values", "tags"},
    {"compare", "Compare", '8', view_compare, "what changed since another profile", "top"},
};

#define VIEW_COUNT (sizeof web_views / sizeof *web_views)

/* Maximum size of the text of one view. */
#define BODY_BYTES ((size_t)256 << 20)

const struct web_view *web_view_at(size_t index) {
  return index < VIEW_COUNT ? &web_views[index] : NULL;
}

const struct web_view *web_view_find(pprofc_str path) {
  for (size_t i = 0; i < VIEW_COUNT; i++)
    if (str_equal(path, str_of(web_views[i].path))) return &web_views[i];
  return NULL;
}

/* ---- page -------------------------------------------- */

/* Adds a warning of the pipeline unless it was added before. */
static void document_warn(void *context, const char *message) {
  struct view_page *page = context;
  for (size_t i = 0; i < page->warning_count; i++)
    if (strcmp(page->warnings[i], message) == 0) return;
  pprofc_str copy = arena_str(&page->arena, str_of(message));
  bool room = copy.data && ARRAY_RESERVE(page->mem, page->warnings, page->warning_capacity,
                                         page->warning_count + 1);
  if (room)
    page->warnings[page->warning_count++] = copy.data;
  else
    page->failed = true;
}

/* Returns the name in a pivot of pprof's links (`p=^name$`), or "" if the expression is not a
 * single name. */
static pprofc_str document_pivot(struct arena *arena, pprofc_str pivot) {
  if (!str_starts(pivot, STR("^")) || !str_ends(pivot, STR("$")) || pivot.size < 3) return STR("");
  char *name = arena_alloc(arena, pivot.size);
  size_t size = 0;
  for (size_t i = 1; name && i + 1 < pivot.size; i++) {
    bool escaped = pivot.data[i] == '\\' && i + 2 < pivot.size;
    if (!escaped && strchr(".+*?()|[]{}^$\\", pivot.data[i])) return STR("");
    i += escaped;
    name[size++] = pivot.data[i];
  }
  return name ? (pprofc_str){name, size} : STR("");
}

static void document_open(struct view_page *page, const struct web_view *view,
                          const struct web_view_input *input) {
  *page = (struct view_page){.view = view,
                             .in = input,
                             .mem = input->profile ? &input->profile->mem : &mem_default,
                             .options = *input->options,
                             .unit = STR(""),
                             .about = STR(""),
                             .argument = str_of(input->options->focus)};
  page->options.warn = document_warn;
  page->options.warn_context = page;
  arena_init(&page->arena, page->mem);
  if (page_is_diff(page) && input->profile)
    page->failed = !judge_hide_folded(input->profile, &page->arena, &page->options);
  page->selected.function = str_of(web_query_get(input->query, "sel"));
  if (!page->selected.function.size)
    page->selected.function =
        document_pivot(&page->arena, str_of(web_query_get(input->query, "p")));
}

static void document_close(struct view_page *page) {
  judge_free(&page->judgement);
  ARRAY_FREE(page->mem, page->warnings, page->warning_capacity);
  arena_free(&page->arena);
}

/* ---- the frame --------------------------------------- */

static void document_title(const struct view_page *page, struct output *out) {
  const pprofc_profile *p = page->in->profile;
  pprofc_str file = STR(""), type = STR("");
  size_t index;
  if (p && p->mappings.count) file = str_path_base(profile_string(p, p->mappings.items[0].file));
  if (page_type(page, &index)) type = profile_string(p, p->types[index].type);
  output_add_text(out, "<title>");
  html_name(out, file);
  output_add_char(out, ' ');
  html_name(out, type);
  output_printf(out, " - %s - pprofc</title>\n", page->view->title);
}

static void document_stylesheet(struct output *out, const char *address) {
  if (!address) return;
  output_add_text(out, "<link rel=stylesheet");
  html_attribute(out, "href", str_of(address));
  output_add_text(out, ">\n");
}

static void document_script(struct output *out, const char *address) {
  if (!address) return;
  output_add_text(out, "<script defer");
  html_attribute(out, "src", str_of(address));
  output_add_text(out, "></script>\n");
}

static void document_head(const struct view_page *page, struct output *out) {
  static const char *const sides[] = {
      [WEB_HEAD] = "head", [WEB_BASE] = "base", [WEB_DIFF] = "diff"};
  const struct web_info *info = page->in->info;
  output_add_text(out, "<!DOCTYPE html>\n<html lang=\"en\"");
  html_attribute(out, "data-view", str_of(page->view->path));
  output_printf(out,
                " data-side=\"%s\" data-generation=\"%llu\">\n<head>\n<meta charset=\"utf-8\">\n",
                sides[page->in->side], (unsigned long long)info->generation);
  output_add_text(out, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                       "<meta name=\"color-scheme\" content=\"light dark\">\n");
  document_title(page, out);
  if (info->icon) {
    output_add_text(out, "<link rel=icon");
    html_attribute(out, "href", str_of(info->icon));
    output_add_text(out, ">\n");
  }
  document_stylesheet(out, info->css);
  view_flame_preload(page, out);
  document_script(out, info->js);
  output_add_text(out, "</head>\n<body>\n<a id=skip href=\"#view\">skip to the view</a>\n");
}

static void document_frame(const struct view_page *page, pprofc_str body, struct output *out) {
  document_head(page, out);
  document_bar(page, out);
  document_pills(page, out);
  output_add_text(out, "<div id=stage>\n<main id=view tabindex=-1>\n");
  output_add_str(out, body);
  output_add_text(out, "</main>\n");
  document_inspector(page, out);
  output_add_text(out, "</div>\n<div id=announce role=status aria-live=polite></div>\n");
  document_dialogs(page, out);
  output_add_text(out, "</body>\n</html>\n");
}

/* ---- the view ---------------------------------------- */

static int document_collect(void *buffer, const void *data, size_t size) {
  buffer_add(buffer, data, size);
  return ((struct buffer *)buffer)->failed;
}

static pprofc_status document_body(struct view_page *page, struct buffer *body,
                                   pprofc_error *error) {
  struct output inner;
  output_init(&inner, document_collect, body);
  pprofc_status status = page->view->body(page, &inner, error);
  output_flush(&inner, NULL);
  if (!status && (body->failed || page->failed)) status = error_nomem(error);
  return status;
}

pprofc_status web_document(const struct web_view *view, const struct web_view_input *input,
                           struct output *out, pprofc_error *error) {
  struct view_page page;
  struct buffer body;
  document_open(&page, view, input);
  buffer_init(&body, page.mem, BODY_BYTES);
  pprofc_status status = document_body(&page, &body, error);
  if (!status) document_frame(&page, buffer_str(&body), out);
  buffer_free(&body);
  document_close(&page);
  return status;
}

pprofc_status web_document_error(const struct web_view *view, const struct web_view_input *input,
                                 const char *message, struct output *out, pprofc_error *error) {
  struct view_page page;
  struct buffer body;
  document_open(&page, view, input);
  buffer_init(&body, page.mem, BODY_BYTES);
  struct output inner;
  output_init(&inner, document_collect, &body);
  output_add_text(&inner, "<div class=failure role=alert><h1>This cannot be shown</h1>\n<p>");
  html_put(&inner, message);
  output_add_text(&inner, "</p>\n<p>Remove a filter above, change it in the search field, or <a");
  html_attribute(&inner, "href", str_of(view->path));
  output_add_text(&inner, ">start again without filters</a>.</p></div>\n");
  pprofc_status status = output_flush(&inner, error);
  if (!status) document_frame(&page, buffer_str(&body), out);
  buffer_free(&body);
  document_close(&page);
  return status;
}
