/* The rows of the page: a benchmark each. */
#ifndef PPROFCI_PAGE_ROWS_H
#define PPROFCI_PAGE_ROWS_H

#include "page/model.h"

/* Appends the table of the benchmarks that a reader has to see, then those of the others, folded
 * away with one line for each fate. */
void rows_print(struct buffer *out, const struct page_model *model);

#endif
