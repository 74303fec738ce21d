/* Making the record of a run from the folder of `pprofci run`, or from files of results and
 * profiles. */
#ifndef PPROFCI_STORE_WRITING_H
#define PPROFCI_STORE_WRITING_H

#include "pprofc/bench.h"
#include "store/backing.h"
#include "store/facts.h"

/* A profile that goes into the store. */
struct writing_profile {
  const char *path, *kind, *package, *benchmark, *name;
};

/* What is put together of the inputs. */
struct writing {
  struct arena arena;
  const char *folder;          /* of a run; NULL: none */
  const struct node *manifest; /* of that folder, or NULL */
  pprofc_bench *set;           /* of files of results, or NULL */
  struct writing_profile *profiles;
  size_t profile_count, profile_capacity;
  int64_t time; /* when the newest input was written */
};

/* Reads the inputs: one folder of a run, or files of results and profiles. */
pprofc_status writing_read(struct writing *w, const char *const *paths, size_t count,
                           pprofc_error *error);
void writing_free(struct writing *w);

/* Fills in what the inputs tell of the commit: its id, the machine. */
pprofc_status writing_tell(struct writing *w, struct commit_facts *facts, pprofc_error *error);

/* What was written. */
struct writing_result {
  char id[33];
  size_t series, profiles;
};

/* Writes profiles first, then the tags, then the record that names them: whoever finds a record
 * finds all of it. */
pprofc_status writing_put(struct writing *w, struct backing *backing,
                          const struct commit_facts *facts, struct writing_result *result,
                          pprofc_error *error);

/* Writes the tags of a commit alone. */
pprofc_status writing_put_tags(struct arena *arena, struct backing *backing,
                               const struct commit_facts *facts, pprofc_error *error);

#endif
