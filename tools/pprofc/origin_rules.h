/* Reads the file of -origin_rules. */
#ifndef PPROFC_TOOLS_ORIGIN_RULES_H
#define PPROFC_TOOLS_ORIGIN_RULES_H

#include "core/buffer.h"
#include "pprofc/report.h"

/* Reads the file into `text` and makes the options point to it. Does nothing without a file.
 * The caller frees the buffer even after an error. */
pprofc_status origin_rules_load(pprofc_report_options *options, struct buffer *text,
                                pprofc_error *error);

#endif
