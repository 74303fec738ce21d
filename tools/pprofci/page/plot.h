/* Draws small charts of series, and shows flame graphs in a page. The browser stretches the lines
 * of a chart to the width of the page, and places the labels around the chart. assets/trend.html
 * has the templates. */
#ifndef PPROFCI_PAGE_PLOT_H
#define PPROFCI_PAGE_PLOT_H

#include "core/template.h"

/* A series, and the scales that convert its values to pixels. */
struct plot {
  struct fill *out;
  const double *values;
  const uint32_t *runs; /* x position of each value: the index of its run; NULL: see `times` */
  const double *times;
  size_t count;
  double last_place; /* x position of the chart's right end (an index or a time); left end: 0 */
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

/* Begins the label of the minimum, or of the maximum if `high` is true. The caller appends the text
 * and calls fill_end. */
struct buffer *plot_begin_tick(struct plot *plot, bool high);

/* Begins the label at the left end of the axis, or at the right end if `last` is true. The caller
 * appends the text and calls fill_end. */
struct buffer *plot_begin_end(struct plot *plot, bool last);

/* Adds the dots. Values on the same pixel share a dot. */
void plot_dots(struct plot *plot);

/* Begins a line through the chart. The caller appends its SVG path and calls fill_end. */
struct buffer *plot_begin_line(struct plot *plot, const char *css);

/* ---- flame graphs --------------------------------- */

/* A script of a page, and the SHA-256 of the script. */
struct page_script {
  const unsigned char *text;
  const size_t *size;
  const char *sha256;
};

/* Adds a script to the page, and its hash to the content security policy. */
void graphs_put_script(struct fill *f, const struct page_script *script);

/* Adds a row to the template list "graphs": the address and a packed flame graph (run/profiles.h).
 * Adds nothing and returns false if the graph is empty or too large for the page. */
bool graphs_put(struct fill *f, pprofc_str address, pprofc_str packed);

/* Appends the style of the graphs to the page's style. */
void graphs_put_style(struct buffer *style);

/* Adds the scripts, and the element in which a graph opens. If `beside` is true, the page loads the
 * viewer and each opened graph from files next to the page. */
void graphs_put_scripts(struct fill *f, bool beside);

#endif
