/* Reads a source that is a file, with perf or node if its format needs them. */
#ifndef PPROFC_TOOLS_FILE_SOURCE_H
#define PPROFC_TOOLS_FILE_SOURCE_H

#include "open.h"

struct file_source {
  const char *source, *path; /* source as typed, and the file to read; "-" is standard input */
  const char *shown;         /* source without its password, for messages */
  bool is_first; /* true for the first source; '-' before a later one is a misplaced flag */
};

/* True if the path is a regular file. Open anything else only once: data in a named pipe is
 * lost when the pipe is closed. */
bool file_source_is_plain(const char *path);

/* Reads the file. `sums`: the data that the report needs of samples, NULL for all of it. */
pprofc_status file_source_read(const struct file_source *file, const pprofc_read_options *options,
                               const struct open_sums *sums, pprofc_profile **profile,
                               pprofc_error *error);

#endif
