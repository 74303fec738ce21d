/* Writes a report to a file, to standard output or to a viewer. */
#ifndef PPROFC_TOOLS_DESTINATION_H
#define PPROFC_TOOLS_DESTINATION_H

#include "options.h"

pprofc_status destination_report(const struct command *command, const pprofc_profile *profile,
                                 pprofc_error *error);

/* Writes the report by `write`, in pprof's time zone, by graphviz for formats that need it. */
pprofc_status destination_render(const struct command *command, const pprofc_profile *profile,
                                 pprofc_write_fn write, void *context, pprofc_error *error);

/* Creates an empty file with the first free name of profile001.EXT, profile002.EXT ... Other
 * programs then cannot take this name. Writes the name to `path`. The interactive shell also calls
 * this function. */
pprofc_status destination_number(const char *extension, char *path, size_t size,
                                 pprofc_error *error);

/* True if the output is binary. Variants such as -flame=text are text. */
bool destination_is_binary(const struct command *command);

/* Reads the file of -origin_rules into `text`, and points the options to the text. Does nothing
 * without the flag. The caller frees the buffer, even after an error. */
pprofc_status destination_read_rules(pprofc_report_options *options, struct buffer *text,
                                     pprofc_error *error);

#endif
