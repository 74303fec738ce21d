/* Reads recordings with the program that wrote them: perf for perf.data, node for V8 logs. */
#ifndef PPROFC_TOOLS_RECORDINGS_H
#define PPROFC_TOOLS_RECORDINGS_H

#include "open.h"
#include "options.h"
#include "pprofc/profile.h"

struct file_source {
  const char *source, *path; /* as on the command line, and file to read; "-": stdin */
  const char *shown;         /* source without its password, for messages */
};

/* True for a regular file. The caller opens others once, to keep the data of a named pipe. */
bool file_source_is_plain(const char *path);

/* Removes the first source, and base of -diff_time_range, if it is an executable before others. */
void sources_find_executable(struct command *command);

/* Reads the file. `sums` describes which data of the samples the report needs; NULL: all data. */
pprofc_status file_source_read(const struct file_source *file, const pprofc_read_options *options,
                               const struct open_sums *sums, pprofc_profile **profile,
                               pprofc_error *error);

struct recording;

/* Returns the type of a recording from its first bytes, or NULL for other files. */
const struct recording *recording_find(pprofc_str begin);

/* Reads a recording. `shown` is the name of the file in messages. */
pprofc_status recording_read(const struct recording *kind, const char *path, const char *shown,
                             const pprofc_read_options *options, const struct open_sums *sums,
                             pprofc_profile **profile, pprofc_error *error);

#endif
