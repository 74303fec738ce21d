/* The rows of the page, one for each benchmark. */
#ifndef PPROFCI_PAGE_ROWS_H
#define PPROFCI_PAGE_ROWS_H

#include "page/model.h"

/* Appends the table of the benchmarks that need attention, then the others, collapsed with one
 * line for each kind of result. */
void rows_print(struct buffer *out, const struct page_model *model);

#endif
