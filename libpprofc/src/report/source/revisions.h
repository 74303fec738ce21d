/* Two revisions of the sources in a git repository: their files and the differences. Only the
 * repository of the current folder is read. */
#ifndef PPROFC_REPORT_SOURCE_REVISIONS_H
#define PPROFC_REPORT_SOURCE_REVISIONS_H

#include "core/error.h"
#include "report/source/hunks.h"
#include "report/source/lookup.h"

#define COMMIT_ID_MAX 65 /* hex digits of SHA-256, and the NUL */

struct revisions {
  struct arena arena;
  const char *top;                         /* folder of the repository */
  char commits[DIFF_SIDES][COMMIT_ID_MAX]; /* the head "" is the working tree */
  struct interner paths[DIFF_SIDES];       /* files of each side */
  struct hunks hunks;
  struct source_file shown; /* last file of a commit */
};

/* Opens "REF", compared with the working tree, or "REF1..REF2". The caller frees it, also after
 * a failure. Errors: PPROFC_E_INVALID for an unknown ref or without a repository,
 * PPROFC_E_UNSUPPORTED without git, PPROFC_E_LIMIT, PPROFC_E_NOMEM. */
pprofc_status revisions_open(struct revisions *revisions, const char *refs,
                             const pprofc_allocator *mem, pprofc_error *error);
void revisions_free(struct revisions *revisions);

/* Returns the path in the repository of a file of a profile: the longest suffix that is a file
 * of that side. "" if there is no such file. */
pprofc_str revisions_place(const struct revisions *revisions, enum diff_side side, pprofc_str file);

/* Reads the lines of a file of the head; `lookup` reads the working tree. If the file cannot be
 * read, (*file)->failure has the reason. *file is valid until the next call. */
pprofc_status revisions_text(struct revisions *revisions, struct source_lookup *lookup,
                             pprofc_str path, const struct source_file **file, pprofc_error *error);

#endif
