/* Creates the page of a view: bar, filters, the view, inspector and dialogs. The view is created
 * first, because the bar needs its totals and warnings. Writes nothing if the view fails. */
#include "core/array.h"
#include "core/template.h"
#include "web/views/page.h"

#include <stdio.h>

static const struct web_view web_views[] = {
    {"flamegraph", "Flame", '1', view_flame, "every stack, as wide as its cost", "flame", false},
    {"top", "Top", '2', view_top, "a row for each function", "top", false},
    {"graph", "Graph", '3', view_graph, "who calls whom", "dot", false},
    {"peek", "Peek", '4', view_peek, "callers and callees of a function", "peek", true},
    {"source", "Source", '5', view_source, "cost of each source line", "list", true},
    {"disasm", "Disassembly", '6', view_disasm, "cost of each instruction", "disasm", true},
    {"tags", "Tags", '7', view_tags, "labels and their values", "tags", false},
    {"compare", "Compare", '8', view_compare, "what changed since another profile", "top", false},
};

#define VIEW_COUNT (sizeof web_views / sizeof *web_views)

/* Maximum size in bytes of the text of a view. */
#define BODY_BYTES ((size_t)256 << 20)

const struct web_view *web_view_at(size_t index) {
  return index < VIEW_COUNT ? &web_views[index] : NULL;
}

const struct web_view *web_view_find(pprofc_str path) {
  for (size_t i = 0; i < VIEW_COUNT; i++)
    if (str_equal(path, str_of(web_views[i].path))) return &web_views[i];
  return NULL;
}

/* Adds a warning of the report. Skips a warning that the page already has. */
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

/* Returns the name in an expression `p=^name$`. Links of pprof select a function by such an
 * expression. Returns "" for other expressions. */
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

/* Makes the selected function the argument of a view that shows functions. */
static void document_argue(struct view_page *page) {
  struct buffer expression;
  if (!page->selected.function.size || !page->view->of_functions) return;
  buffer_init(&expression, page->mem, (size_t)4 << 20);
  html_exact_expression(&expression, page->selected.function);
  pprofc_str text = buffer_take(&expression, &page->arena);
  if (text.data)
    page->argument = text;
  else
    page->failed = true;
}

static void document_open(struct view_page *page, const struct web_view *view,
                          const struct web_view_input *input) {
  const char *focus = input->options->focus ? input->options->focus : "";
  *page = (struct view_page){.view = view,
                             .in = input,
                             .mem = input->profile ? &input->profile->mem : &mem_default,
                             .options = *input->options,
                             .unit = STR(""),
                             .argument = str_of(focus)};
  page->options.warn = document_warn;
  page->options.warn_context = page;
  arena_init(&page->arena, page->mem);
  fill_init(&page->fill, page->mem);
  if (page_is_diff(page) && input->profile)
    page->failed = !judge_hide_folded(input->profile, &page->arena, &page->options);
  page->selected.function = str_of(web_query_get(input->query, "sel"));
  if (!page->selected.function.size)
    page->selected.function =
        document_pivot(&page->arena, str_of(web_query_get(input->query, "p")));
  document_argue(page);
}

static void document_close(struct view_page *page) {
  judge_free(&page->judgement);
  ARRAY_FREE(page->mem, page->warnings, page->warning_capacity);
  fill_free(&page->fill);
  arena_free(&page->arena);
}

extern const unsigned char asset_views_html[];
extern const size_t asset_views_html_size;

void page_put(const struct view_page *page, struct buffer *out, const char *part) {
  const pprofc_str views = {(const char *)asset_views_html, asset_views_html_size};
  template_put(out, views, part, &page->fill);
}

/* Sets a link for a failed comparison. The link opens the base as the only profile. */
static void document_fill_alone(struct view_page *page) {
  const struct web_info *info = page->in->info;
  const char *base = page_parameter(page, "base");
  for (size_t i = 0; i < info->profile_count && *base; i++) {
    char id[16];
    snprintf(id, sizeof id, "%u", info->profiles[i].id);
    if (strcmp(id, base) != 0) continue;
    buffer_printf(fill_text(&page->fill, "alone"), "flamegraph?side=head&head=%s", base);
    fill_words(&page->fill, "other", info->profiles[i].name);
  }
}

/* Replaces the text of a view by a sentence if no sample is left. Keeps the text of Compare, which
 * chooses profiles, and of a flame graph over time, which chooses the range. */
static void document_replace_empty(struct view_page *page, struct buffer *body) {
  const pprofc_profile *p = page->in->profile;
  bool chooses = page->view->body == view_compare || (page->view->body == view_flame && p->times);
  if (!page->totals.known || page->totals.samples || chooses) return;
  buffer_clear(body);
  fill_flag(&page->fill, "filtered", p->samples.count || p->times);
  page_put(page, body, "nothing");
}

pprofc_status web_document(const struct web_view *view, const struct web_view_input *input,
                           const char *message, struct output *out, pprofc_error *error) {
  struct view_page page;
  struct buffer body;
  pprofc_status status = PPROFC_OK;
  document_open(&page, view, input);
  buffer_init(&body, page.mem, BODY_BYTES);
  if (message) {
    fill_words(&page.fill, "message", message);
    fill_words(&page.fill, "restart", view->path);
    if (page.selected.function.size && view->of_functions) page_change_link(&page, "sel", STR(""));
    document_fill_alone(&page);
    page_put(&page, &body, "failure");
  } else {
    status = view->body(&page, &body, error);
    document_replace_empty(&page, &body);
    if (!status && view->of_functions && page.selected.function.size && !page.selected_found)
      status = page_select_function(&page, error);
  }
  if (!status && (body.failed || page.failed)) status = error_nomem(error);
  if (!status) document_frame(&page, buffer_str(&body), out);
  buffer_free(&body);
  document_close(&page);
  return status;
}

pprofc_status web_strip(const struct web_view *view, const struct web_view_input *input,
                        struct output *out, pprofc_error *error) {
  struct view_page page;
  struct buffer text;
  document_open(&page, view, input);
  buffer_init(&text, page.mem, BODY_BYTES);
  document_recordings(&page);
  page_put(&page, &text, "strip");
  output_add_str(out, buffer_str(&text));
  bool failed = text.failed || page.failed;
  buffer_free(&text);
  document_close(&page);
  return failed ? error_nomem(error) : PPROFC_OK;
}
