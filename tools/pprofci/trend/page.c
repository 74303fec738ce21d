/* Creates the page of a trend: the changes, newest first, then a chart of each series. */
#include "trend/trend.h"

#include "core/escape.h"
#include "page/model.h"
#include "page/plot.h"
#include "store/times.h"

#include <stdlib.h>

#define PAGE_WIDTH      960 /* width of a chart in pixels */
#define PAGE_HEIGHT     160
#define PAGE_FOLDED_MAX 100 /* maximum number of charts of series without a change point */

void trend_put_url(struct buffer *out, const char *url, pprofc_str commit) {
  pprofc_str text = str_of(url);
  size_t place = str_find(text, STR("{}"));
  buffer_add_str(out, str_slice(text, 0, place));
  escape_url(out, commit, "");
  buffer_add_str(out, str_slice(text, place + 2, text.size));
}

static void page_put_change(struct fill *out, const struct trend_view *trend,
                            const struct trend_query *query, const struct trend_change *change) {
  static const char *const words[] = {"better", "other", "worse"};
  static const char *const signs[] = {"\xE2\x9C\x93 better", "changed", "\xE2\x9C\x97 worse"};
  const struct trend_series *series = &trend->series[change->series];
  const struct past_run *run = trend_run(trend, series, change->step.index);
  int worse = trend_worse(trend, change) + 1;
  fill_begin(out, "changes");
  fill_words(out, "word", words[worse]);
  fill_words(out, "sign", signs[worse]);
  trend_put_size(fill_text(out, "size"), trend, change);
  trend_put_interval(fill_text(out, "interval"), trend, change);
  trend_put_value(fill_text(out, "before"), change->step.before, series->name.unit);
  trend_put_value(fill_text(out, "after"), change->step.after, series->name.unit);
  fill_words(out, "since", change->step.drift ? "from" : "since");
  if (*query->commit_url)
    trend_put_url(fill_text(out, "commit_url"), query->commit_url, run->place.commit);
  if (*query->page_url)
    trend_put_url(fill_text(out, "page_url"), query->page_url, run->place.commit);
  fill_words(out, "data-shows", change->graph ? change->graph : "");
  fill_words(out, "graph_link", change->graph ? change->graph_link : "");
  fill_str(out, "graph_kind", change->graph_kind);
  fill_str(out, "commit", str_slice(run->place.commit, 0, 12));
  times_put(fill_text(out, "time"), run->place.time);
  trend_put_notes(fill_text(out, "notes"), trend, change);
  fill_end(out);
}

static void page_put_series(struct fill *out, const char *list, const struct trend_view *trend,
                            const struct trend_query *query, size_t place) {
  const struct trend_series *series = &trend->series[place];
  fill_begin(out, list);
  fill_number(out, "number", (int64_t)place + 1);
  fill_str(out, "name", series->name.name);
  fill_str(out, "group", series->name.group);
  fill_str(out, "unit", series->name.unit);
  fill_number(out, "values", (int64_t)series->count);
  fill_number(out, "points", (int64_t)series->changes);
  trend_fill_chart(out, trend, series, PAGE_WIDTH, 0, PAGE_HEIGHT);
  for (size_t i = series->changes; i > 0; i--)
    page_put_change(out, trend, query, &trend->changes[series->first_change + i - 1]);
  fill_end(out);
}

struct page_place {
  size_t series;
  uint32_t run;
};

static int page_by_run(const void *a, const void *b) {
  const struct page_place *x = a, *y = b;
  if (x->run != y->run) return x->run < y->run ? 1 : -1;
  return (x->series > y->series) - (x->series < y->series);
}

static size_t page_order(const struct trend_view *trend, struct page_place *places) {
  size_t count = 0;
  for (size_t i = 0; i < trend->series_count; i++) {
    const struct trend_series *series = &trend->series[i];
    if (!series->changes) continue;
    const struct trend_change *last = &trend->changes[series->first_change + series->changes - 1];
    places[count++] = (struct page_place){i, series->runs[last->step.index]};
  }
  if (count) qsort(places, count, sizeof *places, page_by_run);
  return count;
}

static void page_put_head(struct fill *out, const struct trend_view *trend, const char *title,
                          size_t changed) {
  size_t worse = 0, decided = trend->change_count - trend->suspected;
  for (size_t i = 0; i < trend->change_count; i++)
    worse += trend_worse(trend, &trend->changes[i]) > 0;
  plot_put_style(out);
  fill_words(out, "title", title);
  enum conclusion found = trend->suspected ? CONCLUSION_UNSURE : CONCLUSION_GOOD;
  if (worse) found = CONCLUSION_BAD;
  fill_words(out, "result", conclusion_class(found));
  fill_words(out, "verdict_sign", conclusion_sign(found));
  fill_number(out, "decided", (int64_t)decided);
  fill_flag(out, "decided_many", decided != 1);
  fill_number(out, "changed", (int64_t)changed);
  fill_number(out, "all", (int64_t)trend->series_count);
  fill_number(out, "worse", (int64_t)worse);
  fill_number(out, "runs", (int64_t)trend->past.run_count);
  fill_words(out, "branch", trend->branch);
  fill_words(out, "order", trend->past.by_order ? "number" : "time");
}

static void page_put_unchanged(struct fill *out, const struct trend_view *trend,
                               const struct trend_query *query, size_t changed) {
  size_t count = 0, unchanged = trend->series_count - changed;
  if (!unchanged) return;
  fill_begin(out, "unchanged");
  fill_number(out, "count", (int64_t)unchanged);
  for (size_t i = 0; i < trend->series_count && count < PAGE_FOLDED_MAX; i++) {
    if (trend->series[i].changes) continue;
    page_put_series(out, "quiet", trend, query, i);
    count++;
  }
  if (count < unchanged) fill_number(out, "left_out", (int64_t)(unchanged - count));
  fill_end(out);
}

pprofc_status trend_print_page(struct buffer *out, struct trend_view *trend,
                               struct backing *backing, const struct trend_query *query,
                               const char *title, pprofc_error *error) {
  struct page_place *places = mem_array(out->mem, trend->series_count, sizeof *places);
  struct fill fill;
  if (!places) return error_nomem(error);
  size_t changed = page_order(trend, places);
  fill_init(&fill, out->mem);
  page_put_head(&fill, trend, title, changed);
  pprofc_status status = trend_fill_graphs(&fill, trend, backing, error);
  for (size_t i = 0; i < changed; i++)
    page_put_series(&fill, "series", trend, query, places[i].series);
  page_put_unchanged(&fill, trend, query, changed);
  template_put(out, plot_template(), "page", &fill);
  fill_free(&fill);
  mem_free(out->mem, places, trend->series_count, sizeof *places);
  return status;
}
