/* Readers of other tools' formats and of old formats, in one table. A new format needs one file, a
 * declaration in formats.h, and rows in formats.c and format_table.c. */
#ifndef PPROFC_IMPORT_IMPORT_H
#define PPROFC_IMPORT_IMPORT_H

#include "import/text_stream.h"
#include "profile/builder.h"

/* Settings of readers: the fields of pprofc_read_options, with defaults in place of limits that are
 * 0, and fields for internal use. */
struct import_options {
  const pprofc_limits *limits;
  unsigned threads;
  pprofc_call_stacks call_stacks;
  bool may_change;
  void (*warn)(void *warn_context, const char *message);
  void *warn_context;
  const char *map_folder;
  bool times; /* true to keep the times of samples (profile/times.h) */
};

/* Returns true if the data has the reader's format. */
typedef bool (*import_begins_fn)(pprofc_str data);

/* Reads data into the builder, which keeps the first error. If the data turns out to have another
 * format, the error is PPROFC_E_NO_MATCH. The arena lives until the profile is made. */
typedef void (*import_fn)(pprofc_str data, pprofc_builder *builder, struct arena *arena,
                          const struct import_options *options);

/* Reads a stream of text line by line. Recognises the format from text->rest, the part of the text
 * in memory. Returns PPROFC_OK and a profile, or PPROFC_E_NO_MATCH for text of another format; then
 * the caller tries the next reader. After any other status, the caller does not try another reader.
 * If the stream ends early because of a failure, the reader returns the status of the stream. */
typedef pprofc_status (*import_lines_fn)(struct text_stream *text, const pprofc_allocator *mem,
                                         const struct import_options *options,
                                         pprofc_profile **profile, pprofc_error *error);

struct import_format {
  const char *name; /* name for messages: "gperftools CPU profile" */
  import_fn read;
  bool wraps; /* true if totals above 63 bits wrap around, as in pprof; false if the library rejects
                 files with such totals */
  import_begins_fn begins;
  import_lines_fn lines; /* reader of a stream of text, or NULL */
};

/* Formats, in the order in which the library tries them; a row without a name ends the table. */
extern const struct import_format import_formats[];

/* Tries to read `data`, which is not compressed and has no byte order mark. Returns the same as
 * import_lines_fn. After any status but PPROFC_E_NO_MATCH, the caller must not read the data
 * again. */
pprofc_status import_read(const struct import_format *format, pprofc_str data,
                          const pprofc_allocator *mem, const struct import_options *options,
                          pprofc_profile **profile, pprofc_error *error);

/* Makes a profile with `read`, which fills a builder. */
pprofc_status
import_build(void (*read)(void *context, pprofc_builder *builder, struct arena *arena),
             void *context, const pprofc_allocator *mem, const struct import_options *options,
             pprofc_profile **profile, pprofc_error *error);

#endif
