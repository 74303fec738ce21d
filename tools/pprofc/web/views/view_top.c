/* Creates the view Top, which shows the table of -top. The table of a difference has columns for
 * base, head and change. The user can filter its rows by their change. */
#include "web/views/page.h"

struct top_table {
  struct view_page *page;
  struct view_report report;
  struct view_rows rows;
  bool by_cum;
  int most;         /* maximum number of rows; 0: no maximum */
  const char *only; /* rows to show: "grew", "shrank", "new", "gone", "significant" or "" (all) */
};

static bool top_is_wanted(const struct top_table *t, const struct view_row *row, const char *only) {
  if (!*only) return true;
  if (strcmp(only, "significant") == 0)
    return !t->page->judgement.verdicts || noise_is_change(row->verdict, t->by_cum);
  return strcmp(page_status(row, t->by_cum), only) == 0;
}

static void top_heading(struct top_table *t, const char *words, const char *title,
                        const char *sort) {
  struct fill *fill = &t->page->fill;
  fill_pack(fill, "columns:{words:s title:s", words, title);
  if (*sort) page_change_link(t->page, "sort", str_of(sort));
  if (*sort && (strcmp(sort, "cum") == 0) == t->by_cum) fill_words(fill, "aria-sort", "descending");
  fill_end(fill);
}

static void top_plain(struct top_table *t, struct buffer *out) {
  struct view_page *page = t->page;
  int64_t running = 0, total = t->report.report.result.total;
  top_heading(t, "Self", "self (flat): cost of the function without callees", "flat");
  top_heading(t, "Self %", "self, of the total", "");
  top_heading(t, "Sum %", "self of this row and the rows above", "");
  top_heading(t, "Total", "total (cum): cost of the function with callees", "cum");
  top_heading(t, "Total %", "total, of the total", "");
  top_heading(t, "Function", "a link shows callers and callees", "");
  fill_number(&page->fill, "data-whole", total);
  for (size_t i = 0; i < t->rows.count; i++) {
    const struct view_row *row = &t->rows.items[i];
    running = sum_add(running, row->flat);
    fill_begin(&page->fill, "rows");
    view_row_fill(page, &t->report.report, row);
    page_fill_share(page, "flat-share", row->flat, total);
    page_fill_share(page, "sum-share", running, total);
    page_fill_name(page, row);
    fill_end(&page->fill);
  }
  page_put(page, out, "top");
}

/* Returns the number of rows that the filter `only` accepts. */
static size_t top_filter_count(const struct top_table *t, const char *only) {
  size_t count = 0;
  for (size_t k = 0; k < t->rows.count; k++) count += top_is_wanted(t, &t->rows.items[k], only);
  return count;
}

static void top_choice(struct top_table *t, const char *list, const char *parameter,
                       const char *value, const char *words, bool current) {
  fill_begin(&t->page->fill, list);
  page_change_link(t->page, parameter, str_of(value));
  fill_words(&t->page->fill, "words", words);
  if (current) fill_words(&t->page->fill, "aria-current", "true");
  if (strcmp(parameter, "only") == 0)
    fill_number(&t->page->fill, "count", (int64_t)top_filter_count(t, value));
  fill_end(&t->page->fill);
}

static void top_difference(struct top_table *t, struct buffer *out) {
  static const char *const filters[][2] = {{"", "all"},
                                           {"grew", "\xE2\x96\xB2 grew"},
                                           {"shrank", "\xE2\x96\xBC shrank"},
                                           {"new", "+ new"},
                                           {"gone", "\xE2\x88\x92 gone"}};
  struct view_page *page = t->page;
  bool real = strcmp(t->only, "significant") == 0;
  page_sentence(page);
  top_choice(t, "measures", "sort", "flat", "self", !t->by_cum);
  top_choice(t, "measures", "sort", "cum", "total", t->by_cum);
  for (size_t i = 0; i < sizeof filters / sizeof *filters; i++)
    top_choice(t, "filters", "only", filters[i][0], filters[i][1],
               strcmp(t->only, filters[i][0]) == 0);
  if (page->judgement.verdicts) top_choice(t, "real", "only", "significant", "beyond noise", real);
  fill_words(&page->fill, "id", "top");
  page_difference_head(page);
  size_t wanted = 0;
  for (size_t i = 0; i < t->rows.count; i++)
    if (top_is_wanted(t, &t->rows.items[i], t->only)) t->rows.items[wanted++] = t->rows.items[i];
  t->rows.count = t->most && (size_t)t->most < wanted ? (size_t)t->most : wanted;
  page_set_grid(page, &t->rows);
  for (size_t i = 0; i < t->rows.count; i++)
    page_difference_row(page, &t->rows.items[i], t->by_cum);
  page_more(page, t->rows.count, wanted);
  page_put(page, out, "top-difference");
}

pprofc_status view_top(struct view_page *page, struct buffer *out, pprofc_error *error) {
  struct top_table t = {.page = page,
                        .only = page_parameter(page, "only"),
                        .by_cum = page->options.sort && strcmp(page->options.sort, "cum") == 0};
  bool all = !page->options.trim || strcmp(page_parameter(page, "rows"), "all") == 0;
  const struct pipeline_overrides overrides = {.all_nodes = true, .aggregates = true};
  t.most = all ? 0 : TOP_ROWS;
  /* A difference has a row for each verdict, so that the filters of rows find all of them. */
  bool judged = page_is_diff(page) && !noise_obstacle(&page->options);
  page->options.nodecount = judged ? 0 : t.most;
  /* Show small totals in a difference, because they may be real changes. */
  bool initial = fabs(page->options.nodefraction - 0.005) <= 0;
  if (page_is_diff(page) && initial) page->options.nodefraction = 0;
  pprofc_status status =
      view_rows_open(&t.rows, &t.report, page, &overrides, PIPELINE_INLINE_MARKS, error);
  if (!status) {
    page_note_report(page, &t.report);
    if (!t.rows.count) fill_flag(&page->fill, "empty", true);
    page->options.nodecount = t.most; /* for the copied command */
    page_more(page, page->totals.nodes, page->totals.nodes_before);
    if (page_is_diff(page))
      top_difference(&t, out);
    else
      top_plain(&t, out);
  }
  view_report_close(&t.report);
  return status;
}
