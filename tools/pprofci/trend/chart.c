/* Draws the chart of a series: a dot for each run, a line for each level between change points. */
#include "trend/trend.h"

#include "core/template.h"

#include <math.h>

extern const unsigned char asset_trend_picture_css[];
extern const size_t asset_trend_picture_css_size;

#define CHART_MARGIN 6
#define CHART_LEFT   84
#define CHART_FOOT   18
#define CHART_COUNT  60 /* maximum number of charts in one SVG */

/* Scales that convert runs and values to pixels. */
struct chart {
  struct fill *out;
  const struct trend_view *trend;
  const struct trend_series *series;
  double left, right, top, bottom;
  double low, high;
};

static double chart_x(const struct chart *c, uint32_t run) {
  double last = (double)(c->trend->past.run_count - 1);
  return c->left + (c->right - c->left) * (double)run / fmax(last, 1);
}

static double chart_y(const struct chart *c, double value) {
  return c->bottom - (c->bottom - c->top) * (value - c->low) / (c->high - c->low);
}

/* Scales the chart so that values and levels fill its height. A constant series gets a margin. */
static void chart_scale(struct chart *c) {
  const struct trend_series *s = c->series;
  c->low = c->high = s->values[0];
  for (size_t i = 0; i < s->count; i++) {
    c->low = fmin(c->low, s->values[i]);
    c->high = fmax(c->high, s->values[i]);
  }
  double room = 0.05 * (c->high - c->low);
  if (!(room > 0)) room = fmax(fabs(c->high) * 0.1, 1e-300);
  c->low = c->low >= 0 ? fmax(c->low - room, 0) : c->low - room;
  c->high += room;
}

static void chart_begin_text(struct chart *c, const char *list, double x, double y) {
  fill_begin(c->out, list);
  buffer_printf(fill_text(c->out, "x"), "%.0f", x);
  buffer_printf(fill_text(c->out, "y"), "%.0f", y);
}

static void chart_axis(struct chart *c) {
  double values[] = {c->low, c->high};
  double places[] = {c->bottom, c->top + 10};
  buffer_printf(fill_text(c->out, "axis"), "M%.0f %.0fH%.0f", c->left, c->bottom, c->right);
  for (size_t i = 0; i < 2; i++) {
    chart_begin_text(c, "ticks", c->left - 6, places[i]);
    trend_put_value(fill_text(c->out, "value"), values[i], c->series->name.unit);
    fill_end(c->out);
  }
}

/* Draws the dots. Runs on the same pixel with almost the same value share a dot. */
static void chart_dots(struct chart *c) {
  long last_x = -1, low = 0, high = 0;
  struct buffer *path = fill_text(c->out, "dots");
  for (size_t i = 0; i < c->series->count; i++) {
    long x = lround(2 * chart_x(c, c->series->runs[i]));
    long y = lround(2 * chart_y(c, c->series->values[i]));
    bool inside = x == last_x && y >= low && y <= high;
    if (inside) continue;
    if (x != last_x) low = high = y;
    low = y < low ? y : low;
    high = y > high ? y : high;
    last_x = x;
    buffer_printf(path, "M%.1f %.1fh0", (double)x / 2, (double)y / 2);
  }
}

/* Begins a line; the caller appends its path. */
static struct buffer *chart_begin_line(struct chart *c, const char *css) {
  fill_begin(c->out, "lines");
  fill_words(c->out, "class", css);
  return fill_text(c->out, "path");
}

static void chart_level(struct chart *c, size_t first, size_t end, double mean) {
  if (first >= end) return;
  buffer_printf(chart_begin_line(c, "level"), "M%.1f %.1fH%.1f", chart_x(c, c->series->runs[first]),
                chart_y(c, mean), chart_x(c, c->series->runs[end - 1]));
  fill_end(c->out);
}

static double chart_mean(const struct trend_series *s, size_t first, size_t end) {
  double sum = 0;
  for (size_t i = first; i < end; i++) sum += s->values[i];
  return end > first ? sum / (double)(end - first) : 0;
}

/* Draws a drift as a line from its first value to its last. */
static void chart_slope(struct chart *c, const struct step *step) {
  buffer_printf(chart_begin_line(c, "level drift"), "M%.1f %.1fL%.1f %.1f",
                chart_x(c, c->series->runs[step->index]), chart_y(c, step->before),
                chart_x(c, c->series->runs[step->last]), chart_y(c, step->after));
  fill_end(c->out);
}

static void chart_mark(struct chart *c, const struct trend_change *change) {
  static const char *const words[] = {"mark better", "mark other", "mark worse"};
  const struct past_run *run = trend_run(c->trend, c->series, change->step.index);
  buffer_printf(chart_begin_line(c, words[trend_worse(c->trend, change) + 1]), "M%.1f %.0fV%.0f",
                chart_x(c, c->series->runs[change->step.index]), c->top, c->bottom);
  struct buffer *note = fill_text(c->out, "note");
  buffer_printf(note, "%.*s: ", STR_ARG(str_slice(run->place.commit, 0, 12)));
  trend_put_size(note, c->trend, change);
  fill_end(c->out);
}

static void chart_levels(struct chart *c) {
  const struct trend_series *s = c->series;
  size_t begin = 0;
  for (size_t i = 0; i < s->changes; i++) {
    const struct trend_change *change = &c->trend->changes[s->first_change + i];
    size_t index = change->step.index;
    chart_level(c, begin, index, chart_mean(s, begin, index));
    if (change->step.drift) chart_slope(c, &change->step);
    begin = change->step.last;
    chart_mark(c, change);
  }
  chart_level(c, begin, s->count, chart_mean(s, begin, s->count));
}

static void chart_ends(struct chart *c) {
  for (int last = 0; last < 2; last++) {
    size_t value = last ? c->series->count - 1 : 0;
    chart_begin_text(c, "ends", last ? c->right : c->left, c->bottom + 13);
    fill_flag(c->out, "last", last == 1);
    fill_str(c->out, "commit",
             str_slice(trend_run(c->trend, c->series, value)->place.commit, 0, 12));
    fill_end(c->out);
  }
}

void trend_fill_chart(struct fill *out, const struct trend_view *trend,
                      const struct trend_series *series, double width, double top, double height) {
  struct chart c = {.out = out,
                    .trend = trend,
                    .series = series,
                    .left = CHART_LEFT,
                    .right = width - CHART_MARGIN,
                    .top = top + CHART_MARGIN,
                    .bottom = top + height - CHART_FOOT};
  trend_put_name(fill_text(out, "label"), series);
  chart_scale(&c);
  chart_axis(&c);
  chart_dots(&c);
  chart_levels(&c);
  chart_ends(&c);
}

/* ---- a file ------------------------------------------ */

void trend_print_svg(struct buffer *out, const struct trend_view *trend) {
  const unsigned width = 960, height = 180, head = 22;
  size_t count = 0, wanted = 0;
  struct fill fill;
  fill_init(&fill, out->mem);
  for (size_t i = 0; i < trend->series_count; i++) wanted += trend->series[i].changes > 0;
  bool all = wanted == 0 || trend->series_count <= 4;
  if (all) wanted = trend->series_count;
  wanted = wanted < CHART_COUNT ? wanted : CHART_COUNT;
  fill_number(&fill, "width", width);
  fill_number(&fill, "height", (int64_t)(wanted * (height + head)));
  fill_number(&fill, "left", CHART_MARGIN);
  buffer_add(fill_html(&fill, "style"), asset_trend_picture_css, asset_trend_picture_css_size);
  for (size_t i = 0; i < trend->series_count && count < wanted; i++) {
    const struct trend_series *series = &trend->series[i];
    if (!all && !series->changes) continue;
    double top = (double)(count++ * (height + head));
    fill_begin(&fill, "charts");
    buffer_printf(fill_text(&fill, "top"), "%.0f", top + 16);
    trend_fill_chart(&fill, trend, series, width, top + head, height);
    fill_end(&fill);
  }
  template_put(out, trend_template(), "picture", &fill);
  fill_free(&fill);
}
