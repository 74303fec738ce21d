/* The chart of a series: a dot for each run, a line for each level between change points. */
#include "trend/trend.h"

#include "core/escape.h"
#include "page/html.h"
#include "page/numbers.h"

#include <math.h>

#define CHART_MARGIN 6
#define CHART_LEFT   84
#define CHART_FOOT   18
#define CHART_COUNT  60 /* maximum number of charts in one SVG */

/* Converts runs and values to pixels. */
struct chart {
  struct buffer *out;
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

/* Scales the chart so that values and levels fill its height. A constant gets a margin. */
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

static void chart_axis(struct chart *c) {
  pprofc_str unit = c->series->name.unit;
  double values[] = {c->low, c->high};
  double places[] = {c->bottom, c->top + 10};
  buffer_printf(c->out, "<path class=\"axis\" d=\"M%.0f %.0fH%.0f\"/>\n", c->left, c->bottom,
                c->right);
  for (size_t i = 0; i < 2; i++) {
    buffer_printf(c->out, "<text class=\"tick\" x=\"%.0f\" y=\"%.0f\">", c->left - 6, places[i]);
    struct buffer text;
    buffer_init(&text, c->out->mem, 4096);
    trend_put_value(&text, values[i], unit);
    html_text(c->out, buffer_str(&text));
    buffer_free(&text);
    buffer_add_text(c->out, "</text>\n");
  }
}

/* Draws the dots. Runs on the same pixel with almost the same value share a dot. */
static void chart_dots(struct chart *c) {
  long last_x = -1, low = 0, high = 0;
  buffer_add_text(c->out, "<path class=\"dots\" d=\"");
  for (size_t i = 0; i < c->series->count; i++) {
    long x = lround(2 * chart_x(c, c->series->runs[i]));
    long y = lround(2 * chart_y(c, c->series->values[i]));
    bool inside = x == last_x && y >= low && y <= high;
    if (inside) continue;
    if (x != last_x) low = high = y;
    low = y < low ? y : low;
    high = y > high ? y : high;
    last_x = x;
    buffer_printf(c->out, "M%.1f %.1fh0", (double)x / 2, (double)y / 2);
  }
  buffer_add_text(c->out, "\"/>\n");
}

static void chart_level(struct chart *c, size_t first, size_t end, double mean) {
  if (first >= end) return;
  buffer_printf(c->out, "<path class=\"level\" d=\"M%.1f %.1fH%.1f\"/>\n",
                chart_x(c, c->series->runs[first]), chart_y(c, mean),
                chart_x(c, c->series->runs[end - 1]));
}

static double chart_mean(const struct trend_series *s, size_t first, size_t end) {
  double sum = 0;
  for (size_t i = first; i < end; i++) sum += s->values[i];
  return end > first ? sum / (double)(end - first) : 0;
}

/* Draws a drift as a line from its first value to its last. */
static void chart_slope(struct chart *c, const struct step *step) {
  buffer_printf(c->out, "<path class=\"level drift\" d=\"M%.1f %.1fL%.1f %.1f\"/>\n",
                chart_x(c, c->series->runs[step->index]), chart_y(c, step->before),
                chart_x(c, c->series->runs[step->last]), chart_y(c, step->after));
}

static void chart_mark(struct chart *c, const struct trend_change *change) {
  static const char *const words[] = {"better", "other", "worse"};
  const struct past_run *run = trend_run(c->trend, c->series, change->step.index);
  struct buffer text;
  double x = chart_x(c, c->series->runs[change->step.index]);
  buffer_init(&text, c->out->mem, 4096);
  buffer_printf(&text, "%.*s: ", STR_ARG(str_slice(run->place.commit, 0, 12)));
  trend_put_size(&text, c->trend, change);
  buffer_printf(c->out, "<path class=\"mark %s\" d=\"M%.1f %.0fV%.0f\"><title>",
                words[trend_worse(c->trend, change) + 1], x, c->top, c->bottom);
  html_text(c->out, buffer_str(&text));
  buffer_add_text(c->out, "</title></path>\n");
  buffer_free(&text);
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
  pprofc_str first = trend_run(c->trend, c->series, 0)->place.commit;
  pprofc_str last = trend_run(c->trend, c->series, c->series->count - 1)->place.commit;
  double y = c->bottom + 13;
  buffer_printf(c->out, "<text class=\"end\" x=\"%.0f\" y=\"%.0f\">", c->left, y);
  html_text(c->out, str_slice(first, 0, 12));
  buffer_printf(c->out, "</text>\n<text class=\"end last\" x=\"%.0f\" y=\"%.0f\">", c->right, y);
  html_text(c->out, str_slice(last, 0, 12));
  buffer_add_text(c->out, "</text>\n");
}

static void chart_put(struct buffer *out, const struct trend_view *trend,
                      const struct trend_series *series, double width, double top, double height) {
  struct chart c = {.out = out,
                    .trend = trend,
                    .series = series,
                    .left = CHART_LEFT,
                    .right = width - CHART_MARGIN,
                    .top = top + CHART_MARGIN,
                    .bottom = top + height - CHART_FOOT};
  chart_scale(&c);
  chart_axis(&c);
  chart_dots(&c);
  chart_levels(&c);
  chart_ends(&c);
}

static void chart_label(struct buffer *out, const struct trend_series *series) {
  struct buffer name;
  buffer_init(&name, out->mem, SIZE_MAX / 2);
  trend_put_name(&name, series);
  html_text(out, buffer_str(&name));
  if (name.failed) out->failed = true;
  buffer_free(&name);
}

void trend_print_chart(struct buffer *out, const struct trend_view *trend,
                       const struct trend_series *series, unsigned width, unsigned height) {
  buffer_printf(out, "<svg class=\"chart\" viewBox=\"0 0 %u %u\" role=\"img\" aria-label=\"", width,
                height);
  chart_label(out, series);
  buffer_printf(out, ", %zu runs, %zu change points\">\n", series->count, series->changes);
  chart_put(out, trend, series, width, 0, height);
  buffer_add_text(out, "</svg>\n");
}

/* ---- a file ------------------------------------------ */

static const char chart_style[] =
    "<style>svg{font:11px system-ui,\"DejaVu Sans\",sans-serif;background:#fff}text{fill:#565d66}"
    ".name{font-size:13px;fill:#1d2126}.tick,.last{text-anchor:end}"
    ".axis{stroke:#d5d9de;fill:none}.dots{stroke:#7b838c;stroke-width:3;stroke-linecap:round}"
    ".level{stroke:#1d2126;stroke-width:1.5;fill:none}.drift{stroke-dasharray:5 3}"
    ".mark{stroke:#7a5a00;stroke-width:1.5}.worse{stroke:#a83a06}.better{stroke:#1a569c}"
    "@media(prefers-color-scheme:dark){svg{background:#16191d}text{fill:#a6aeb8}"
    ".name{fill:#e6e8eb}.axis{stroke:#363c44}.dots{stroke:#868f99}.level{stroke:#e6e8eb}"
    ".mark{stroke:#e6c35c}.worse{stroke:#ff9d66}.better{stroke:#7db8ff}}</style>\n";

void trend_print_svg(struct buffer *out, const struct trend_view *trend) {
  const unsigned width = 960, height = 180, head = 22;
  size_t count = 0, wanted = 0;
  for (size_t i = 0; i < trend->series_count; i++) wanted += trend->series[i].changes > 0;
  bool all = wanted == 0 || trend->series_count <= 4;
  if (all) wanted = trend->series_count;
  wanted = wanted < CHART_COUNT ? wanted : CHART_COUNT;
  buffer_printf(out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%zu\" "
                "viewBox=\"0 0 %u %zu\" role=\"img\">\n",
                width, wanted * (height + head), width, wanted * (height + head));
  buffer_add_text(out, chart_style);
  for (size_t i = 0; i < trend->series_count && count < wanted; i++) {
    const struct trend_series *series = &trend->series[i];
    if (!all && !series->changes) continue;
    double top = (double)(count++ * (height + head));
    buffer_printf(out, "<text class=\"name\" x=\"%d\" y=\"%.0f\">", CHART_MARGIN, top + 16);
    chart_label(out, series);
    buffer_add_text(out, "</text>\n");
    chart_put(out, trend, series, width, top + head, height);
  }
  buffer_add_text(out, "</svg>\n");
}
