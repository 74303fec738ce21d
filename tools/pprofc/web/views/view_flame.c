/* Creates the view Flame. It has an element in which the script draws the flame graph, and a table
 * of functions for browsers without a script. */
#include "web/views/page.h"

#include <inttypes.h>

/* Returns changes that remove parameters without effect on the flame graph's data, such as the
 * selection. Pages that differ only in these parameters then request the same URL. */
const struct web_change *view_flame_data(size_t *count) {
  static const struct web_change changes[] = {
      {"p", {"", 0}},    {"sel", {"", 0}},  {"v", {"", 0}},  {"side", {"", 0}}, {"sort", {"", 0}},
      {"rows", {"", 0}}, {"only", {"", 0}}, {"t0", {"", 0}}, {"t1", {"", 0}}};
  *count = sizeof changes / sizeof *changes;
  return changes;
}

/* If a profile has at least this number of samples, the page loads its table after the picture. */
#define TABLE_SAMPLES 20000

/* True if the page loads its table later: the profile has many samples, and no parameter of the URL
 * needs the table. */
static bool flame_table_waits(const struct view_page *page) {
  static const char *const needed_by[] = {"rows", "only", "sel", "p"};
  for (size_t i = 0; i < sizeof needed_by / sizeof *needed_by; i++)
    if (*page_parameter(page, needed_by[i])) return false;
  return page->in->profile->samples.count >= TABLE_SAMPLES;
}

/* Writes a link to the table of functions. The script replaces the link by the table. */
static pprofc_status flame_table_link(struct view_page *page, struct buffer *out,
                                      pprofc_error *error) {
  static const struct web_change rows = {"rows", {"first", 5}};
  static const struct pipeline_overrides overrides = {
      .granularity = "functions", .all_nodes = true, .aggregates = true};
  struct view_report v;
  pprofc_status status = view_report_open(&v, page, page->in->profile, &overrides, error);
  if (!status) {
    page_note_report(page, &v);
    page_link(page, "later", page->view->path, &rows, 1);
    page_put(page, out, "later");
  }
  view_report_close(&v);
  return status;
}

/* Sets the unfiltered totals of the displayed time range, which the script cannot compute. */
static void flame_fill_totals(struct view_page *page) {
  const pprofc_profile *p = page->in->profile;
  if (!*page_parameter(page, "t0") && !*page_parameter(page, "t1")) return;
  int64_t *sums = arena_zero_array(&page->arena, 2 * p->type_count, sizeof *sums);
  page->failed |= !sums;
  if (!sums) return;
  value_add_sides(p, sums);
  struct buffer *text = fill_text(&page->fill, "data-totals");
  for (size_t i = 0; i < p->type_count; i++)
    buffer_printf(text, "%s%" PRId64, i ? "," : "", sums[i]);
}

pprofc_status view_flame(struct view_page *page, struct buffer *out, pprofc_error *error) {
  const struct web_info *info = page->in->info;
  size_t count;
  const struct web_change *changes = view_flame_data(&count);
  web_query_link(fill_text(&page->fill, "data-src"), page->in->query, FLAME_DATA.data, changes,
                 count);
  fill_words(&page->fill, "data-script", info->flame_js ? info->flame_js : "");
  fill_words(&page->fill, "data-style", info->flame_css ? info->flame_css : "");
  flame_fill_totals(page);
  fill_str(&page->fill, "data-sel", page->selected.function);
  fill_words(&page->fill, "data-pivot", page_parameter(page, "p"));
  page_put(page, out, "flamegraph");
  page->options.mean = false; /* the picture shows sums */
  const pprofc_report_options given = page->options;
  page->options.granularity = "functions";
  page->options.nodefraction = page->options.edgefraction = 0;
  pprofc_status status =
      flame_table_waits(page) ? flame_table_link(page, out, error) : view_top(page, out, error);
  /* The picture shows all functions, unlike the table, so drop the totals of the table. Also drop
   * the unit of the table, unless the user chose it: each value of the picture has its own unit. */
  page->totals.has_shown = false;
  if (strcmp(given.unit, "minimum") == 0) page->unit = STR("");
  page_put(page, out, "functions-end");
  page->options = given;
  return status;
}
