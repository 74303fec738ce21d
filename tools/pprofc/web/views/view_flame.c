/* The view Flame: the place where the viewer draws, and the functions as a table for a browser
 * without script. */
#include "web/views/page.h"

/* The data are the same whatever is selected or shown in the table. */
const struct web_change *view_flame_data(size_t *count) {
  static const struct web_change changes[] = {
      {"p", {"", 0}},    {"sel", {"", 0}},  {"v", {"", 0}},   {"side", {"", 0}},
      {"sort", {"", 0}}, {"rows", {"", 0}}, {"only", {"", 0}}};
  *count = sizeof changes / sizeof *changes;
  return changes;
}

pprofc_status view_flame(struct view_page *page, struct output *out, pprofc_error *error) {
  size_t count;
  const struct web_change *changes = view_flame_data(&count);
  output_add_text(out, "<div id=flame data-src=\"");
  web_query_link(out, page->in->query, FLAME_DATA.data, changes, count);
  output_add_char(out, '"');
  if (page->in->info->flame_js)
    html_attribute(out, "data-script", str_of(page->in->info->flame_js));
  if (page->in->info->flame_css)
    html_attribute(out, "data-style", str_of(page->in->info->flame_css));
  html_attribute(out, "data-sel", page->selected.function);
  html_attribute(out, "data-pivot", str_of(page_parameter(page, "p")));
  output_add_text(out,
                  "></div>\n<section id=functions aria-label=Functions>\n<h2>Functions</h2>\n");
  page->options.granularity = "functions";
  page->options.nodefraction = page->options.edgefraction = 0;
  pprofc_status status = view_top(page, out, error);
  page->totals.has_shown = false; /* the picture shows everything */
  output_add_text(out, "</section>\n");
  page->options.granularity = page->in->options->granularity;
  page->options.nodefraction = page->in->options->nodefraction;
  page->options.edgefraction = page->in->options->edgefraction;
  page->options.nodecount = page->in->options->nodecount;
  return status;
}
