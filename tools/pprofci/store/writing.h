/* Creates the record of a run from the folder of `pprofci run`, or from results and profiles. */
#ifndef PPROFCI_STORE_WRITING_H
#define PPROFCI_STORE_WRITING_H

#include "core/error.h"
#include "core/mem.h"
#include "pprofc/bench.h"
#include "store/backing.h"

struct commit_info {
  const char *commit, *branch, *machine; /* "" if unknown */
  const char *tags[64];
  size_t tag_count;
  /* time of the commit in seconds since 1970, and number of commits up to this one; -1: unknown */
  int64_t time, order;
};

/* Sets the fields that no flag has set, from git and the environment of the CI job. */
void commit_complete(struct commit_info *info, struct arena *arena);

struct writing_profile {
  const char *path, *kind, *package, *benchmark, *name;
};

/* Data collected from the inputs. */
struct writing {
  struct arena arena;
  const char *folder;          /* path of a run's folder, or NULL */
  const struct node *manifest; /* manifest in `folder`, or NULL */
  pprofc_bench *set;           /* benchmark results of the given files, or NULL */
  struct writing_profile *profiles;
  size_t profile_count, profile_capacity;
  int64_t time; /* time of the newest input in seconds since 1970 */
};

/* Reads the inputs: one folder of a run, or files of results and profiles. */
void writing_read(struct writing *w, const char *const *paths, size_t count);
void writing_free(struct writing *w);

/* Sets the commit and the machine from the inputs. */
void writing_fill_commit(struct writing *w, struct commit_info *info);

struct writing_result {
  char id[33];
  size_t series, profiles;
};

/* Writes the profiles, then the tags, then the record that refers to the profiles. A reader of a
 * record therefore always finds all its objects. */
void writing_put(struct writing *w, struct backing *backing, const struct commit_info *info,
                 struct writing_result *result);

/* Writes only the tags of a commit. */
void writing_put_tags(struct arena *arena, struct backing *backing, const struct commit_info *info);

#endif
