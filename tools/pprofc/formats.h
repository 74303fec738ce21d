/* Implements -formats: prints the formats that pprofc reads. */
#ifndef PPROFC_TOOLS_FORMATS_H
#define PPROFC_TOOLS_FORMATS_H

#include "core/output.h"

/* Prints the tables of formats: as Markdown for docs/FORMATS.md, or as text with lines of `width`
 * columns. */
void formats_print(struct output *out, bool markdown, size_t width);

#endif
