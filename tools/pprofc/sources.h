/* From sources on the command line to the one profile that is reported on. */
#ifndef PPROFC_TOOLS_SOURCES_H
#define PPROFC_TOOLS_SOURCES_H

#include "options.h"

/* Takes the executable off the front of the sources when the first of several is one. */
void sources_find_executable(struct command *command);

/* Reads all sources, and the base if there is one; merges, subtracts, prunes and annotates as the
 * command says. A source that cannot be read is reported on standard error and left out as long as
 * there is another. */
pprofc_status sources_fetch(const struct command *command, pprofc_profile **profile,
                            pprofc_error *error);

/* The sources apart, for a program that shows them side by side. */
struct sources {
  pprofc_profile *head, *base; /* base is NULL when there is none */
  pprofc_profile *combined;    /* what sources_fetch gives */
};

/* Reads everything once, as sources_fetch does, and gives head and base apart, too; each has its
 * names. Any number of reports may be made of them. */
pprofc_status sources_fetch_apart(const struct command *command, struct sources *sources,
                                  pprofc_error *error);
void sources_release(struct sources *sources);

/* A source that stays a profile of its own. */
struct source_run {
  const char *source;
  const char *folder;      /* that it was found in, or NULL: a file there may be something else */
  pprofc_profile *profile; /* NULL: not read, or something else */
};

/* Reads each source, in parallel, ready for a report. Messages and errors are those of the first in
 * order. The profiles that were read are the caller's also after an error. */
pprofc_status sources_read_runs(const struct command *command, struct source_run *runs,
                                size_t count, pprofc_error *error);

/* What happens to a profile that the caller has read itself, in pprof's order: names, dropped
 * frames, a comment. No server is asked. Replaces *profile. */
pprofc_status sources_finish(const struct command *command, pprofc_profile **profile,
                             pprofc_error *error);

#endif
