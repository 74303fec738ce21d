/* The functions with the largest cost, as a list that unfolds. Source and Disassembly show it
 * if there is no search. */
#include "web/views/page.h"

/* Number of functions, as in pprof. */
#define LISTED_FUNCTIONS 50

static void listed_function(const struct view_page *page, struct output *out,
                            const struct view_report *v, const struct view_row *row) {
  struct buffer expression;
  buffer_init(&expression, page->mem, (size_t)4 << 20);
  html_exact_expression(&expression, row->function);
  const struct web_change changes[] = {{"f", buffer_str(&expression)}, {"sel", row->function}};
  output_add_text(out, "<details class=\"routine load\"");
  view_row_attributes(out, page, &v->report, row);
  output_add_text(out, "><summary>");
  html_name(out, row->name);
  output_add_text(out, " <small>");
  html_report_value(out, &v->report, row->flat);
  output_add_text(out, " self, ");
  html_report_value(out, &v->report, row->cum);
  output_add_text(out, " total</small></summary><p class=hint><a");
  page_link(out, page, page->view->path, changes, expression.failed ? 0 : 2);
  output_add_text(out, ">Show this function</a></p></details>\n");
  buffer_free(&expression);
}

pprofc_status page_function_list(struct view_page *page, struct output *out, pprofc_error *error) {
  static const struct pipeline_overrides overrides = {
      .granularity = "functions", .all_nodes = true, .aggregates = true};
  struct view_report v;
  struct view_rows rows;
  page->options.nodecount = LISTED_FUNCTIONS;
  pprofc_status status = view_report_open(&v, page, page->in->profile, &overrides, error);
  if (!status) status = view_report_graph(&v, 0, error);
  if (!status) status = view_rows_make(&rows, page, &v, error);
  if (!status) {
    page_note_report(page, &v);
    view_rows_select(&rows, page);
    output_printf(out,
                  "<p class=hint>The %zu functions with the largest self cost. Search for a "
                  "function above, or open it here.</p>\n",
                  rows.count);
    for (size_t i = 0; i < rows.count; i++) listed_function(page, out, &v, &rows.items[i]);
  }
  page->options.nodecount = page->in->options->nodecount;
  view_report_close(&v);
  return status;
}
