/* Writes the rows of -top as CSV. */
#ifndef PPROFC_WEB_TABLE_CSV_H
#define PPROFC_WEB_TABLE_CSV_H

#include "noise/noise.h"

struct table_csv {
  const pprofc_profile *shown;
  double divisor;               /* number by which the values of `shown` are divided */
  bool compared;                /* true: add columns for base, head and verdict */
  bool by_time;                 /* true if the values are per second */
  struct noise_side sides[2];   /* base and head of a difference, each with its runs */
  const pprofc_profile *scaled; /* head with the total of the base (-normalize), or NULL */
  double divisors[2];           /* numbers by which the values of base and head are divided */
  const pprofc_report_options *options;
  const struct noise_options *noise; /* options of the verdicts; NULL: the defaults */
};

/* Writes the rows of -top. An apostrophe before a name keeps spreadsheets from running the name as
 * a formula. */
pprofc_status table_csv_write(const struct table_csv *table, struct buffer *out,
                              pprofc_error *error);

#endif
