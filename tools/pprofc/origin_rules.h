/* The file that -origin_rules names. */
#ifndef PPROFC_TOOLS_ORIGIN_RULES_H
#define PPROFC_TOOLS_ORIGIN_RULES_H

#include "core/buffer.h"
#include "pprofc/report.h"

/* Puts the text of the file into `text` and makes the options point to it, as the library wants it.
 * Without a file nothing happens. The caller frees the buffer in any case. */
pprofc_status origin_rules_load(pprofc_report_options *options, struct buffer *text,
                                pprofc_error *error);

#endif
