/* Finds the source files of a profile, reads them safely, and splits them into lines. */
#ifndef PPROFC_REPORT_SOURCE_LOOKUP_H
#define PPROFC_REPORT_SOURCE_LOOKUP_H

#include "core/base.h"

#include <pprofc/report.h>

/* Maximum size of a file in bytes. A profile may name any file of the machine, and users may
 * publish listings, so only regular text files up to this size are read. */
#define SOURCE_FILE_BYTES ((uint64_t)64 << 20)

/* Maximum total size in bytes of the files that a report shows. */
#define SOURCE_TOTAL_BYTES ((uint64_t)512 << 20)

/* A file, which is read only once. */
struct source_file {
  pprofc_str *lines; /* lines without line feeds; line n is at index n - 1 */
  size_t line_count;
  pprofc_str failure; /* reason why the file has no lines; "": no error */
};

/* Splits the text of a file into lines. A line ends with \n, with \r\n or at the end of the text.
 * Returns false when out of memory. */
bool source_file_split(struct source_file *file, pprofc_str text, struct arena *arena);

/* The files that a report has looked up. */
struct source_lookup {
  const pprofc_allocator *mem;
  struct arena arena;
  bool closed;            /* true if the lookup must not open files */
  pprofc_str search_path; /* value of the option source_path, or the current folder */
  const char *trim_path;
  pprofc_str *roots; /* the folders of search_path, with links resolved; "" for a folder that does
                        not exist */
  size_t root_count;
  struct interner names;
  struct source_file *files; /* files; a file has the same index as its name in `names` */
  size_t capacity;
  uint64_t bytes; /* size of all files that were read so far */
};

/* Prepares a lookup with the options source_path, trim_path and safe. The caller frees the lookup,
 * even after an error. */
pprofc_status source_lookup_init(struct source_lookup *lookup, const pprofc_report_options *options,
                                 const pprofc_allocator *mem, pprofc_error *error);
void source_lookup_free(struct source_lookup *lookup);

/* Returns the file that the profile calls `name`, or NULL when out of memory. The pointer is valid
 * until the next call. */
const struct source_file *source_lookup_file(struct source_lookup *lookup, pprofc_str name);

/* Searches for the missing file `name`, without some of its first path components, in the search
 * folders and their direct subfolders. At least two components must remain. If a file is found,
 * appends the flags that would find it, such as "-trim_path=example.com". */
void source_lookup_suggest(const struct source_lookup *lookup, pprofc_str name,
                           struct buffer *flags);

/* Sets *line to line `number` of the file. Returns false if there is no such line. */
bool source_lookup_line(struct source_lookup *lookup, pprofc_str name, int64_t number,
                        pprofc_str *line);

#endif
