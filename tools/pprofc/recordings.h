/* Reads recordings by running the program that knows them: perf.data and V8 logs. */
#ifndef PPROFC_TOOLS_RECORDINGS_H
#define PPROFC_TOOLS_RECORDINGS_H

#include "open.h"
#include "pprofc/profile.h"

struct file_source {
  const char *source, *path; /* source as typed, and the file to read; "-" is standard input */
  const char *shown;         /* source without its password, for messages */
};

/* True if the path is a regular file. Open anything else only once: data in a named pipe is
 * lost when the pipe is closed. */
bool file_source_is_plain(const char *path);

/* Reads the file. `sums`: the data that the report needs of samples, NULL for all of it. */
pprofc_status file_source_read(const struct file_source *file, const pprofc_read_options *options,
                               const struct open_sums *sums, pprofc_profile **profile,
                               pprofc_error *error);

struct recording;

/* Finds the kind of a recording by its first bytes; NULL for any other file. */
const struct recording *recording_find(pprofc_str begin);

/* Reads a recording. `shown` is its name in messages. */
pprofc_status recording_read(const struct recording *kind, const char *path, const char *shown,
                             const pprofc_read_options *options, pprofc_profile **profile,
                             pprofc_error *error);

#endif
