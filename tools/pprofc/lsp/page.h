/* Writes the page of -flame into a private folder, and makes addresses that select a function. */
#ifndef PPROFC_LSP_PAGE_H
#define PPROFC_LSP_PAGE_H

#include "lsp/costs.h"

struct lsp_page {
  char folder[4000]; /* "" before the page is written */
  char path[4096];
};

/* Appends the address of the page at a function: "file:///.../flame.html#sel=main.hot". The first
 * call writes the page, which only this user can read; a later one writes it again if it is gone.
 */
pprofc_status page_address(struct lsp_page *page, const struct command *command,
                           const struct costs *costs, pprofc_str function, struct buffer *address,
                           pprofc_error *error);

/* Removes the page. */
void page_remove(struct lsp_page *page);

#endif
