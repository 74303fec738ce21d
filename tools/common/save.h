/* Writes files completely or not at all. ^C removes an incomplete file. */
#ifndef TOOLS_COMMON_SAVE_H
#define TOOLS_COMMON_SAVE_H

#include "core/output.h"

typedef pprofc_status save_fn(const void *context, pprofc_write_fn write, void *to,
                              pprofc_error *error);

typedef pprofc_status save_print_fn(const void *context, struct output *out, pprofc_error *error);

/* Both functions replace the file at `path` by content that a callback writes. On failure, the old
 * file is unchanged. */
pprofc_status save_file(const char *path, save_fn *write, const void *context, pprofc_error *error);
pprofc_status save_printed(const char *path, save_print_fn *print, const void *context,
                           pprofc_error *error);

/* Replaces the file at `path` by a text, like save_file. */
pprofc_status save_text(const char *path, pprofc_str text, pprofc_error *error);

/* Appends a text to a file, which other programs may append to at the same time. */
pprofc_status save_append(const char *path, pprofc_str text, pprofc_error *error);

#endif
