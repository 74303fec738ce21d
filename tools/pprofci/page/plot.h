/* Draws a small chart of a series: axis, a dot for each value, lines. The templates of charts, of
 * the page of a trend and of the page of leaks are in assets/trend.html. */
#ifndef PPROFCI_PAGE_PLOT_H
#define PPROFCI_PAGE_PLOT_H

#include "core/template.h"

/* A series and the scales that convert it to pixels. */
struct plot {
  struct fill *out;
  const double *values;
  const uint32_t *runs; /* place of each value on the axis, ascending; NULL: `times` */
  const double *times;
  size_t count;
  double last_place; /* place at the right end of the axis; the left end is 0 */
  double left, right, top, bottom;
  double low, high;
};

#define PLOT_MARGIN 6 /* pixels around a chart */

/* Returns the templates of charts and of their pages. */
pprofc_str plot_template(void);

/* Adds the style of these pages: the style of the page of a run, and of charts. */
void plot_put_style(struct fill *out);

/* Places the chart, `width` x `height` pixels at `top` of its picture. Scales it so that the values
 * fill its height. A constant series gets a margin. */
void plot_place(struct plot *plot, double width, double top, double height);

/* Return the pixels of a value, and of its place on the axis. */
double plot_x(const struct plot *plot, size_t value);
double plot_y(const struct plot *plot, double value);

/* Adds the line of the axis. */
void plot_axis(struct plot *plot);

/* Begins the label of the least or of the greatest value. The caller appends the text, and ends the
 * row with fill_end. */
struct buffer *plot_begin_tick(struct plot *plot, bool high);

/* Begins the label at the left or at the right end of the axis, like plot_begin_tick. */
struct buffer *plot_begin_end(struct plot *plot, bool last);

/* Adds the dots. Values on the same pixel share a dot. */
void plot_dots(struct plot *plot);

/* Begins a line; the caller appends its path, and ends the row with fill_end. */
struct buffer *plot_begin_line(struct plot *plot, const char *css);

#endif
