/* Writes relative URLs of views, which keep filters and selection. Reads page options. */
#include "web/views/page.h"

/* Parameters that only one view uses. Links to other views leave them out. */
static const char *const of_one_view[] = {"rows", "only", "p", "v"};

#define LINK_CHANGES 16

/* True if links to the same view keep a parameter. `v` is a position in one picture only. */
static bool link_keeps(const struct view_page *page, const char *parameter) {
  return strcmp(parameter, "v") != 0 || page->view->body == view_flame;
}

void page_link(struct view_page *page, const char *name, const char *view,
               const struct web_change *changes, size_t count) {
  struct web_change all[LINK_CHANGES];
  size_t n = 0;
  for (; n < count && n < LINK_CHANGES; n++) all[n] = changes[n];
  bool other = strcmp(view, page->view->path) != 0;
  for (size_t i = 0; i < sizeof of_one_view / sizeof *of_one_view; i++) {
    bool changed = !other && link_keeps(page, of_one_view[i]);
    for (size_t k = 0; k < count; k++) changed |= strcmp(changes[k].name, of_one_view[i]) == 0;
    if (!changed && n < LINK_CHANGES) all[n++] = (struct web_change){of_one_view[i], STR("")};
  }
  web_query_link(fill_text(&page->fill, name), page->in->query, view, all, n);
}

void page_change_link(struct view_page *page, const char *parameter, pprofc_str value) {
  const struct web_change change = {parameter, value};
  page_link(page, "address", page->view->path, &change, 1);
}

void page_name_link(struct view_page *page, const char *view, pprofc_str name, pprofc_str shown) {
  const struct web_change change = {"sel", name};
  page_link(page, "address", view, &change, 1);
  fill_str(&page->fill, "name", shown);
}

void page_cut(struct view_page *page, size_t shown, size_t count) {
  if (shown >= count) return;
  fill_number(&page->fill, "shown", (int64_t)shown);
  fill_number(&page->fill, "count", (int64_t)count);
}

void page_more(struct view_page *page, size_t shown, size_t count) {
  if (shown >= count) return;
  fill_begin(&page->fill, "more");
  page_cut(page, shown, count);
  page_change_link(page, "rows", STR("all"));
  fill_end(&page->fill);
}

void document_hidden_fields(struct view_page *page, const char *list, const char *const *without) {
  for (size_t i = 0; i < page->in->query->count; i++) {
    const struct web_parameter *p = &page->in->query->items[i];
    bool skipped = !link_keeps(page, p->name);
    for (size_t k = 0; without[k]; k++) skipped |= strcmp(p->name, without[k]) == 0;
    if (skipped) continue;
    fill_begin(&page->fill, list);
    fill_words(&page->fill, "name", p->name);
    fill_words(&page->fill, "value", p->value);
    fill_end(&page->fill);
  }
}

const char *page_option(struct view_page *page, const pprofc_report_options *options,
                        const char *name) {
  size_t size;
  if (pprofc_report_options_get(options, name, NULL, 0, &size, NULL)) return NULL;
  char *text = arena_array(&page->arena, size + 1, 1);
  if (text)
    pprofc_report_options_get(options, name, text, size + 1, NULL, NULL);
  else
    page->failed = true;
  return text;
}
