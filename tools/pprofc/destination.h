/* Where a report goes: a file, standard output, or a viewer. */
#ifndef PPROFC_TOOLS_DESTINATION_H
#define PPROFC_TOOLS_DESTINATION_H

#include "options.h"

/* Renders the command's report and takes it there. */
pprofc_status destination_report(const struct command *command, const pprofc_profile *profile,
                                 pprofc_error *error);

#endif
