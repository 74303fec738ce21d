/* URLs of the views. Each keeps filters and selection, and is relative, so that a proxy may
 * serve any path. */
#include "web/views/page.h"

/* Parameters of a single view, which links to other views drop. */
static const char *const of_one_view[] = {"rows", "only", "p", "v"};

#define LINK_CHANGES 16

void page_link(struct output *out, const struct view_page *page, const char *view,
               const struct web_change *changes, size_t count) {
  struct web_change all[LINK_CHANGES];
  size_t n = 0;
  for (; n < count && n < LINK_CHANGES; n++) all[n] = changes[n];
  bool other = strcmp(view, page->view->path) != 0;
  for (size_t i = 0; other && i < sizeof of_one_view / sizeof *of_one_view; i++) {
    bool changed = false;
    for (size_t k = 0; k < count; k++) changed |= strcmp(changes[k].name, of_one_view[i]) == 0;
    if (!changed && n < LINK_CHANGES) all[n++] = (struct web_change){of_one_view[i], STR("")};
  }
  output_add_text(out, " href=\"");
  web_query_link(out, page->in->query, view, all, n);
  output_add_char(out, '"');
}

void page_name_link(struct output *out, const struct view_page *page, const char *view,
                    pprofc_str name, pprofc_str shown) {
  struct buffer expression;
  buffer_init(&expression, page->mem, (size_t)4 << 20);
  html_exact_expression(&expression, name);
  const struct web_change changes[] = {{"f", buffer_str(&expression)}, {"sel", name}};
  output_add_text(out, "<a class=name");
  page_link(out, page, view, changes, expression.failed ? 0 : 2);
  output_add_char(out, '>');
  html_name(out, shown);
  output_add_text(out, "</a>");
  buffer_free(&expression);
}

void document_hidden_fields(const struct view_page *page, struct output *out,
                            const char *const *without) {
  for (size_t i = 0; i < web_query_count(page->in->query); i++) {
    const char *name, *value;
    web_query_at(page->in->query, i, &name, &value);
    bool skipped = !*value;
    for (size_t k = 0; without[k]; k++) skipped |= strcmp(name, without[k]) == 0;
    if (skipped) continue;
    output_add_text(out, "<input type=hidden");
    html_attribute(out, "name", str_of(name));
    html_attribute(out, "value", str_of(value));
    output_add_char(out, '>');
  }
}
