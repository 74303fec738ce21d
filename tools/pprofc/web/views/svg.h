/* Copies an SVG from dot into a page. Turns the boxes into links with names. */
#ifndef PPROFC_WEB_VIEWS_SVG_H
#define PPROFC_WEB_VIEWS_SVG_H

#include "core/buffer.h"

/* Writes "<a" with the attributes of box `number` (1 for "N1"): link, name and values. */
typedef void (*svg_box_fn)(void *context, struct buffer *out, size_t number);

/* Copies the picture without its prologue, comments, ids and size. Turns each box into a link. In a
 * difference, replaces green and red by blue and orange, the colours of the other views. */
void svg_write(struct buffer *out, pprofc_str svg, bool difference, svg_box_fn box, void *context);

#endif
