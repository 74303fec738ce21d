/* What the page shows of a pair of profiles: pictures, tables and files of base, head and their
 * difference, a tab each. */
#ifndef PPROFCI_PAGE_TABS_H
#define PPROFCI_PAGE_TABS_H

#include "page/model.h"

/* Appends the tabs of a pair, with pictures of at most `height` pixels (0: whole ones). `open`: the
 * tables are open, too. */
void tabs_print(struct buffer *out, const struct page_model *m, const struct run_pair *pair,
                unsigned height, bool open);

#endif
