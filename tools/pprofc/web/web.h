/* Serves the pages of -http. */
#ifndef PPROFC_WEB_WEB_H
#define PPROFC_WEB_WEB_H

#include "options.h"

/* Serves the profiles of the command line until SIGINT or SIGTERM. Returns the exit status. */
int web_run(struct command *command);

#endif
