/* The view Flame: the place where the viewer draws, and a table of functions for browsers
 * without script. */
#include "web/views/page.h"

/* Changes of the query that make the data the same for any selection and table. */
const struct web_change *view_flame_data(size_t *count) {
  static const struct web_change changes[] = {
      {"p", {"", 0}},    {"sel", {"", 0}},  {"v", {"", 0}},   {"side", {"", 0}},
      {"sort", {"", 0}}, {"rows", {"", 0}}, {"only", {"", 0}}};
  *count = sizeof changes / sizeof *changes;
  return changes;
}

/* Above this number of samples the table is loaded after the picture. */
#define TABLE_SAMPLES 20000

/* True if the table can load later: no other part of the page needs it, and making it takes
 * time. */
static bool flame_table_waits(const struct view_page *page) {
  static const char *const needed_by[] = {"rows", "only", "sel", "p"};
  for (size_t i = 0; i < sizeof needed_by / sizeof *needed_by; i++)
    if (*page_parameter(page, needed_by[i])) return false;
  return page->in->profile->samples.count >= TABLE_SAMPLES;
}

/* Writes the place of the table, which the script fills after the picture, and a link for
 * browsers without script. */
static pprofc_status flame_table_place(struct view_page *page, struct output *out,
                                       pprofc_error *error) {
  static const struct web_change rows = {"rows", {"first", 5}};
  static const struct pipeline_overrides overrides = {
      .granularity = "functions", .all_nodes = true, .aggregates = true};
  struct view_report v;
  pprofc_status status = view_report_open(&v, page, page->in->profile, &overrides, error);
  if (!status) {
    page_note_report(page, &v);
    output_add_text(out, "<p class=more><a id=later");
    page_link(out, page, page->view->path, &rows, 1);
    output_add_text(out, ">Show the functions as a table</a></p>\n");
  }
  view_report_close(&v);
  return status;
}

static void flame_box(const struct view_page *page, struct output *out) {
  const struct web_info *info = page->in->info;
  size_t count;
  const struct web_change *changes = view_flame_data(&count);
  output_add_text(out, "<div id=flame data-src=\"");
  web_query_link(out, page->in->query, FLAME_DATA.data, changes, count);
  output_add_char(out, '"');
  if (info->flame_js) html_attribute(out, "data-script", str_of(info->flame_js));
  if (info->flame_css) html_attribute(out, "data-style", str_of(info->flame_css));
  html_attribute(out, "data-sel", page->selected.function);
  html_attribute(out, "data-pivot", str_of(page_parameter(page, "p")));
  output_add_text(out, "></div>\n");
}

void view_flame_preload(const struct view_page *page, struct output *out) {
  const struct web_info *info = page->in->info;
  const char *const files[][2] = {{"script", info->flame_js}, {"style", info->flame_css}};
  size_t count;
  const struct web_change *changes = view_flame_data(&count);
  if (page->view->body != view_flame || !page->totals.known) return;
  output_add_text(out, "<link rel=preload as=fetch crossorigin href=\"");
  web_query_link(out, page->in->query, FLAME_DATA.data, changes, count);
  output_add_text(out, "\">\n");
  for (size_t i = 0; i < 2; i++) {
    if (!files[i][1]) continue;
    output_printf(out, "<link rel=preload as=%s", files[i][0]);
    html_attribute(out, "href", str_of(files[i][1]));
    output_add_text(out, ">\n");
  }
}

pprofc_status view_flame(struct view_page *page, struct output *out, pprofc_error *error) {
  flame_box(page, out);
  output_add_text(out, "<section id=functions aria-label=Functions>\n<h2>Functions</h2>\n");
  page->options.granularity = "functions";
  page->options.nodefraction = page->options.edgefraction = 0;
  pprofc_status status =
      flame_table_waits(page) ? flame_table_place(page, out, error) : view_top(page, out, error);
  page->totals.has_shown = false; /* the picture shows all functions */
  output_add_text(out, "</section>\n");
  page->options.granularity = page->in->options->granularity;
  page->options.nodefraction = page->in->options->nodefraction;
  page->options.edgefraction = page->in->options->edgefraction;
  page->options.nodecount = page->in->options->nodecount;
  return status;
}
