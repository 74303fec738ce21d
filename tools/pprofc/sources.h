/* Reads the sources of the command line and combines them into one profile. */
#ifndef PPROFC_TOOLS_SOURCES_H
#define PPROFC_TOOLS_SOURCES_H

#include "options.h"

/* Removes the first source if it is an executable and others follow. */
void sources_find_executable(struct command *command);

/* Reads all sources and bases; merges, subtracts, prunes and annotates them. An unreadable
 * source is reported on standard error and skipped, as long as another one is readable. */
pprofc_status sources_fetch(const struct command *command, pprofc_profile **profile,
                            pprofc_error *error);

/* Sources as separate profiles, to show them side by side. */
struct sources {
  pprofc_profile *head, *base; /* profiles of the two sides; base is NULL without a base */
  pprofc_profile *combined;    /* result of sources_fetch */
};

/* Reads all sources once, as sources_fetch, and also returns head and base, each symbolized.
 * Any number of reports can use them. */
pprofc_status sources_fetch_apart(const struct command *command, struct sources *sources,
                                  pprofc_error *error);

/* A source that stays a profile of its own. */
struct source_run {
  const char *source;
  const char *folder;      /* folder where it was found, whose other files may not be profiles;
                              or NULL */
  pprofc_profile *profile; /* profile that was read; NULL if the source is not a profile or was not
                              read */
};

/* Reads all sources in parallel, ready for a report. Messages and errors come in the order of
 * the sources. The caller releases the profiles even after an error. */
pprofc_status sources_read_runs(const struct command *command, struct source_run *runs,
                                size_t count, pprofc_error *error);

/* Finishes a profile that the caller has read, in pprof's order: symbolizes, drops frames,
 * adds the comment. Contacts no server. Replaces *profile. */
pprofc_status sources_finish(const struct command *command, pprofc_profile **profile,
                             pprofc_error *error);

#endif
