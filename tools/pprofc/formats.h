/* What -formats prints: the formats that are read. */
#ifndef PPROFC_TOOLS_FORMATS_H
#define PPROFC_TOOLS_FORMATS_H

#include "core/output.h"

/* The tables of formats: as text in lines of `width` cells, or as two tables of Markdown, as they
 * are in docs/FORMATS.md. */
void formats_print(struct output *out, bool markdown, size_t width);

#endif
