/* What is folded away below a benchmark, and the table of all measurements. */
#ifndef PPROFCI_PAGE_DETAILS_H
#define PPROFCI_PAGE_DETAILS_H

#include "page/model.h"

/* Appends the numbers of all units of a benchmark, and its profiles but `shown`, which is on the
 * page already. */
void details_print(struct buffer *out, const struct page_model *m, const struct benchmark *b,
                   const struct run_pair *shown);

/* Appends a table of every measurement, by benchmark. */
void details_print_all(struct buffer *out, const struct page_model *m);

/* "worse", "better" or "noise": whether the change of a row is one that the gate believes. */
const char *details_change_class(const struct gate_row *row);

/* The verdict of a row in words. */
const char *details_verdict(const struct benchmark *b, const struct gate_row *row);

#endif
