/* Draws a small chart of a series. The page stretches the lines of the chart to its own width, and
 * places the labels around the chart. assets/trend.html has the templates of charts, and of the
 * pages about trends and leaks. */
#ifndef PPROFCI_PAGE_PLOT_H
#define PPROFCI_PAGE_PLOT_H

#include "core/template.h"

/* A series, and the scales that convert its values to pixels. */
struct plot {
  struct fill *out;
  const double *values;
  const uint32_t *runs; /* positions on the x axis, ascending; NULL: `times` has them */
  const double *times;
  size_t count;
  double last_place; /* position of the right end of the axis; the left end is 0 */
  double left, right, top, bottom;
  double low, high;
};

#define PLOT_MARGIN 6 /* margin around a chart, in pixels */

/* Returns the templates of charts and of the pages that have charts. */
pprofc_str plot_template(void);
void plot_put_style(struct fill *out);

/* Sets the size of a chart to `width` x `height` pixels, and the y coordinate of its upper end to
 * `top`. Chooses a scale that fits all values. */
void plot_place(struct plot *plot, double width, double top, double height);

/* plot_x returns the x coordinate in pixels of the value with the index `value`. plot_y returns the
 * y coordinate in pixels of a value. */
double plot_x(const struct plot *plot, size_t value);
double plot_y(const struct plot *plot, double value);
void plot_axis(struct plot *plot);

/* Begins the label of the minimum. With `high`, begins the label of the maximum. The caller appends
 * the text and calls fill_end. */
struct buffer *plot_begin_tick(struct plot *plot, bool high);

/* Begins the label at the left end of the axis, or with `last` at the right end. The caller appends
 * the text and calls fill_end. */
struct buffer *plot_begin_end(struct plot *plot, bool last);

/* Adds the dots. Values on the same pixel share a dot. */
void plot_dots(struct plot *plot);

/* Begins a line through the chart. The caller appends its SVG path and calls fill_end. */
struct buffer *plot_begin_line(struct plot *plot, const char *css);

#endif
