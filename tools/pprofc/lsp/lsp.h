/* Implements pprofc -lsp and -quickfix, which show the costs of a profile in an editor. */
#ifndef PPROFC_LSP_LSP_H
#define PPROFC_LSP_LSP_H

#include "options.h"

/* Answers an editor on standard input, over the Language Server Protocol. */
pprofc_status lsp_run(const struct command *command, int in, int out, pprofc_error *error);

/* Prints the lines with the largest values, one a line: file:line:column: text. */
pprofc_status quickfix_print(const struct command *command, pprofc_write_fn write, void *context,
                             pprofc_error *error);

#endif
