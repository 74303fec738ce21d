/* The tabs of a pair of profiles: pictures, tables and files of base, head and difference, one
 * tab each. */
#ifndef PPROFCI_PAGE_TABS_H
#define PPROFCI_PAGE_TABS_H

#include "page/model.h"

/* Appends the tabs of a pair, with pictures of at most `height` pixels (0: no limit). `open`:
 * the tables are also open. */
void tabs_print(struct buffer *out, const struct page_model *m, const struct run_pair *pair,
                unsigned height, bool open);

#endif
