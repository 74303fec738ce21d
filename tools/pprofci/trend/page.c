/* The page of a trend: the changes, newest first, then a chart of each series. */
#include "trend/trend.h"

#include "page/html.h"
#include "page/numbers.h"
#include "store/times.h"

#include <stdlib.h>

extern const unsigned char asset_trend_css[];
extern const size_t asset_trend_css_size;

#define PAGE_FOLDED_MAX 100 /* maximum number of charts of series without a change point */

static void
page_put(struct buffer *out, const struct trend_view *trend, const struct trend_change *change,
         void (*put)(struct buffer *, const struct trend_view *, const struct trend_change *)) {
  struct buffer text;
  buffer_init(&text, out->mem, SIZE_MAX / 2);
  put(&text, trend, change);
  html_text(out, buffer_str(&text));
  if (text.failed) out->failed = true;
  buffer_free(&text);
}

static void page_put_name(struct buffer *out, const struct trend_series *series) {
  html_text(out, series->name.name);
  buffer_add_text(out, " <small>");
  html_text(out, series->name.group);
  buffer_add_text(out, series->name.group.size ? " " DOT " " : "");
  html_text(out, series->name.unit);
  buffer_add_text(out, "</small>");
}

static void page_put_value(struct buffer *out, double value, pprofc_str unit) {
  struct buffer text;
  buffer_init(&text, out->mem, 4096);
  trend_put_value(&text, value, unit);
  html_text(out, buffer_str(&text));
  buffer_free(&text);
}

/* ---- rows -------------------------------------------- */

static void page_put_change(struct buffer *out, const struct trend_view *trend,
                            const struct trend_change *change) {
  static const char *const words[] = {"better", "other", "worse"};
  static const char *const signs[] = {"\xE2\x9C\x93 better", "changed", "\xE2\x9C\x97 worse"};
  const struct trend_series *series = &trend->series[change->series];
  const struct past_run *run = trend_run(trend, series, change->step.index);
  int worse = trend_worse(trend, change) + 1;
  buffer_printf(out, "<li class=\"%s\"><b>%s ", words[worse], signs[worse]);
  page_put(out, trend, change, trend_put_size);
  buffer_add_text(out, "</b> <span class=\"soft\">(");
  page_put(out, trend, change, trend_put_interval);
  buffer_add_text(out, ")</span> ");
  page_put_value(out, change->step.before, series->name.unit);
  buffer_add_text(out, " " ARROW " ");
  page_put_value(out, change->step.after, series->name.unit);
  buffer_add_text(out, change->step.drift ? " from <code>" : " since <code>");
  html_text(out, str_slice(run->place.commit, 0, 12));
  buffer_add_text(out, "</code> <span class=\"soft\">");
  times_put(out, run->place.time);
  buffer_add_text(out, "</span> <span class=\"soft\">");
  page_put(out, trend, change, trend_put_notes);
  buffer_add_text(out, "</span></li>\n");
}

static void page_put_series(struct buffer *out, const struct trend_view *trend, size_t place) {
  const struct trend_series *series = &trend->series[place];
  buffer_printf(out, "<section id=\"s-%zu\"><h2>", place + 1);
  page_put_name(out, series);
  buffer_add_text(out, "</h2>\n");
  /* A chart scrolls on a small screen; with tabindex the keyboard can scroll it. */
  buffer_add_text(out, "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"chart\">");
  trend_print_chart(out, trend, series, 960, 160);
  buffer_add_text(out, "</div>\n<ul>\n");
  for (size_t i = series->changes; i > 0; i--)
    page_put_change(out, trend, &trend->changes[series->first_change + i - 1]);
  buffer_add_text(out, "</ul></section>\n");
}

/* ---- order: the series whose last change is newest first ---- */

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

/* ---- page -------------------------------------------- */

static void page_put_head(struct buffer *out, const struct trend_view *trend, const char *title,
                          size_t changed) {
  size_t worse = 0;
  for (size_t i = 0; i < trend->change_count; i++)
    worse += trend_worse(trend, &trend->changes[i]) > 0;
  buffer_add_text(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                       "<meta name=\"viewport\" content=\"width=device-width, "
                       "initial-scale=1\">\n<meta name=\"referrer\" content=\"no-referrer\">\n"
                       "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
                       "'none'; style-src 'unsafe-inline'\">\n<title>");
  html_words(out, title);
  buffer_add_text(out, "</title>\n<style>\n");
  buffer_add(out, asset_trend_css, asset_trend_css_size);
  buffer_add_text(out, "</style>\n</head>\n<body>\n<main>\n<p class=\"soft\">");
  html_words(out, title);
  buffer_printf(out, "</p>\n<h1>%zu change point%s in %zu of %zu series, %zu for the worse</h1>\n",
                trend->change_count - trend->suspected,
                trend->change_count - trend->suspected == 1 ? "" : "s", changed,
                trend->series_count, worse);
  buffer_printf(out, "<p class=\"soft\">%zu runs%s", trend->past.run_count,
                *trend->branch ? " of " : "");
  html_words(out, trend->branch);
  buffer_printf(out,
                ", by %s of the commit. A dot is a run, a line the mean between change "
                "points.</p>\n",
                trend->past.by_order ? "the number" : "the time");
}

static void page_put_unchanged(struct buffer *out, const struct trend_view *trend, size_t changed) {
  size_t count = 0, unchanged = trend->series_count - changed;
  if (!unchanged) return;
  buffer_printf(out, "<details%s><summary>%zu series without a change point</summary>\n",
                changed ? "" : " open", unchanged);
  for (size_t i = 0; i < trend->series_count && count < PAGE_FOLDED_MAX; i++) {
    if (trend->series[i].changes) continue;
    page_put_series(out, trend, i);
    count++;
  }
  if (count < unchanged)
    buffer_printf(out, "<p class=\"soft\">%zu more; -bench and -unit choose</p>\n",
                  unchanged - count);
  buffer_add_text(out, "</details>\n");
}

void trend_print_page(struct buffer *out, const struct trend_view *trend, const char *title) {
  struct page_place *places = mem_array(out->mem, trend->series_count, sizeof *places);
  if (!places) {
    out->failed = true;
    return;
  }
  size_t changed = page_order(trend, places);
  page_put_head(out, trend, title, changed);
  for (size_t i = 0; i < changed; i++) page_put_series(out, trend, places[i].series);
  page_put_unchanged(out, trend, changed);
  buffer_add_text(out, "</main>\n</body>\n</html>\n");
  mem_free(out->mem, places, trend->series_count, sizeof *places);
}
