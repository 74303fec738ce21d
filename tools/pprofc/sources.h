/* Reads the sources of the command line, and combines them into one profile. */
#ifndef PPROFC_TOOLS_SOURCES_H
#define PPROFC_TOOLS_SOURCES_H

#include "options.h"

/* Reads all sources and bases. Merges and subtracts them, drops frames and adds comments. Prints an
 * error about an unreadable source. Continues without this source if another source is readable. */
pprofc_status sources_fetch(const struct command *command, pprofc_profile **profile,
                            pprofc_error *error);

/* Head and base as two profiles, to show them next to each other. */
struct sources {
  pprofc_profile *head, *base; /* profiles of a comparison; base is NULL if there is no base */
  pprofc_profile *combined;    /* profile that sources_fetch would return */
};

/* Reads the sources like sources_fetch. With `apart`, also sets head and base as separate profiles.
 * Symbolizes all three profiles. */
pprofc_status sources_get(const struct command *command, bool apart, struct sources *sources,
                          pprofc_error *error);

struct source_run {
  const char *source;
  const char *folder;      /* folder of the source, or NULL */
  bool is_base;            /* true if the source is a run of the base */
  pprofc_profile *profile; /* profile; NULL if the source is not a profile or was not read */
};

/* Reads all sources in parallel, and prepares each of them for a report. Messages and errors are in
 * the order of the sources. The caller releases the profiles, even after an error. */
pprofc_status sources_read_runs(const struct command *command, struct source_run *runs,
                                size_t count, pprofc_error *error);

/* Prepares a profile for a report as pprof does: symbolizes it, drops frames and adds the comment.
 * Contacts no server. Replaces *profile. */
pprofc_status sources_finish(const struct command *command, pprofc_profile **profile,
                             pprofc_error *error);

#endif
