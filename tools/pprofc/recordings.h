/* Reads recordings with the program that wrote them: perf for perf.data, node for V8 logs. */
#ifndef PPROFC_TOOLS_RECORDINGS_H
#define PPROFC_TOOLS_RECORDINGS_H

#include "open.h"
#include "options.h"
#include "pprofc/profile.h"

struct file_source {
  /* source as on the command line, and path of the file to read; the path "-" is standard input */
  const char *source, *path;
  const char *shown; /* source without its password, for messages */
};

/* Moves the first of several sources to `executable` if it is an executable. With -diff_time_range,
 * also removes it from the bases. */
void sources_find_executable(struct command *command);

/* Reads the file as a profile. `sums` describes the sample data that the report needs. NULL means
 * that the report needs all data. */
pprofc_status file_source_read(const struct file_source *file, const pprofc_read_options *options,
                               const struct open_sums *sums, pprofc_profile **profile,
                               pprofc_error *error);

struct recording;

/* Returns the type of a recording that begins with the bytes `begin`, or NULL if these bytes do not
 * begin a recording. */
const struct recording *recording_find(pprofc_str begin);

/* Reads a recording. `shown` is the name of the file in messages. */
pprofc_status recording_read(const struct recording *kind, const char *path, const char *shown,
                             const pprofc_read_options *options, const struct open_sums *sums,
                             pprofc_profile **profile, pprofc_error *error);

#endif
