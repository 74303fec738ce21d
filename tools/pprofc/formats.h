/* Prints the output of -formats: the formats that pprofc reads. */
#ifndef PPROFC_TOOLS_FORMATS_H
#define PPROFC_TOOLS_FORMATS_H

#include "core/output.h"

/* Prints the tables of formats, as text with lines of `width` columns or as the Markdown
 * tables of docs/FORMATS.md. */
void formats_print(struct output *out, bool markdown, size_t width);

#endif
