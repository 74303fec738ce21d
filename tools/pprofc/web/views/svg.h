/* Copies an SVG made by dot into a page. Turns its boxes into links with names. */
#ifndef PPROFC_WEB_VIEWS_SVG_H
#define PPROFC_WEB_VIEWS_SVG_H

#include "core/buffer.h"

/* Writes "<a" with a box's link, name and values. `number` is 1 for "N1". */
typedef void (*svg_box_fn)(void *context, struct buffer *out, size_t number);

/* Copies the picture without its prologue, comments, ids and size. Turns each box into a link. In a
 * difference, green and red become blue and orange, which are the colours of the other views. */
void svg_write(struct buffer *out, pprofc_str svg, bool difference, svg_box_fn box, void *context);

#endif
