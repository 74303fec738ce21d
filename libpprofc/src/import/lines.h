/* Text input: byte order marks, UTF-16, and comments about what was left out. */
#ifndef PPROFC_IMPORT_LINES_H
#define PPROFC_IMPORT_LINES_H

#include "core/buffer.h"
#include "core/error.h"
#include "profile/builder.h"

/* Returns the text of `data` without a byte order mark. UTF-16 is converted into `utf8`, which
 * the caller must always free. */
pprofc_status import_text(pprofc_str data, const pprofc_allocator *mem, struct buffer *utf8,
                          pprofc_str *text, pprofc_error *error);

/* Returns the text from the first line that is not blank, for formats that this line
 * identifies. */
pprofc_str import_first_line(pprofc_str text);

/* Adds the comment "1 ONE" or "COUNT MANY" to the profile, unless count is 0. */
void import_note_count(pprofc_builder *builder, uint64_t count, const char *one, const char *many);

/* Prefix of the comment that import_note_share writes. */
#define IMPORT_LEFT_OUT "skipped: "

/* Adds the comment "left out: 3 of 40 events (7.5%)" unless nothing was left out. Other
 * comments give the reasons. open.c warns if it is more than 1 %. */
void import_note_share(pprofc_builder *builder, uint64_t read, uint64_t left_out,
                       const char *events);

#endif
