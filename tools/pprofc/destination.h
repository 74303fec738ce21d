/* Where a report goes: a file, standard output, or a viewer. */
#ifndef PPROFC_TOOLS_DESTINATION_H
#define PPROFC_TOOLS_DESTINATION_H

#include "options.h"

/* Renders the command's report and takes it there. */
pprofc_status destination_report(const struct command *command, const pprofc_profile *profile,
                                 pprofc_error *error);

/* The two steps of it that the shell does by itself: rendering to a callback, through graphviz
 * where the format needs that, and in the time zone of pprof; */
pprofc_status destination_render(const struct command *command, const pprofc_profile *profile,
                                 pprofc_write_fn write, void *context, pprofc_error *error);

/* making the first of profile001.EXT, profile002.EXT ... that is free. It is made empty, so that
 * two programs never choose the same one. */
pprofc_status destination_number(const char *extension, char *path, size_t size,
                                 pprofc_error *error);

/* Whether the report is no text. A variant other than the first is text: -flame=text. */
bool destination_is_binary(const struct command *command);

#endif
