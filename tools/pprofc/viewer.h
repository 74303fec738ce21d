/* Shows a report in another program: a browser, eog, evince, gv or kcachegrind. */
#ifndef PPROFC_TOOLS_VIEWER_H
#define PPROFC_TOOLS_VIEWER_H

#include "core/error.h"

#include <sys/types.h>

/* A temporary file for a viewer. */
struct viewer_file {
  int fd;
  char path[4096];
};

pprofc_status viewer_create(struct viewer_file *file, const char *extension, pprofc_error *error);

/* Runs the viewer on the file and waits until the viewer ends. "browser" means the first available
 * browser. */
pprofc_status viewer_show(struct viewer_file *file, const char *viewer, pprofc_error *error);

/* Starts the viewer without waiting for its end, because the shell continues. The caller removes
 * the file later. */
pprofc_status viewer_start(struct viewer_file *file, const char *viewer, pid_t *pid,
                           pprofc_error *error);

/* Checks without waiting if the viewer has ended. If so, sets *status to its exit status and
 * returns true. */
bool viewer_has_ended(pid_t pid, int *status);

void viewer_remove(struct viewer_file *file);

/* Starts $BROWSER, or else the first browser in pprof's list that works. Does not wait for its end.
 * Returns false if no browser starts. */
bool viewer_browse(const char *address);

#endif
