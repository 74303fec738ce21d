/* Reads a run from a store: results, verdict and profiles of one commit, as JSON
 * (docs/HISTORY_STORE.md). `pprofci store` writes these files. The gate estimates noise from runs.
 */
#ifndef PPROFC_GATE_READ_RECORD_H
#define PPROFC_GATE_READ_RECORD_H

#include "core/base.h"
#include "core/json_tree.h"

/* Name and content of the file that marks a folder as a store. */
#define RECORD_MARK      "pprofci-store"
#define RECORD_MARK_TEXT "pprofci store, version 1\n"

/* Place of a run in the order of the history. */
struct record_place {
  int64_t order; /* number of commits from the first commit to this one; -1 if unknown */
  int64_t time;  /* time of the commit in seconds since 1970 */
  pprofc_str commit;
};

struct run_record {
  struct record_place place;
  pprofc_str branch, machine, verdict, headline;
  int64_t status;
  const struct node *series, *profiles; /* arrays of the run's JSON file; NULL if missing */
};

/* Values of a benchmark in one unit. */
struct record_series {
  pprofc_str group, name, unit;
  int direction;
  size_t count;  /* number of finite values */
  double center; /* median of the values */
};

/* Parses the JSON file of a run. Texts are in the arena or point into `data`. Errors name the path:
 * PPROFC_E_FORMAT, PPROFC_E_NOMEM. */
pprofc_status record_parse(struct arena *arena, const char *path, pprofc_str data,
                           struct run_record *record, pprofc_error *error);

/* Reads an element of `series` (a benchmark in one unit). Its count is 0 if it has no finite value.
 * Returns false when out of memory. */
bool record_series_read(const struct node *item, const pprofc_allocator *mem,
                        struct record_series *series);

/* Comparison functions for qsort of struct record_place, or of structs that begin with it.
 * record_by_order compares the number of commits (`order`), then the time, then the id.
 * record_by_time compares the time first. */
int record_by_order(const void *a, const void *b);
int record_by_time(const void *a, const void *b);

/* Sets *trunk to the branch with the most runs, or to the first of several such branches. `first`
 * points to the branch of the first run, and the branch of each further run is `stride` bytes
 * later. Returns false when out of memory. */
bool record_trunk(const pprofc_allocator *mem, const pprofc_str *first, size_t count, size_t stride,
                  pprofc_str *trunk);

/* Estimates how much benchmarks vary, from a folder that `pprofci store` wrote. Uses only the
 * branch with the most runs. For each series (a benchmark in one unit), uses the runs after its
 * last change point, but at most the last RECORD_NOISE_MAX runs. Errors in the folder become
 * problems of the gate. The only error is PPROFC_E_NOMEM. */
struct gate;
pprofc_status gate_read_history(struct gate *gate, const char *folder, pprofc_error *error);

#define RECORD_NOISE_MAX 20

#endif
