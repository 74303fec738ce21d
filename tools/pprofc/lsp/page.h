/* Writes the page with the flame graph into a private folder, and creates its URLs. */
#ifndef PPROFC_LSP_PAGE_H
#define PPROFC_LSP_PAGE_H

#include "lsp/costs.h"

struct lsp_page {
  char folder[4000]; /* private folder; "" until the first page */
  char path[4096];
};

/* Appends the page's URL with a function selected: "file:///.../flame.html#sel=main.hot". The first
 * call writes the page for this user only; later calls do if it was deleted. */
pprofc_status page_address(struct lsp_page *page, const struct command *command,
                           const struct costs *costs, pprofc_str function, struct buffer *address,
                           pprofc_error *error);

void page_remove(struct lsp_page *page);

#endif
