/* The table of the page as CSV. */
#ifndef PPROFC_WEB_TABLE_CSV_H
#define PPROFC_WEB_TABLE_CSV_H

#include "core/buffer.h"
#include "pprofc/graph.h"

/* Writes the rows of -top, with values in the unit of the profile. With base and head, which
 * may be NULL, adds the values of both and the verdict. An apostrophe precedes a name that a
 * spreadsheet would run as a formula. */
pprofc_status table_csv_write(const pprofc_profile *shown, const pprofc_profile *base,
                              const pprofc_profile *head, const pprofc_report_options *options,
                              struct buffer *out, pprofc_error *error);

#endif
