/* Reads two revisions of the sources in a git repository: their files and the differences. */
#ifndef PPROFC_REPORT_SOURCE_REVISIONS_H
#define PPROFC_REPORT_SOURCE_REVISIONS_H

#include "core/error.h"
#include "report/source/hunks.h"
#include "report/source/lookup.h"

#define COMMIT_ID_MAX 65 /* size of a commit id: the hex digits of SHA-256, and the NUL */

struct revisions {
  struct arena arena;
  const char *top; /* folder of the repository */
  /* Ids of the commits of base and head; "" for the working tree. */
  char commits[DIFF_SIDES][COMMIT_ID_MAX];
  struct interner paths[DIFF_SIDES]; /* paths of the files of each side */
  struct hunks hunks;
  struct source_file shown; /* last file read from a commit */
};

/* Opens the repository of the current folder. `refs` is "REF", which is compared with the working
 * tree, or "REF1..REF2". The caller frees `revisions`, even after an error. Errors:
 * PPROFC_E_INVALID for an unknown ref or without a repository, PPROFC_E_UNSUPPORTED without git,
 * PPROFC_E_LIMIT, PPROFC_E_NOMEM. */
pprofc_status revisions_open(struct revisions *revisions, const char *refs,
                             const pprofc_allocator *mem, pprofc_error *error);
/* Opens the repository of `folder` and compares a commit with the working tree. The commit is
 * `ref`; if `ref` is empty, the commit is the newest commit of HEAD before `seconds` since 1970. */
pprofc_status revisions_open_at(struct revisions *revisions, const char *folder, const char *ref,
                                int64_t seconds, const pprofc_allocator *mem, pprofc_error *error);
void revisions_free(struct revisions *revisions);

/* Returns the repository path of a file that a profile names: the longest suffix of its path that
 * is a file of that side; "" if no suffix is a file. */
pprofc_str revisions_place(const struct revisions *revisions, enum diff_side side, pprofc_str file);

/* Reads the lines of a file of head. `lookup` reads the file if head is the working tree. If the
 * file cannot be read, (*file)->failure is the reason. *file is valid until the next call. */
pprofc_status revisions_text(struct revisions *revisions, struct source_lookup *lookup,
                             pprofc_str path, const struct source_file **file, pprofc_error *error);

#endif
