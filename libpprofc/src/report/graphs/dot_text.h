/* Makes the text and the colors of the dot report. */
#ifndef PPROFC_REPORT_GRAPHS_DOT_TEXT_H
#define PPROFC_REPORT_GRAPHS_DOT_TEXT_H

#include "graph/graph.h"
#include "report/report.h"

/* Appends text for a quoted string of dot. Escapes quotes and backslashes, writes newlines as \l,
 * and makes other control bytes visible. */
void dot_text(struct output *out, pprofc_str text);
/* Appends text that pprof does not escape. Escapes it only if it would end the string. */
void dot_loose_text(struct output *out, pprofc_str text);
/* Appends text that is already escaped. Makes its control bytes visible. */
void dot_escaped_text(struct output *out, pprofc_str text);

/* Appends a node's name on lines that end with the characters
. False when out of memory. */
bool dot_node_name(struct output *out, const struct graph *graph, uint32_t node,
                   const pprofc_allocator *mem);

/* Writes the colour "#rrggbb" for a share of the total, from -1 to 1. `light` selects a colour for
 * the inside of a box. */
void dot_color(struct output *out, double score, bool light);

#endif
