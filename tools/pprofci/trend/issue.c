/* Writes the text of an issue about benchmarks that recently got worse. */
#include "trend/trend.h"

#include "page/page.h"
#include "store/times.h"

#define ISSUE_ROWS 100 /* maximum number of rows, because hosts limit an issue to 65536 bytes */

/* Appends "[0123456789ab](URL) 2027-01-31 10:00, [page](URL)". */
static void issue_put_commit(struct buffer *out, const struct past_run *run,
                             const struct trend_query *query) {
  pprofc_str commit = run->place.commit, shown = str_slice(commit, 0, 12);
  if (*query->commit_url) buffer_add_char(out, '[');
  md_name(out, shown);
  if (*query->commit_url) {
    buffer_add_text(out, "](");
    trend_put_url(out, query->commit_url, commit);
    buffer_add_char(out, ')');
  }
  buffer_add_char(out, ' ');
  times_put(out, run->place.time);
  if (!*query->page_url) return;
  buffer_add_text(out, ", [page](");
  trend_put_url(out, query->page_url, commit);
  buffer_add_char(out, ')');
}

static void issue_put_row(struct buffer *out, const struct trend_view *trend,
                          const struct trend_query *query, const struct trend_change *change,
                          bool again) {
  const struct trend_series *series = &trend->series[change->series];
  struct buffer text;
  buffer_add_text(out, "| ");
  if (!again) issue_put_commit(out, trend_run(trend, series, change->step.index), query);
  buffer_add_text(out, " | **");
  trend_put_size(out, trend, change);
  buffer_add_text(out, "** (");
  trend_put_interval(out, trend, change);
  buffer_add_text(out, ") | ");
  trend_put_value(out, change->step.before, series->name.unit);
  buffer_add_text(out, " \xE2\x86\x92 ");
  trend_put_value(out, change->step.after, series->name.unit);
  buffer_add_text(out, " | ");
  buffer_init(&text, out->mem, SIZE_MAX / 2);
  trend_put_name(&text, series);
  md_name(out, buffer_str(&text));
  buffer_clear(&text);
  trend_put_notes(&text, trend, change);
  if (text.size) buffer_printf(out, " (%.*s)", STR_ARG(buffer_str(&text)));
  out->failed |= text.failed;
  buffer_free(&text);
  buffer_add_text(out, " |\n");
}

/* Appends the headline and the header of the table. */
static void issue_put_head(struct buffer *out, const struct trend_view *trend,
                           const struct trend_query *query, size_t worse) {
  buffer_printf(out, "### %zu benchmark%s got slower or larger in the last %zu runs", worse,
                worse == 1 ? "" : "s", 2 * query->steps.least);
  if (*trend->branch) {
    buffer_add_text(out, " of ");
    md_name(out, str_of(trend->branch));
  }
  buffer_add_text(out, "\n\n| first commit | change | before \xE2\x86\x92 after | series |\n"
                       "|---|--:|--:|---|\n");
}

void trend_print_issue(struct buffer *out, const struct trend_view *trend,
                       const struct trend_query *query) {
  size_t worse = 0, shown = 0;
  for (size_t i = 0; i < trend->change_count; i++)
    worse += trend_is_recent(trend, query, &trend->changes[i]);
  if (!trend_got_worse(trend, query)) return;
  struct trend_row *rows = trend_rows(trend, out);
  if (!rows) return;
  issue_put_head(out, trend, query, worse);
  uint32_t last = UINT32_MAX;
  for (size_t i = 0; i < trend->change_count && shown < ISSUE_ROWS; i++) {
    const struct trend_change *change = &trend->changes[rows[i].change];
    if (!trend_is_recent(trend, query, change)) continue;
    issue_put_row(out, trend, query, change, rows[i].run == last);
    last = rows[i].run;
    shown++;
  }
  if (shown < worse) buffer_printf(out, "\n%zu more are not shown.\n", worse - shown);
  mem_free(out->mem, rows, trend->change_count, sizeof *rows);
}
