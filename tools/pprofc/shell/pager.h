/* Standard output through a pager, if the report is longer than the terminal. */
#ifndef PPROFC_SHELL_PAGER_H
#define PPROFC_SHELL_PAGER_H

#include "session.h"

struct pager {
  bool wanted; /* true until the pager starts */
  size_t rows, width;
  size_t used; /* rows of the held text, and cells of its last row */
  size_t column;
  struct buffer held; /* text held until the pager starts */
  struct shell_process process;
};

/* `allowed`: a terminal is there and the user did not turn the pager off. */
void pager_init(struct pager *pager, bool allowed);
int pager_write(struct pager *pager, const void *data, size_t size);

/* Writes the held text, or waits for the pager. */
pprofc_status pager_end(struct pager *pager, pprofc_status status, pprofc_error *error);

#endif
