/* Writes a report to a file, to standard output or to a viewer. */
#ifndef PPROFC_TOOLS_DESTINATION_H
#define PPROFC_TOOLS_DESTINATION_H

#include "options.h"

/* Renders the command's report and writes it to its destination. */
pprofc_status destination_report(const struct command *command, const pprofc_profile *profile,
                                 pprofc_error *error);

/* Renders a report to a callback, in pprof's time zone, and through graphviz if the format
 * needs it. The shell also calls this. */
pprofc_status destination_render(const struct command *command, const pprofc_profile *profile,
                                 pprofc_write_fn write, void *context, pprofc_error *error);

/* Creates the first free file of profile001.EXT, profile002.EXT ... and sets `path`. The file
 * is created empty, so that two programs never use the same one. The shell also calls this. */
pprofc_status destination_number(const char *extension, char *path, size_t size,
                                 pprofc_error *error);

/* True if the report is not text. A variant other than the first is text: -flame=text. */
bool destination_is_binary(const struct command *command);

/* Reads the file of -origin_rules into `text` and makes the options point to it. Does nothing
 * without a file. The caller frees the buffer even after an error. */
pprofc_status destination_read_rules(pprofc_report_options *options, struct buffer *text,
                                     pprofc_error *error);

#endif
