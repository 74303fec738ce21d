/* Text of `perf script` whose headers lack fields, or that lost its indentation. */
#ifndef PPROFC_IMPORT_TEXT_PERF_LOOSE_H
#define PPROFC_IMPORT_TEXT_PERF_LOOSE_H

#include "core/buffer.h"

/* Thread of a sample whose header has no command. */
#define PERF_NO_COMMAND "-"

/* Writes the text with whole headers and indented frames; false if it is not of perf. */
bool perf_loose_convert(pprofc_str text, struct buffer *out);

#endif
