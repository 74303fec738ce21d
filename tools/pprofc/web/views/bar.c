/* The bar: name of the profile, links to the views, Base | Head | Diff, sample types, the
 * search field, menus. */
#include "web/views/page.h"

static void bar_brand(const struct view_page *page, struct output *out) {
  const struct web_info *info = page->in->info;
  const char *name = page->in->side == WEB_BASE ? info->base_name : info->head_name;
  output_add_text(out, "<a class=brand");
  html_attribute(out, "href", str_of(page->view->path));
  output_add_text(out, " title=\"");
  html_put(out, name ? name : "profile");
  if (page_is_diff(page)) {
    output_add_text(out, " compared with ");
    html_put(out, info->base_name ? info->base_name : "the base");
  }
  output_add_text(out, ": this view without filters\">");
  html_put(out, name ? name : "profile");
  output_add_text(out, "</a>\n");
}

static void bar_views(const struct view_page *page, struct output *out) {
  const struct web_view *view;
  output_add_text(out, "<nav id=views aria-label=Views>");
  for (size_t i = 0; (view = web_view_at(i)); i++) {
    output_add_text(out, "<a");
    page_link(out, page, view->path, NULL, 0);
    output_printf(out, " data-view=\"%s\" title=\"%s (key %c)\"%s>%s</a>", view->path, view->about,
                  view->key, view == page->view ? " aria-current=page" : "", view->title);
  }
  output_add_text(out, "</nav>\n");
}

static void bar_sides(const struct view_page *page, struct output *out) {
  static const struct {
    const char *name, *title;
    enum web_side side;
  } sides[] = {{"base", "Base", WEB_BASE}, {"head", "Head", WEB_HEAD}, {"diff", "Diff", WEB_DIFF}};
  if (!page->in->base) return;
  output_add_text(out, "<nav id=sides aria-label=\"Base, head or difference\">");
  for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
    const struct web_change change = {"side",
                                      sides[i].side == WEB_DIFF ? STR("") : str_of(sides[i].name)};
    output_add_text(out, "<a");
    page_link(out, page, page->view->path, &change, 1);
    output_printf(out, " data-side=\"%s\"%s>%s</a>", sides[i].name,
                  sides[i].side == page->in->side ? " aria-current=true" : "", sides[i].title);
  }
  output_add_text(out, "</nav>\n");
}

static void bar_types(const struct view_page *page, struct output *out) {
  const pprofc_profile *p = page->in->profile;
  size_t current;
  if (!p || p->type_count < 2) return;
  if (!page_type(page, &current)) current = SIZE_MAX;
  output_add_text(out, "<details class=menu id=types><summary title=\"Sample type\">");
  html_name(out, current < p->type_count ? profile_string(p, p->types[current].type) : STR("type"));
  output_add_text(out, "</summary><ul>");
  for (size_t i = 0; i < p->type_count; i++) {
    const struct web_change change = {"si", profile_string(p, p->types[i].type)};
    output_add_text(out, "<li><a");
    page_link(out, page, page->view->path, &change, 1);
    output_add_text(out, i == current ? " aria-current=true>" : ">");
    html_name(out, change.value);
    output_add_text(out, "</a></li>");
  }
  output_add_text(out, "</ul></details>\n");
}

static void bar_search(const struct view_page *page, struct output *out) {
  static const char *const own[] = {"f", "p", "v", NULL};
  output_add_text(out, "<form id=search method=get role=search");
  html_attribute(out, "action", str_of(page->view->path));
  output_add_text(out, "><input type=search name=f autocomplete=off spellcheck=false "
                       "placeholder=\"focus on ... ( / )\" aria-label=\"Focus on functions that "
                       "match an expression\" aria-describedby=matches");
  html_attribute(out, "value", str_of(page->options.focus));
  output_add_text(out, "><span id=matches role=status></span>");
  document_hidden_fields(page, out, own);
  output_add_text(out, "</form>\n");
}

void document_bar(const struct view_page *page, struct output *out) {
  output_add_text(out, "<header id=bar>\n");
  bar_brand(page, out);
  bar_views(page, out);
  bar_sides(page, out);
  bar_types(page, out);
  bar_search(page, out);
  document_options_menu(page, out);
  document_more_menu(page, out);
  output_add_text(out, "</header>\n");
}
