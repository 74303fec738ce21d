/* Implements -formats: prints the file formats that pprofc reads. */
#ifndef PPROFC_TOOLS_FORMATS_H
#define PPROFC_TOOLS_FORMATS_H

#include "core/output.h"

/* Prints the tables of formats: Markdown for docs/FORMATS.md, or lines of `width` columns. */
void formats_print(struct output *out, bool markdown, size_t width);

#endif
