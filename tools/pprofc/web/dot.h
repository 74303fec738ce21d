/* Graphviz for the page, limited in number and time. */
#ifndef PPROFC_WEB_DOT_H
#define PPROFC_WEB_DOT_H

#include "core/buffer.h"
#include "core/error.h"

/* Slots for graphviz processes, one for each core. */
struct dot_slots;

struct dot_slots *dot_slots_new(unsigned count);
void dot_slots_free(struct dot_slots *slots);

/* Draws a graph as SVG, from "<svg" on. Waits for a slot, then at most 10 s; stops when the
 * budget of `svg` stops. `slots` is a struct dot_slots. Errors: PPROFC_E_UNSUPPORTED without
 * graphviz, PPROFC_E_LIMIT after the time, PPROFC_E_IO if it fails, PPROFC_E_NOMEM. */
pprofc_status dot_draw(void *slots, pprofc_str graph, struct buffer *svg, pprofc_error *error);

#endif
