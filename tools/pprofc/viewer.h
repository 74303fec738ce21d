/* Shows a report in another program: a browser, eog, evince, gv or kcachegrind. */
#ifndef PPROFC_TOOLS_VIEWER_H
#define PPROFC_TOOLS_VIEWER_H

#include "core/error.h"

#include <sys/types.h>

struct viewer_file {
  int fd;
  char path[4096];
};

pprofc_status viewer_create(struct viewer_file *file, const char *extension, pprofc_error *error);

/* Runs the viewer on the file. "browser" means the first available browser. */
pprofc_status viewer_show(struct viewer_file *file, const char *viewer, pprofc_error *error);

/* Starts the viewer without waiting. The caller removes the file later. */
pprofc_status viewer_start(struct viewer_file *file, const char *viewer, pid_t *pid,
                           pprofc_error *error);

/* True if the viewer has ended. Then sets *status to its exit status. */
bool viewer_has_ended(pid_t pid, int *status);

void viewer_remove(struct viewer_file *file);

/* Starts $BROWSER, or a browser of pprof's list. Returns false if no browser starts. */
bool viewer_browse(const char *address);

#endif
