/* The table of the page as CSV for spreadsheets. */
#ifndef PPROFC_WEB_TABLE_CSV_H
#define PPROFC_WEB_TABLE_CSV_H

#include "core/buffer.h"
#include "pprofc/graph.h"

/* Writes the rows that -top has, values in the unit of the profile; with base and head, which may
 * be NULL, what each of them has, and the verdict on its change. A name that a spreadsheet would
 * take for a formula has an apostrophe in front. */
pprofc_status table_csv_write(const pprofc_profile *shown, const pprofc_profile *base,
                              const pprofc_profile *head, const pprofc_report_options *options,
                              struct buffer *out, pprofc_error *error);

#endif
