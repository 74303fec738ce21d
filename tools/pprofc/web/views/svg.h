/* Copies the SVG of dot into a page, with links and names in its boxes. */
#ifndef PPROFC_WEB_VIEWS_SVG_H
#define PPROFC_WEB_VIEWS_SVG_H

#include "core/buffer.h"

/* Writes "<a" and the attributes of box `number` ("N1" is 1): link, name and values. */
typedef void (*svg_box_fn)(void *context, struct buffer *out, size_t number);

/* Copies the picture without its prologue, comments, ids and size; boxes become links. In a
 * difference, dot's green and red become the blue and orange of the other views. */
void svg_write(struct buffer *out, pprofc_str svg, bool difference, svg_box_fn box, void *context);

#endif
