/* Creates the page around a view: head, bar, menus, recordings, filters, inspector and dialogs. */
#include "web/views/page.h"

static const char *const frame_sides[] = {
    [WEB_HEAD] = "head", [WEB_BASE] = "base", [WEB_DIFF] = "diff"};

static void frame_head(struct view_page *page) {
  const struct web_info *info = page->in->info;
  const pprofc_profile *p = page->in->profile;
  struct fill *fill = &page->fill;
  size_t index;
  fill_words(fill, "view", page->view->path);
  fill_words(fill, "title", page->view->title);
  fill_words(fill, "shown-side", frame_sides[page->in->side]);
  fill_number(fill, "generation", (int64_t)info->generation);
  if (p && p->mappings.count)
    fill_str(fill, "program", str_path_base(profile_string(p, p->mappings.items[0].file)));
  if (page_type(page, &index)) fill_str(fill, "type", profile_string(p, p->types[index].type));
  fill_flag(fill, "of-functions", page->view->of_functions);
  fill_words(fill, "icon", info->icon ? info->icon : "");
  fill_words(fill, "css", info->css ? info->css : "");
  fill_words(fill, "js", info->js ? info->js : "");
  fill_flag(fill, "preload", page->view->body == view_flame && page->totals.samples);
}

static void frame_brand(struct view_page *page) {
  const struct web_info *info = page->in->info;
  const char *name = page->in->side == WEB_BASE ? info->base.name : info->head.name;
  fill_words(&page->fill, "profile", name ? name : "profile");
  if (page_is_diff(page))
    fill_words(&page->fill, "compared", info->base.name ? info->base.name : "the base");
}

/* Adds the views for two lists: the links in the bar and the keyboard shortcuts. */
static void frame_views(struct view_page *page) {
  const struct web_view *view;
  for (size_t i = 0; (view = web_view_at(i)); i++) {
    const char key[] = {view->key, '\0'};
    fill_begin(&page->fill, "views");
    page_link(page, "address", view->path, NULL, 0);
    fill_words(&page->fill, "path", view->path);
    fill_words(&page->fill, "about", view->about);
    fill_words(&page->fill, "key", key);
    if (view == page->view) fill_words(&page->fill, "aria-current", "page");
    fill_words(&page->fill, "words", view->title);
    fill_end(&page->fill);
  }
}

static void frame_side(struct view_page *page, enum web_side side, const char *words) {
  fill_begin(&page->fill, "sides");
  page_change_link(page, "side", side == WEB_DIFF ? STR("") : str_of(frame_sides[side]));
  fill_words(&page->fill, "side", frame_sides[side]);
  if (side == page->in->side) fill_words(&page->fill, "aria-current", "true");
  fill_words(&page->fill, "words", words);
  fill_end(&page->fill);
}

static void frame_types(struct view_page *page) {
  const pprofc_profile *p = page->in->profile;
  struct fill *fill = &page->fill;
  size_t current;
  if (!p || p->type_count < 2) return;
  if (!page_type(page, &current)) current = SIZE_MAX;
  fill_begin(fill, "types-menu");
  fill_str(fill, "current",
           current < p->type_count ? profile_string(p, p->types[current].type) : STR("type"));
  for (size_t i = 0; i < p->type_count; i++) {
    pprofc_str name = profile_string(p, p->types[i].type);
    fill_begin(fill, "items");
    page_change_link(page, "si", name);
    if (i == current) fill_words(fill, "aria-current", "true");
    fill_str(fill, "name", name);
    fill_end(fill);
  }
  fill_end(fill);
}

void document_frame(struct view_page *page, pprofc_str body, struct output *out) {
  static const char *const searched[] = {"f", "p", "v", NULL};
  static const char *const matched[] = {"f", "p", "v", "sel", NULL};
  struct buffer text;
  buffer_init(&text, page->mem, SIZE_MAX / 2);
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
