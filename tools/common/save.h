/* Writes files whole: a file appears when it is complete, and ^C removes an incomplete one. */
#ifndef TOOLS_COMMON_SAVE_H
#define TOOLS_COMMON_SAVE_H

#include "core/output.h"

/* Writes the content of a file, through the callback. */
typedef pprofc_status save_fn(const void *context, pprofc_write_fn write, void *to,
                              pprofc_error *error);

/* Prints the content of a file. */
typedef pprofc_status save_print_fn(const void *context, struct output *out, pprofc_error *error);

/* Write the file at `path`: replace it, or leave it unchanged on failure. */
pprofc_status save_file(const char *path, save_fn *write, const void *context, pprofc_error *error);
pprofc_status save_printed(const char *path, save_print_fn *print, const void *context,
                           pprofc_error *error);

/* Writes a text to the file in the same way. */
pprofc_status save_text(const char *path, pprofc_str text, pprofc_error *error);

/* Appends a text to a file, which is created if needed. Other programs append to the same file. */
pprofc_status save_append(const char *path, pprofc_str text, pprofc_error *error);

#endif
