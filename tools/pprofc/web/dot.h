/* Graphviz for the page: few at once, for a short time. */
#ifndef PPROFC_WEB_DOT_H
#define PPROFC_WEB_DOT_H

#include "core/buffer.h"
#include "core/error.h"

/* Places in which graphviz may run, one for each core. */
struct dot_slots;

struct dot_slots *dot_slots_new(unsigned count);
void dot_slots_free(struct dot_slots *slots);

/* Has graphviz draw a graph as SVG, from "<svg" on. Waits for a place, then at
 * most 10 s; ends early when the budget behind the memory of `svg` is stopped. Errors:
 * PPROFC_E_UNSUPPORTED without graphviz, PPROFC_E_LIMIT when it takes too long, PPROFC_E_IO when it
 * fails, PPROFC_E_NOMEM. `slots` is a struct dot_slots. */
pprofc_status dot_draw(void *slots, pprofc_str graph, struct buffer *svg, pprofc_error *error);

#endif
