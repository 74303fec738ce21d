/* Draws the elements that all charts share. */
#include "page/plot.h"
#include "common/base.h"

#define PLOT_LEFT 84
#define PLOT_FOOT 18

extern const unsigned char asset_ci_css[], asset_trend_css[], asset_trend_html[];
extern const size_t asset_ci_css_size, asset_trend_css_size, asset_trend_html_size;

pprofc_str plot_template(void) {
  return (pprofc_str){(const char *)asset_trend_html, asset_trend_html_size};
}

void plot_put_style(struct fill *out) {
  struct buffer *style = fill_html(out, "style");
  buffer_add(style, asset_ci_css, asset_ci_css_size);
  buffer_add(style, asset_trend_css, asset_trend_css_size);
}

double plot_x(const struct plot *p, size_t value) {
  double place = p->runs ? (double)p->runs[value] : p->times[value];
  return p->left + (p->right - p->left) * place / (p->last_place > 0 ? p->last_place : 1);
}

double plot_y(const struct plot *p, double value) {
  return p->bottom - (p->bottom - p->top) * (value - p->low) / (p->high - p->low);
}

void plot_place(struct plot *p, double width, double top, double height) {
  p->left = PLOT_LEFT;
  p->right = width - PLOT_MARGIN;
  p->top = top + PLOT_MARGIN;
  p->bottom = top + height - PLOT_FOOT;
  p->low = p->high = p->values[0];
  for (size_t i = 0; i < p->count; i++) {
    p->low = fmin(p->low, p->values[i]);
    p->high = fmax(p->high, p->values[i]);
  }
  double room = 0.05 * (p->high - p->low);
  if (!(room > 0)) room = fmax(fabs(p->high) * 0.1, 1e-300);
  p->low = p->low >= 0 ? fmax(p->low - room, 0) : p->low - room;
  p->high += room;
  buffer_printf(fill_text(p->out, "box"), "%.0f %.0f %.0f %.0f", p->left, p->top,
                p->right - p->left, p->bottom - p->top);
}

static void plot_begin_text(struct plot *p, const char *list, double x, double y) {
  fill_begin(p->out, list);
  buffer_printf(fill_text(p->out, "x"), "%.0f", x);
  buffer_printf(fill_text(p->out, "y"), "%.0f", y);
}

void plot_axis(struct plot *p) {
  buffer_printf(fill_text(p->out, "axis"), "M%.0f %.0fH%.0f", p->left, p->bottom, p->right);
}

struct buffer *plot_begin_tick(struct plot *p, bool high) {
  plot_begin_text(p, "ticks", p->left - 6, high ? p->top + 10 : p->bottom);
  fill_flag(p->out, "high", high);
  return fill_text(p->out, "value");
}

struct buffer *plot_begin_end(struct plot *p, bool last) {
  plot_begin_text(p, "ends", last ? p->right : p->left, p->bottom + 13);
  fill_flag(p->out, "last", last);
  return fill_text(p->out, "commit");
}

void plot_dots(struct plot *p) {
  long last_x = -1, low = 0, high = 0;
  struct buffer *path = fill_text(p->out, "dots");
  for (size_t i = 0; i < p->count; i++) {
    long x = lround(2 * plot_x(p, i)), y = lround(2 * plot_y(p, p->values[i]));
    bool inside = x == last_x && y >= low && y <= high;
    if (inside) continue;
    if (x != last_x) low = high = y;
    low = y < low ? y : low;
    high = y > high ? y : high;
    last_x = x;
    buffer_printf(path, "M%.1f %.1fh0", (double)x / 2, (double)y / 2);
  }
}

struct buffer *plot_begin_line(struct plot *p, const char *css) {
  fill_pack(p->out, "lines:{class:s", css);
  return fill_text(p->out, "path");
}
