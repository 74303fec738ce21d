/* A source that is a file: what is wrong with it, which program reads it, and reading it. */
#ifndef PPROFC_TOOLS_SOURCE_FILE_H
#define PPROFC_TOOLS_SOURCE_FILE_H

#include "pprofc/profile.h"

struct source_file {
  const char *source, *path; /* as typed, and the file to read: "-" is standard input */
  const char *shown;         /* without a password */
  bool is_first;             /* of the sources: no flag stands before it */
};

/* Whether the path is that of a regular file. Anything else is opened once: what is written into a
 * named pipe that is closed again is lost. */
bool source_file_is_plain(const char *path);

pprofc_status source_file_read(const struct source_file *file, const pprofc_read_options *options,
                               pprofc_profile **profile, pprofc_error *error);

#endif
