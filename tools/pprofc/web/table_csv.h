/* Writes the table of functions as CSV. */
#ifndef PPROFC_WEB_TABLE_CSV_H
#define PPROFC_WEB_TABLE_CSV_H

#include "core/buffer.h"
#include "pprofc/graph.h"
#include "web/judge.h"

struct table_csv {
  const pprofc_profile *shown;
  double divisor;             /* divisor of the values of `shown` */
  bool compared;              /* true: add columns for base, head and verdict */
  bool by_time;               /* true if the values are per second */
  struct judge_side sides[2]; /* base and head of a difference, each with its runs */
  double divisors[2];         /* divisors of base and head */
  const pprofc_report_options *options;
  const struct noise_options *noise; /* options of the verdicts; NULL: the defaults */
};

/* Writes the rows of -top. An apostrophe keeps spreadsheets from running a name as a formula. */
pprofc_status table_csv_write(const struct table_csv *table, struct buffer *out,
                              pprofc_error *error);

#endif
