/* Draws the chart of a series. A dot is a run. A line is the mean between two change points. */
#include "trend/trend.h"

#include "page/plot.h"

extern const unsigned char asset_trend_picture_css[];
extern const size_t asset_trend_picture_css_size;

#define CHART_COUNT 60 /* maximum number of charts in one SVG */

struct chart {
  struct plot plot;
  const struct trend_view *trend;
  const struct trend_series *series;
};

static void chart_level(struct plot *p, size_t first, size_t end, double mean) {
  if (first >= end) return;
  buffer_printf(plot_begin_line(p, "level"), "M%.1f %.1fH%.1f", plot_x(p, first), plot_y(p, mean),
                plot_x(p, end - 1));
  fill_end(p->out);
}

static double chart_mean(const struct trend_series *s, size_t first, size_t end) {
  double sum = 0;
  for (size_t i = first; i < end; i++) sum += s->values[i];
  return end > first ? sum / (double)(end - first) : 0;
}

/* Draws a gradual change as a line from its first value to its last value. */
static void chart_slope(struct plot *p, const struct step *step) {
  buffer_printf(plot_begin_line(p, "level drift"), "M%.1f %.1fL%.1f %.1f", plot_x(p, step->index),
                plot_y(p, step->before), plot_x(p, step->last), plot_y(p, step->after));
  fill_end(p->out);
}

static void chart_mark(struct chart *c, const struct trend_change *change) {
  struct plot *p = &c->plot;
  static const char *const words[] = {"mark better", "mark other", "mark worse"};
  const struct past_run *run = trend_run(c->trend, c->series, change->step.index);
  buffer_printf(plot_begin_line(p, words[trend_worse(c->trend, change) + 1]), "M%.1f %.0fV%.0f",
                plot_x(p, change->step.index), p->top, p->bottom);
  struct buffer *note = fill_text(p->out, "note");
  buffer_printf(note, "%.*s: ", STR_ARG(str_slice(run->place.commit, 0, 12)));
  trend_put_size(note, c->trend, change);
  fill_end(p->out);
}

static void chart_levels(struct chart *c) {
  const struct trend_series *s = c->series;
  size_t begin = 0;
  for (size_t i = 0; i < s->changes; i++) {
    const struct trend_change *change = &c->trend->changes[s->first_change + i];
    size_t index = change->step.index;
    chart_level(&c->plot, begin, index, chart_mean(s, begin, index));
    if (change->step.drift) chart_slope(&c->plot, &change->step);
    begin = change->step.last;
    chart_mark(c, change);
  }
  chart_level(&c->plot, begin, s->count, chart_mean(s, begin, s->count));
}

static void chart_labels(struct chart *c) {
  const struct trend_series *s = c->series;
  struct plot *p = &c->plot;
  for (int last = 0; last < 2; last++) {
    trend_put_value(plot_begin_tick(p, last == 1), last ? p->high : p->low, s->name.unit);
    fill_end(p->out);
    pprofc_str commit = trend_run(c->trend, s, last ? s->count - 1 : 0)->place.commit;
    buffer_add_str(plot_begin_end(p, last == 1), str_slice(commit, 0, 12));
    fill_end(p->out);
  }
}

void trend_fill_chart(struct fill *out, const struct trend_view *trend,
                      const struct trend_series *series, double width, double top, double height) {
  struct chart c = {.plot = {.out = out,
                             .values = series->values,
                             .runs = series->runs,
                             .count = series->count,
                             .last_place = (double)(trend->past.run_count - 1)},
                    .trend = trend,
                    .series = series};
  trend_put_name(fill_text(out, "label"), series);
  plot_place(&c.plot, width, top, height);
  plot_axis(&c.plot);
  plot_dots(&c.plot);
  chart_levels(&c);
  chart_labels(&c);
}

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
  fill_number(&fill, "left", PLOT_MARGIN);
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
  template_put(out, plot_template(), "picture", &fill);
  fill_free(&fill);
}
