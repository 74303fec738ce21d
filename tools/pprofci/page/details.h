/* The collapsed details of a benchmark, and the table of all measurements. */
#ifndef PPROFCI_PAGE_DETAILS_H
#define PPROFCI_PAGE_DETAILS_H

#include "page/model.h"

/* Appends the numbers of all units of a benchmark and its profiles, except `shown`, which the page
 * already shows. */
void details_print(struct buffer *out, const struct page_model *m, const struct benchmark *b,
                   const struct run_pair *shown);

/* Appends a table of every measurement, by benchmark. */
void details_print_all(struct buffer *out, const struct page_model *m);

/* Returns "worse", "better" or "noise" according to the gate's verdict on a row. */
const char *details_change_class(const struct gate_row *row);

/* Returns the verdict of a row in words. */
const char *details_verdict(const struct benchmark *b, const struct gate_row *row);

#endif
