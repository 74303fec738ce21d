/* Prepares text input: removes a byte order mark and converts UTF-16. */
#ifndef PPROFC_IMPORT_LINES_H
#define PPROFC_IMPORT_LINES_H

#include "import/account.h"
#include "import/import.h"

/* Sets *text to the text of `data` without a byte order mark. Converts UTF-16 into `utf8`, which
 * the caller must always free. */
pprofc_status import_text(pprofc_str data, const pprofc_allocator *mem, struct buffer *utf8,
                          pprofc_str *text, pprofc_error *error);

/* Appends a character in UTF-8. */
void import_add_utf8(struct buffer *out, uint32_t c);
/* Converts a unit of UTF-16 to UTF-8 and appends it. *high is the pending high surrogate, or 0. An
 * unpaired surrogate becomes U+FFFD. */
void import_add_utf16(struct buffer *out, uint32_t unit, uint32_t *high);

/* Returns the text without leading blank lines. Readers recognise a format by the first line of
 * this text. */
pprofc_str import_first_line(pprofc_str text);

/* Removes ":12" from the end of *text. Returns false, and leaves *text unchanged, if the text does
 * not end with a number that is not negative. */
bool import_take_number(pprofc_str *text, int64_t *number);

/* Removes the next word from *rest; spaces and tabs separate words. Returns false if no word is
 * left. */
bool import_next_word(pprofc_str *rest, pprofc_str *word);

#endif
