/* Prepares text input: removes a byte order mark and converts UTF-16. */
#ifndef PPROFC_IMPORT_LINES_H
#define PPROFC_IMPORT_LINES_H

#include "core/buffer.h"
#include "core/error.h"
#include "import/account.h"
#include "import/import.h"

/* Sets *text to the text of `data` without a byte order mark. Converts UTF-16 into `utf8`, which
 * the caller must always free. */
pprofc_status import_text(pprofc_str data, const pprofc_allocator *mem, struct buffer *utf8,
                          pprofc_str *text, pprofc_error *error);

/* A reader of text in memory. `begins` is true for text of the reader's format. `read` adds the
 * text to the builder, which keeps the first error. The arena lives until the profile is made. */
struct import_text_reader {
  bool (*begins)(pprofc_str text);
  void (*read)(pprofc_str text, pprofc_builder *builder, struct arena *arena);
};

/* Reads text in memory with a reader. First removes a byte order mark and converts UTF-16. */
pprofc_status import_whole_text(const struct import_text_reader *reader, pprofc_str data,
                                const pprofc_allocator *mem, const struct import_options *options,
                                pprofc_profile **profile, pprofc_error *error);

/* Reads text in memory with `read`, a reader of streams. First removes a byte order mark and
 * converts UTF-16. */
pprofc_status import_lines(import_lines_fn read, pprofc_str data, const pprofc_allocator *mem,
                           const struct import_options *options, pprofc_profile **profile,
                           pprofc_error *error);

/* Returns the text from its first line that is not blank. Readers use this line to recognise a
 * format. */
pprofc_str import_first_line(pprofc_str text);

/* Removes ":12" from the end of *text. Returns false, and leaves *text unchanged, if the text does
 * not end with a number that is not negative. */
bool import_take_number(pprofc_str *text, int64_t *number);

/* Removes the next word from *rest; spaces and tabs separate words. Returns false if no word is
 * left. */
bool import_next_word(pprofc_str *rest, pprofc_str *word);

#endif
