/* The view Top: the rows of -top as a table; in a difference with base, head and change, and
 * with links that show only functions that grew, shrank, are new or are gone. */
#include "web/views/page.h"

#include <stdlib.h>

/* Number of rows, as in pprof. */
#define TOP_ROWS 500

struct top_table {
  struct view_page *page;
  struct view_report report;
  struct view_rows rows;
  struct output *out;
  bool by_cum;
  bool judged;      /* true if there are verdicts */
  const char *only; /* "grew", "shrank", "new", "gone", "significant" or "" */
  int64_t running;
};

/* ---- cells ------------------------------------------- */

/* Writes a cell with the exact number for sorting by the script, because its text is rounded. */
static void top_sorted_cell(struct top_table *t, int64_t value) {
  output_printf(t->out, "<td data-sort=\"%lld\">", (long long)value);
  html_report_value(t->out, &t->report.report, value);
  output_add_text(t->out, "</td>");
}

static void top_share_cell(struct top_table *t, int64_t value) {
  output_add_text(t->out, "<td class=share>");
  html_share(t->out, value, t->report.report.result.total);
  output_add_text(t->out, "</td>");
}

static void top_name_cell(struct top_table *t, const struct view_row *row) {
  static const char *const marks[] = {"", " (inline)", " (partial-inline)"};
  output_add_text(t->out, "<td class=name>");
  page_name_link(t->out, t->page, "peek", row->function, row->name);
  output_printf(t->out, "<span class=mark>%s</span></td>", marks[row->inlined]);
}

/* ---- rows -------------------------------------------- */

/* True if the row passes the filter `only`. */
static bool top_is_wanted(const struct top_table *t, const struct view_row *row, const char *only) {
  if (!*only) return true;
  if (strcmp(only, "significant") == 0)
    return !t->judged || judge_is_change(row->verdict, t->by_cum);
  return strcmp(page_status(row, t->by_cum), only) == 0;
}

static void top_plain_row(struct top_table *t, const struct view_row *row) {
  pprofc_str selected = t->page->selected.function;
  output_add_text(t->out, "<tr");
  view_row_attributes(t->out, t->page, &t->report.report, row);
  bool chosen = selected.size && str_equal(selected, row->function);
  output_add_text(t->out, chosen ? " class=selected>" : ">");
  t->running = sum_add(t->running, row->flat);
  top_sorted_cell(t, row->flat);
  top_share_cell(t, row->flat);
  top_share_cell(t, t->running);
  top_sorted_cell(t, row->cum);
  top_share_cell(t, row->cum);
  top_name_cell(t, row);
  output_add_text(t->out, "</tr>\n");
}

/* ---- the head of the table --------------------------- */

struct top_column {
  const char *words, *title;
  const char *sort; /* parameter of the URL, "" if only the script sorts by it */
};

static void top_heading(struct top_table *t, const struct top_column *column) {
  bool sorted = *column->sort && (strcmp(column->sort, "cum") == 0) == t->by_cum;
  output_printf(t->out, "<th scope=col%s title=\"%s\">", sorted ? " aria-sort=descending" : "",
                column->title);
  if (*column->sort) {
    const struct web_change change = {"sort", str_of(column->sort)};
    output_add_text(t->out, "<a");
    page_link(t->out, t->page, t->page->view->path, &change, 1);
    output_printf(t->out, ">%s</a></th>", column->words);
  } else {
    output_printf(t->out, "<span>%s</span></th>", column->words);
  }
}

static const struct top_column top_plain_columns[] = {
    {"Self", "self (flat): cost of the function without callees", "flat"},
    {"Self %", "self, of the total", ""},
    {"Sum %", "self of this row and the rows above", ""},
    {"Total", "total (cum): cost of the function with callees", "cum"},
    {"Total %", "total, of the total", ""},
    {"Function", "a link shows callers and callees", ""},
};

static void top_head(struct top_table *t) {
  output_printf(t->out, "<div class=scroll><table id=top class=rows data-whole=\"%lld\">\n",
                (long long)t->report.report.result.total);
  output_add_text(t->out, "<thead><tr>");
  for (size_t i = 0; i < sizeof top_plain_columns / sizeof *top_plain_columns; i++)
    top_heading(t, &top_plain_columns[i]);
  output_add_text(t->out, "</tr></thead>\n<tbody>\n");
}

/* ---- filters of a difference ------------------------- */

/* Returns the number of rows that a filter keeps. The filter for significant changes also counts
 * functions that are hidden for their size, because it shows them. */
static size_t top_filter_count(const struct top_table *t, const char *only) {
  size_t count = 0;
  if (strcmp(only, "significant") == 0 && strcmp(t->only, only) != 0)
    return judge_changes(&t->page->judgement, t->by_cum);
  for (size_t k = 0; k < t->rows.count; k++) count += top_is_wanted(t, &t->rows.items[k], only);
  return count;
}

/* Writes links that choose between the function's own cost and the cost with callees. */
static void top_measures(struct top_table *t) {
  static const char *const words[][2] = {{"flat", "self"}, {"cum", "total"}};
  output_add_text(t->out, "<nav class=filters aria-label=\"Cost\">");
  for (size_t i = 0; i < 2; i++) {
    const struct web_change change = {"sort", str_of(words[i][0])};
    output_add_text(t->out, "<a");
    page_link(t->out, t->page, t->page->view->path, &change, 1);
    output_printf(t->out, "%s>%s</a>", t->by_cum == (i == 1) ? " aria-current=true" : "",
                  words[i][1]);
  }
  output_add_text(t->out, "</nav>\n");
}

static void top_filters(struct top_table *t) {
  static const char *const words[][2] = {
      {"", "all"},      {"grew", "\xE2\x96\xB2 grew"}, {"shrank", "\xE2\x96\xBC shrank"},
      {"new", "+ new"}, {"gone", "\xE2\x88\x92 gone"}, {"significant", "significant"}};
  const size_t filters = sizeof words / sizeof *words;
  output_add_text(t->out, "<nav class=filters aria-label=\"Direction of the change\">");
  for (size_t i = 0; i < filters - !t->judged; i++) {
    const struct web_change change = {"only", str_of(words[i][0])};
    output_add_text(t->out, "<a");
    page_link(t->out, t->page, t->page->view->path, &change, 1);
    output_printf(t->out, "%s>%s <small>%zu</small></a>",
                  strcmp(t->only, words[i][0]) == 0 ? " aria-current=true" : "", words[i][1],
                  top_filter_count(t, words[i][0]));
  }
  output_add_text(t->out, "</nav>\n");
}

static void top_foot(struct top_table *t) {
  const struct view_totals *totals = &t->page->totals;
  const struct web_change all = {"rows", STR("all")};
  if (totals->nodes >= totals->nodes_before) return;
  output_printf(t->out, "<p class=more>%zu of %zu rows. <a", totals->nodes, totals->nodes_before);
  page_link(t->out, t->page, t->page->view->path, &all, 1);
  output_add_text(t->out, ">Show all</a></p>\n");
}

static void top_print_difference(struct top_table *t) {
  page_sentence(t->out, t->page);
  output_add_text(t->out, "<div class=choices>");
  top_measures(t);
  top_filters(t);
  output_add_text(t->out, "</div>\n");
  page_difference_open(t->out, t->page, " id=top");
  for (size_t i = 0; i < t->rows.count; i++)
    if (top_is_wanted(t, &t->rows.items[i], t->only))
      page_difference_row(t->out, t->page, &t->rows.items[i], t->by_cum);
  page_difference_close(t->out, false);
}

static void top_print_plain(struct top_table *t) {
  top_head(t);
  for (size_t i = 0; i < t->rows.count; i++) top_plain_row(t, &t->rows.items[i]);
  output_add_text(t->out, "</tbody></table></div>\n");
}

static void top_print(struct top_table *t) {
  if (page_is_diff(t->page))
    top_print_difference(t);
  else
    top_print_plain(t);
  if (!t->rows.count) output_add_text(t->out, "<p class=empty>There are no samples to show.</p>\n");
  top_foot(t);
}

static pprofc_status top_make(struct top_table *t, pprofc_error *error) {
  struct view_page *page = t->page;
  bool significant = page_is_diff(page) && strcmp(t->only, "significant") == 0;
  bool all = significant || strcmp(page_parameter(page, "rows"), "all") == 0;
  const struct pipeline_overrides overrides = {
      .all_nodes = true, .aggregates = true, .no_trim = significant};
  page->options.nodecount = all ? 0 : TOP_ROWS;
  pprofc_status status = view_report_open(&t->report, page, page->in->profile, &overrides, error);
  if (!status) status = view_report_graph(&t->report, PIPELINE_INLINE_MARKS, error);
  if (!status) status = view_rows_make(&t->rows, page, &t->report, error);
  return status;
}

pprofc_status view_top(struct view_page *page, struct output *out, pprofc_error *error) {
  struct top_table t = {.page = page,
                        .out = out,
                        .only = page_parameter(page, "only"),
                        .by_cum = page->options.sort && strcmp(page->options.sort, "cum") == 0};
  pprofc_status status = top_make(&t, error);
  if (!status) {
    t.judged = page->judgement.verdicts != NULL;
    page_note_report(page, &t.report);
    view_rows_select(&t.rows, page);
    top_print(&t);
  }
  view_report_close(&t.report);
  return status;
}
