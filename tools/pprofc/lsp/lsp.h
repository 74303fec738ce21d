/* Implements pprofc -lsp and -quickfix, which show the costs of source lines in an editor. */
#ifndef PPROFC_LSP_LSP_H
#define PPROFC_LSP_LSP_H

#include "options.h"

/* Serves an editor by the Language Server Protocol, from `in` to `out`. */
pprofc_status lsp_run(const struct command *command, int in, int out, pprofc_error *error);

/* Prints the lines with the largest values, each as "file:line:column: text". */
pprofc_status quickfix_print(const struct command *command, pprofc_write_fn write, void *context,
                             pprofc_error *error);

#endif
