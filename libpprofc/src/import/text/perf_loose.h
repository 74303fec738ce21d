/* Repairs text of `perf script` whose headers lack fields, or that lost its indentation. */
#ifndef PPROFC_IMPORT_TEXT_PERF_LOOSE_H
#define PPROFC_IMPORT_TEXT_PERF_LOOSE_H

#include "core/buffer.h"

/* Command of a sample whose header does not have a command. */
#define PERF_NO_COMMAND "-"

/* Writes the text with complete headers and indented frames to `out`. Returns false if the text is
 * not output of perf. */
bool perf_loose_convert(pprofc_str text, struct buffer *out);

#endif
