/* Prints the output of -version. */
#ifndef PPROFC_TOOLS_VERSION_H
#define PPROFC_TOOLS_VERSION_H

#include "core/output.h"

void version_print(struct output *out);

#endif
