/* Standard output, through a pager when the report has more lines than the terminal. */
#ifndef PPROFC_SHELL_PAGER_H
#define PPROFC_SHELL_PAGER_H

#include "session.h"

struct pager {
  bool wanted; /* and it has not been started yet */
  size_t rows, width;
  size_t used; /* rows of the terminal that the text so far takes, and cells of the last */
  size_t column;
  struct buffer held; /* the text so far */
  struct shell_process process;
};

/* `allowed`: the user wants one, and there is a terminal. */
void pager_init(struct pager *pager, bool allowed);
int pager_write(struct pager *pager, const void *data, size_t size);

/* Writes what was held back, or waits for the pager. */
pprofc_status pager_end(struct pager *pager, pprofc_status status, pprofc_error *error);

#endif
