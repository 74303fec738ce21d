/* Small files of settings, read whole. */
#ifndef PPROFC_TOOLS_FETCH_SMALL_FILE_H
#define PPROFC_TOOLS_FETCH_SMALL_FILE_H

#include "core/buffer.h"
#include "core/error.h"

/* Appends the file to the buffer, whose ceiling is the most it may have. */
pprofc_status small_file_read(const char *path, struct buffer *text, pprofc_error *error);

#endif
