/* Text of open documents: where the lines of the opened text are now. */
#ifndef PPROFC_LSP_DOCUMENT_H
#define PPROFC_LSP_DOCUMENT_H

#include "core/buffer.h"

struct document {
  struct buffer uri, first, now; /* text when it was opened, and now */
  pprofc_str file;               /* file of the profile, or empty */
};

/* Returns the line, from 0, at which a line of the opened text is now; SIZE_MAX if it changed. */
size_t document_line(const struct document *document, size_t line);

/* Returns the line of the opened text that is at a line now; SIZE_MAX if it changed. */
size_t document_origin(const struct document *document, size_t line);

/* Returns the length of a line in UTF-16 units. */
size_t document_length(const struct document *document, size_t line);

/* Appends the path of a file: URI. */
void document_path(pprofc_str uri, struct buffer *path);

#endif
