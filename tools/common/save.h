/* Writes files that appear complete or not at all. ^C removes an incomplete file. */
#ifndef TOOLS_COMMON_SAVE_H
#define TOOLS_COMMON_SAVE_H

#include "core/output.h"

/* Writes the content of a file with `write`. */
typedef pprofc_status save_fn(const void *context, pprofc_write_fn write, void *to,
                              pprofc_error *error);

/* Prints the content of a file to `out`. */
typedef pprofc_status save_print_fn(const void *context, struct output *out, pprofc_error *error);

/* Both replace the file at `path`, with the content from a callback. After a failure the old file
 * is unchanged. */
pprofc_status save_file(const char *path, save_fn *write, const void *context, pprofc_error *error);
pprofc_status save_printed(const char *path, save_print_fn *print, const void *context,
                           pprofc_error *error);

/* Writes a text to the file with the same checks. */
pprofc_status save_text(const char *path, pprofc_str text, pprofc_error *error);

/* Appends a text to a file and creates the file if necessary. Other programs may append at the same
 * time. */
pprofc_status save_append(const char *path, pprofc_str text, pprofc_error *error);

#endif
