/* A source that is a file: what is wrong with it, which program reads it, and reading it. */
#ifndef PPROFC_TOOLS_FILE_SOURCE_H
#define PPROFC_TOOLS_FILE_SOURCE_H

#include "pprofc/profile.h"

struct file_source {
  const char *source, *path; /* as typed, and the file to read: "-" is standard input */
  const char *shown;         /* without a password */
  bool is_first;             /* of the sources: no flag comes before it */
};

/* Whether the path is that of a regular file. Anything else is opened once: what is written into a
 * named pipe that is closed again is lost. */
bool file_source_is_plain(const char *path);

pprofc_status file_source_read(const struct file_source *file, const pprofc_read_options *options,
                               pprofc_profile **profile, pprofc_error *error);

#endif
