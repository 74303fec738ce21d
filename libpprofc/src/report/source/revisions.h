/* Reads two revisions of sources in a git repository: their files and differences. */
#ifndef PPROFC_REPORT_SOURCE_REVISIONS_H
#define PPROFC_REPORT_SOURCE_REVISIONS_H

#include "report/source/hunks.h"
#include "report/source/lookup.h"

#define COMMIT_ID_MAX 65 /* size in bytes of a commit id: the hex digits of SHA-256 and a NUL */

struct revisions {
  struct arena arena;
  const char *top; /* folder of the repository */
  /* commit ids of base and head; "" means the working tree */
  char commits[DIFF_SIDES][COMMIT_ID_MAX];
  struct interner paths[DIFF_SIDES]; /* paths of the files in base, and in head */
  struct hunks hunks;
  struct source_file shown; /* file that revisions_text read last from a commit */
};

/* Opens the repository of the current folder. `refs` is "REF1..REF2", or "REF" to compare with the
 * working tree. The caller frees `revisions`, even after an error. Errors: PPROFC_E_INVALID
 * (unknown ref, no repository), PPROFC_E_UNSUPPORTED (no git), PPROFC_E_LIMIT, PPROFC_E_NOMEM. */
pprofc_status revisions_open(struct revisions *revisions, const char *refs,
                             const pprofc_allocator *mem, pprofc_error *error);
/* Opens the repository of `folder`. Compares the commit `ref` with the working tree. If `ref` is
 * empty, compares the last commit of HEAD that is older than `seconds` (since 1970) instead. */
pprofc_status revisions_open_at(struct revisions *revisions, const char *folder, const char *ref,
                                int64_t seconds, const pprofc_allocator *mem, pprofc_error *error);
void revisions_free(struct revisions *revisions);

/* Returns the path in the repository of a file that the profile calls `file`. This is the longest
 * suffix of `file` that is a path in base or in head (`side`). Returns "" if there is no such
 * suffix. */
pprofc_str revisions_place(const struct revisions *revisions, enum diff_side side, pprofc_str file);

/* Reads a file of base or head (`side`). If this is the working tree, `lookup` reads the file.
 * (*file)->failure is "" or the reason why the file has no lines. *file is valid until the next
 * call. The lines are valid as long as `revisions` and `lookup`. */
pprofc_status revisions_text(struct revisions *revisions, struct source_lookup *lookup,
                             enum diff_side side, pprofc_str path, const struct source_file **file,
                             pprofc_error *error);

#endif
