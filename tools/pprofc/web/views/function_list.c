/* Lists the functions with the largest cost. A click shows the function in the view. The views
 * Source and Disassembly show this list if the user searches for nothing. */
#include "web/views/page.h"

pprofc_status page_function_list(struct view_page *page, struct buffer *out, pprofc_error *error) {
  static const struct pipeline_overrides overrides = {
      .granularity = "functions", .all_nodes = true, .aggregates = true};
  struct view_report v;
  struct view_rows rows;
  const pprofc_report_options given = page->options;
  page->options.nodecount = LISTED_FUNCTIONS;
  page->options.nodefraction = 0; /* A self cost can be large although the total is small. */
  pprofc_status status = view_rows_open(&rows, &v, page, &overrides, 0, error);
  if (!status) {
    page_note_report(page, &v);
    fill_number(&page->fill, "listed", (int64_t)rows.count);
    for (size_t i = 0; i < rows.count; i++) {
      fill_begin(&page->fill, "functions");
      view_row_fill(page, &v.report, &rows.items[i]);
      page_name_link(page, page->view->path, rows.items[i].function, rows.items[i].name);
      fill_end(&page->fill);
    }
    page_put(page, out, "function-list");
  }
  page->options = given;
  view_report_close(&v);
  return status;
}

pprofc_status page_select_function(struct view_page *page, pprofc_error *error) {
  static const struct pipeline_overrides overrides = {
      .granularity = "functions", .no_trim = true, .aggregates = true};
  struct view_report v;
  struct view_rows rows;
  pprofc_status status = view_rows_open(&rows, &v, page, &overrides, 0, error);
  view_report_close(&v);
  return status;
}
