/* Creates the page of a view: head, bar, menus, recordings, filters, the view, inspector and
 * dialogs. The view is created first, because the bar needs its totals and warnings. Writes nothing
 * if the view fails. */
#include "core/template.h"
#include "web/views/page.h"

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
  return STR_ROW(path, web_views);
}

/* Adds a warning of the report. Skips a warning that the page already has. */
static void document_warn(void *context, const char *message) {
  struct view_page *page = context;
  for (size_t i = 0; i < page->warning_count; i++)
    if (strcmp(page->warnings[i], message) == 0) return;
  pprofc_str copy = arena_str(&page->arena, str_of(message));
  bool added = copy.data && ARRAY_PUSH(page->mem, page->warnings, page->warning_count,
                                       page->warning_capacity, copy.data);
  page->failed |= !added;
}

/* Returns the name in an expression "^name$", by which links of pprof select a function. Returns ""
 * for other expressions. */
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

/* Sets page->argument to an expression that matches the selected function, if the view shows only
 * some functions. */
static void document_argue(struct view_page *page) {
  if (!page->selected.function.size || !page->view->of_functions) return;
  struct buffer expression = buffer_make(page->mem, (size_t)4 << 20);
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
  if (page_is_diff(page) && input->profile && !noise_obstacle(&page->options))
    page->failed = !noise_hide_folded(input->profile, &page->arena, &page->options);
  page->selected.function = str_of(web_query_get(input->query, "sel"));
  if (!page->selected.function.size)
    page->selected.function =
        document_pivot(&page->arena, str_of(web_query_get(input->query, "p")));
  document_argue(page);
}

static void document_close(struct view_page *page) {
  noise_free(&page->judgement);
  ARRAY_FREE(page->mem, page->warnings, page->warning_capacity);
  fill_free(&page->fill);
  arena_free(&page->arena);
}

extern const unsigned char asset_views_html[];
extern const size_t asset_views_html_size;

void page_fill(struct buffer *out, const char *part, const struct fill *fill) {
  const pprofc_str views = {(const char *)asset_views_html, asset_views_html_size};
  template_put(out, views, part, fill);
}

void page_put(const struct view_page *page, struct buffer *out, const char *part) {
  page_fill(out, part, &page->fill);
}

void web_unknown_page(struct buffer *out) {
  struct fill fill = fill_make(&mem_default);
  page_fill(out, "unknown-page", &fill);
  fill_free(&fill);
}

/* Sets a link for a failed comparison, and lists the profiles with their sample types. The link
 * opens the base as the only profile. */
static void document_fill_alone(struct view_page *page) {
  const struct web_info *info = page->in->info;
  const char *base = page_parameter(page, "base");
  for (size_t i = 0; i < info->profile_count && *base; i++) {
    char id[16];
    snprintf(id, sizeof id, "%u", info->profiles[i].id);
    if (strcmp(id, base) != 0) continue;
    buffer_printf(fill_text(&page->fill, "alone"), "flamegraph?side=head&head=%s", base);
    fill_words(&page->fill, "other", info->profiles[i].name);
    for (size_t k = 0; k < info->profile_count; k++) {
      fill_begin(&page->fill, "profiles");
      page_fill_choice(page, &info->profiles[k]);
      fill_end(&page->fill);
    }
  }
}

static const char *const frame_sides[] = {
    [WEB_HEAD] = "head", [WEB_BASE] = "base", [WEB_DIFF] = "diff"};

static void frame_head(struct view_page *page) {
  const struct web_info *info = page->in->info;
  const pprofc_profile *p = page->in->profile;
  struct fill *fill = &page->fill;
  size_t index;
  fill_pack(fill, "view:s title:s shown-side:s generation:i", page->view->path, page->view->title,
            frame_sides[page->in->side], (int64_t)info->generation);
  if (p && p->mappings.count)
    fill_str(fill, "program", str_path_base(profile_string(p, p->mappings.items[0].file)));
  if (page_type(page, &index)) fill_str(fill, "type", profile_type(p, index));
  fill_pack(fill, "of-functions:b icon:s css:s js:s preload:b", page->view->of_functions,
            info->icon, info->css, info->js,
            page->view->body == view_flame && page->totals.samples);
}

static void frame_brand(struct view_page *page) {
  const struct web_info *info = page->in->info;
  const char *name = page->in->side == WEB_BASE ? info->base.name : info->head.name;
  fill_words(&page->fill, "profile", name ? name : "profile");
  if (page_is_diff(page))
    fill_words(&page->fill, "compared", info->base.name ? info->base.name : "the base");
}

/* Lists the views, for the links in the bar and for the list of keyboard shortcuts. */
static void frame_views(struct view_page *page) {
  const struct web_view *view;
  for (size_t i = 0; (view = web_view_at(i)); i++) {
    const char key[] = {view->key, '\0'};
    fill_begin(&page->fill, "views");
    page_link(page, "address", view->path, NULL, 0);
    fill_pack(&page->fill, "path:s about:s key:s", view->path, view->about, key);
    if (view == page->view) fill_words(&page->fill, "aria-current", "page");
    fill_pack(&page->fill, "words:s}", view->title);
  }
}

static void frame_side(struct view_page *page, enum web_side side, const char *words) {
  fill_begin(&page->fill, "sides");
  page_change_link(page, "side", side == WEB_DIFF ? STR("") : str_of(frame_sides[side]));
  fill_words(&page->fill, "side", frame_sides[side]);
  if (side == page->in->side) fill_words(&page->fill, "aria-current", "true");
  fill_pack(&page->fill, "words:s}", words);
}

static void frame_types(struct view_page *page) {
  const pprofc_profile *p = page->in->profile;
  struct fill *fill = &page->fill;
  size_t current;
  if (!p || p->type_count < 2) return;
  if (!page_type(page, &current)) current = SIZE_MAX;
  fill_pack(fill, "types-menu:{current:S",
            current < p->type_count ? profile_type(p, current) : STR("type"));
  for (size_t i = 0; i < p->type_count; i++) {
    pprofc_str name = profile_type(p, i);
    fill_begin(fill, "items");
    page_change_link(page, "si", name);
    if (i == current) fill_words(fill, "aria-current", "true");
    fill_pack(fill, "name:S}", name);
  }
  fill_end(fill);
}

/* Writes the page around `body`, the text of a view. */
static void document_frame(struct view_page *page, pprofc_str body, struct output *out) {
  static const char *const searched[] = {"f", "p", "v", NULL};
  static const char *const matched[] = {"f", "p", "v", "sel", NULL};
  struct buffer text = buffer_make(page->mem, SIZE_MAX / 2);
  frame_head(page);
  frame_brand(page);
  frame_views(page);
  fill_flag(&page->fill, "base-given", page->in->base);
  if (page->in->base) {
    frame_side(page, WEB_BASE, "Base");
    frame_side(page, WEB_HEAD, "Head");
    frame_side(page, WEB_DIFF, "Diff");
  }
  frame_types(page);
  fill_words(&page->fill, "focus", page->options.focus ? page->options.focus : "");
  document_hidden_fields(page, "search", page->view->of_functions ? matched : searched);
  document_options_menu(page);
  document_more_menu(page);
  document_recordings(page);
  document_pills(page);
  document_inspector(page);
  page_put(page, &text, "before");
  output_add_str(out, buffer_str(&text));
  output_add_str(out, body);
  buffer_clear(&text);
  page_put(page, &text, "after");
  output_add_str(out, buffer_str(&text));
  out->failed |= text.failed;
  buffer_free(&text);
}

/* Replaces the text of a view by a sentence if no sample passes the filters. Keeps the view Compare
 * and flame graphs over time, in which the user can choose other profiles or another range. */
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
  pprofc_status status = PPROFC_OK;
  document_open(&page, view, input);
  struct buffer body = buffer_make(page.mem, BODY_BYTES);
  if (message) {
    fill_pack(&page.fill, "message:s restart:s", message, view->path);
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
  document_open(&page, view, input);
  struct buffer text = buffer_make(page.mem, BODY_BYTES);
  document_recordings(&page);
  page_put(&page, &text, "strip");
  output_add_str(out, buffer_str(&text));
  bool failed = text.failed || page.failed;
  buffer_free(&text);
  document_close(&page);
  return failed ? error_nomem(error) : PPROFC_OK;
}
