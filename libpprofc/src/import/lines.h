/* Text inputs: byte order marks and UTF-16; saying what of them was not read. */
#ifndef PPROFC_IMPORT_LINES_H
#define PPROFC_IMPORT_LINES_H

#include "core/buffer.h"
#include "core/error.h"
#include "profile/builder.h"

/* The text of `data` without byte order mark; UTF-16 is converted into `utf8`, which the caller
 * frees in any case. */
pprofc_status import_text(pprofc_str data, const pprofc_allocator *mem, struct buffer *utf8,
                          pprofc_str *text, pprofc_error *error);

/* The text from the first line on that has something: for formats that their first line tells. */
pprofc_str import_first_line(pprofc_str text);

/* Comments the profile with "1 ONE" or "COUNT MANY", unless there are none. */
void import_note_count(pprofc_builder *builder, uint64_t count, const char *one, const char *many);

#endif
