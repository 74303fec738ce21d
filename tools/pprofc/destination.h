/* Writes a report to a file, to standard output or to a viewer. */
#ifndef PPROFC_TOOLS_DESTINATION_H
#define PPROFC_TOOLS_DESTINATION_H

#include "options.h"

pprofc_status destination_report(const struct command *command, const pprofc_profile *profile,
                                 pprofc_error *error);

/* Creates the report and passes its bytes to `write`. Uses pprof's time zone, and runs graphviz for
 * formats that need it. */
pprofc_status destination_render(const struct command *command, const pprofc_profile *profile,
                                 pprofc_write_fn write, void *context, pprofc_error *error);

/* Creates an empty file with the first free name of profile001.EXT, profile002.EXT ... Other
 * programs then cannot take this name. Writes the name to `path`. */
pprofc_status destination_number(const char *extension, char *path, size_t size,
                                 pprofc_error *error);

/* True if the output is binary. Variants such as -flame=text are text. */
bool destination_is_binary(const struct command *command);

/* Reads the file of -origin_rules into `text`, and points the options to the text. Does nothing
 * without the flag. The caller frees the buffer, even after an error. */
pprofc_status destination_read_rules(pprofc_report_options *options, struct buffer *text,
                                     pprofc_error *error);

/* Creates a picture of a report: runs graphviz on a dot report, and passes the picture to `write`.
 * The format's field `graphviz` names the type of the picture, such as "svg". */
pprofc_status graphviz_report(const struct command *command, const pprofc_profile *profile,
                              pprofc_write_fn write, void *context, pprofc_error *error);

/* Runs dot and appends the picture. Stops dot after `timeout_ms` milliseconds; 0: no limit. */
pprofc_status graphviz_draw(const char *type, pprofc_str graph, unsigned timeout_ms,
                            struct buffer *picture, pprofc_error *error);

/* ---- other programs that show a report: a browser, eog, evince, gv, kcachegrind (viewer.c) */

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

/* Starts the browser in $BROWSER. If that fails, starts the first available browser of pprof's
 * list. Returns false if no browser starts. */
bool viewer_browse(const char *address);

/* ---- time zone ------------------------------------ */

struct time_zone {
  char *before; /* old value of $TZ; NULL: $TZ did not change */
};

/* Sets $TZ to the time zone that pprof would use for a report. This is the file named by $TZ, or
 * UTC if there is no such file. A POSIX rule such as "EST5" names no file. Returns false when out
 * of memory. */
bool time_zone_enter(struct time_zone *zone);

/* Restores the old $TZ, for programs that start later. */
void time_zone_leave(struct time_zone *zone);

#endif
