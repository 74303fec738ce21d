/* The view Top: the rows of -top as a table; in a difference with base, head and change, and with
 * links that keep only what grew, shrank, is new or is gone. */
#include "web/views/page.h"

#include <stdlib.h>

/* As many rows as pprof's page has. */
#define TOP_ROWS 500

struct top_table {
  struct view_page *page;
  struct view_report report;
  struct view_rows rows;
  struct output *out;
  bool diff, by_cum;
  bool judged;      /* there are verdicts */
  const char *only; /* "grew", "shrank", "new", "gone", "significant" or "" */
  int64_t running;
};

/* ---- cells ------------------------------------------- */

/* A number that the script sorts by, since the text of the cell is rounded. */
static void top_sorted_cell(struct top_table *t, int64_t value, bool change) {
  output_printf(t->out, "<td data-sort=\"%lld\">", (long long)value);
  if (change)
    html_report_change(t->out, &t->report.report, value);
  else
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

static void top_plain_row(struct top_table *t, const struct view_row *row) {
  t->running = sum_add(t->running, row->flat);
  top_sorted_cell(t, row->flat, false);
  top_share_cell(t, row->flat);
  top_share_cell(t, t->running);
  top_sorted_cell(t, row->cum, false);
  top_share_cell(t, row->cum);
}

static void top_change_cell(struct top_table *t, int64_t base, int64_t head, const char *status) {
  static const struct {
    const char *status, *sign;
  } signs[] = {
      {"grew", "\xE2\x96\xB2"}, {"shrank", "\xE2\x96\xBC"}, {"new", "+"}, {"gone", "\xE2\x88\x92"}};
  const char *sign = "";
  for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
    if (strcmp(signs[i].status, status) == 0) sign = signs[i].sign;
  double share = base ? ((double)head - (double)base) / (double)base * 1e4 : 1e9;
  output_printf(
      t->out,
      "<td class=\"share %s\" data-sort=\"%lld\"><span class=sign aria-hidden=true>%s</span> ",
      status, (long long)number_from_double(share), sign);
  if (strcmp(status, "new") == 0 || strcmp(status, "gone") == 0)
    output_add_text(t->out, status);
  else
    html_relative(t->out, base, head);
  output_add_text(t->out, "</td>");
}

static void top_diff_row(struct top_table *t, const struct view_row *row) {
  bool cum = t->by_cum;
  int64_t base = cum ? row->base_cum : row->base_flat;
  int64_t head = cum ? row->head_cum : row->head_flat;
  top_sorted_cell(t, base, false);
  top_sorted_cell(t, head, false);
  output_printf(t->out, "<td class=\"change %s\" data-sort=\"%lld\">", view_row_status(row, cum),
                (long long)(cum ? row->cum : row->flat));
  html_report_change(t->out, &t->report.report, cum ? row->cum : row->flat);
  output_add_text(t->out, "</td>");
  top_change_cell(t, base, head, view_row_status(row, cum));
  if (t->judged) page_verdict_cells(t->out, t->page, row->verdict, cum);
  top_sorted_cell(t, cum ? row->flat : row->cum, true);
  top_share_cell(t, row->cum);
}

/* Whether the row belongs to what `only` asks for. */
static bool top_is_wanted(const struct top_table *t, const struct view_row *row, const char *only) {
  if (!*only) return true;
  if (strcmp(only, "significant") == 0)
    return !t->judged || judge_is_change(row->verdict, t->by_cum);
  return strcmp(view_row_status(row, t->by_cum), only) == 0;
}

static void top_row_class(struct top_table *t, const struct view_row *row) {
  pprofc_str selected = t->page->selected.function;
  bool quiet = t->judged && judge_is_quiet(row->verdict, t->by_cum);
  bool chosen = selected.size && str_equal(selected, row->function);
  if (!quiet && !chosen) return;
  output_add_text(t->out, quiet ? " class=\"quiet" : " class=\"");
  output_add_text(t->out, chosen ? " selected\"" : "\"");
}

static void top_row(struct top_table *t, const struct view_row *row) {
  const char *status = view_row_status(row, t->by_cum);
  if (!top_is_wanted(t, row, t->only)) {
    t->running = sum_add(t->running, row->flat);
    return;
  }
  output_add_text(t->out, "<tr");
  view_row_attributes(t->out, t->page, &t->report.report, row, t->diff);
  if (t->diff) output_printf(t->out, " data-status=%s", status);
  top_row_class(t, row);
  output_add_char(t->out, '>');
  if (t->diff)
    top_diff_row(t, row);
  else
    top_plain_row(t, row);
  top_name_cell(t, row);
  output_add_text(t->out, "</tr>\n");
}

/* ---- the head of the table --------------------------- */

struct top_column {
  const char *words, *title;
  const char *sort; /* of the address, "" when only the script sorts by it */
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

/* Those that are there only with verdicts. */
static bool top_is_verdict(const struct top_column *column) {
  return strcmp(column->words, "Verdict") == 0 || strcmp(column->words, "\xC2\xB1") == 0;
}

#define TOP_VERDICT_COLUMNS                                                                        \
  {"\xC2\xB1", "the judged change and half of its 95 % interval, of the total", ""}, {             \
    "Verdict", "whether the change is more than noise", ""                                         \
  }

static const struct top_column top_plain_columns[] = {
    {"Self", "flat: cost of the function itself", "flat"},
    {"Self %", "self, of the total", ""},
    {"Sum %", "self of this row and of those above", ""},
    {"Total", "cum: cost of the function and of what it calls", "cum"},
    {"Total %", "total, of the total", ""},
    {"Function", "a link shows callers and callees", ""},
};

static const struct top_column top_flat_columns[] = {
    {"Base", "self in the base", ""},
    {"Head", "self in the head", ""},
    {"\xCE\x94 self", "change of self", "flat"},
    {"\xCE\x94 %", "change of self, of self in the base", ""},
    TOP_VERDICT_COLUMNS,
    {"\xCE\x94 total", "change of the function and of what it calls", "cum"},
    {"of base", "change of the total, of the total of the base", ""},
    {"Function", "a link shows callers and callees", ""},
};

static const struct top_column top_cum_columns[] = {
    {"Base", "total in the base", ""},
    {"Head", "total in the head", ""},
    {"\xCE\x94 total", "change of the function and of what it calls", "cum"},
    {"\xCE\x94 %", "change of the total, of the total in the base", ""},
    TOP_VERDICT_COLUMNS,
    {"\xCE\x94 self", "change of self", "flat"},
    {"of base", "change of the total, of the total of the base", ""},
    {"Function", "a link shows callers and callees", ""},
};

static void top_head(struct top_table *t) {
  const struct top_column *columns = top_plain_columns;
  size_t count = sizeof top_plain_columns / sizeof *top_plain_columns;
  if (t->diff) {
    columns = t->by_cum ? top_cum_columns : top_flat_columns;
    count = sizeof top_flat_columns / sizeof *top_flat_columns;
  }
  output_add_text(t->out, "<thead><tr>");
  for (size_t i = 0; i < count; i++)
    if (t->judged || !top_is_verdict(&columns[i])) top_heading(t, &columns[i]);
  output_add_text(t->out, "</tr></thead>\n");
}

/* ---- what became of it ------------------------------- */

/* How many rows a filter leaves; of what is significant all functions count, since that filter
 * leaves none out for its size. */
static size_t top_filter_count(const struct top_table *t, const char *only) {
  size_t count = 0;
  if (strcmp(only, "significant") == 0 && strcmp(t->only, only) != 0)
    return judge_changes(&t->page->judgement, t->by_cum);
  for (size_t k = 0; k < t->rows.count; k++) count += top_is_wanted(t, &t->rows.items[k], only);
  return count;
}

static void top_filters(struct top_table *t) {
  static const char *const words[][2] = {
      {"", "all"},      {"grew", "\xE2\x96\xB2 grew"}, {"shrank", "\xE2\x96\xBC shrank"},
      {"new", "+ new"}, {"gone", "\xE2\x88\x92 gone"}, {"significant", "significant"}};
  const size_t filters = sizeof words / sizeof *words;
  output_add_text(t->out, "<nav class=filters aria-label=\"What became of a function\">");
  for (size_t i = 0; i < filters - !t->judged; i++) {
    const struct web_change change = {"only", str_of(words[i][0])};
    output_add_text(t->out, "<a");
    page_link(t->out, t->page, t->page->view->path, &change, 1);
    output_printf(t->out, "%s>%s <small>%zu</small></a>",
                  strcmp(t->only, words[i][0]) == 0 ? " aria-current=true" : "", words[i][1],
                  top_filter_count(t, words[i][0]));
  }
  output_add_text(t->out, "</nav>\n");
  page_verdict_note(t->out, t->page);
}

static void top_foot(struct top_table *t) {
  const struct view_totals *totals = &t->page->totals;
  const struct web_change all = {"rows", STR("all")};
  if (totals->nodes >= totals->nodes_before) return;
  output_printf(t->out, "<p class=more>%zu of %zu rows. <a", totals->nodes, totals->nodes_before);
  page_link(t->out, t->page, t->page->view->path, &all, 1);
  output_add_text(t->out, ">Show all</a></p>\n");
}

static void top_print(struct top_table *t) {
  if (t->diff) top_filters(t);
  const char *kind = t->diff ? " diff" : "";
  if (t->judged) kind = " diff judged";
  output_printf(t->out, "<div class=scroll><table id=top class=\"rows%s\" data-whole=\"%lld\">\n",
                kind, (long long)t->report.report.result.total);
  top_head(t);
  output_add_text(t->out, "<tbody>\n");
  for (size_t i = 0; i < t->rows.count; i++) top_row(t, &t->rows.items[i]);
  output_add_text(t->out, "</tbody></table></div>\n");
  if (!t->rows.count) output_add_text(t->out, "<p class=empty>There are no samples to show.</p>\n");
  top_foot(t);
}

static pprofc_status top_make(struct top_table *t, pprofc_error *error) {
  struct view_page *page = t->page;
  bool significant = t->diff && strcmp(t->only, "significant") == 0;
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
                        .diff = page_is_diff(page),
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
