/* Reads a run in a store: the results, the verdict and the profiles of one commit, as JSON
 * (docs/HISTORY_STORE.md). `pprofci store` writes these records; the gate estimates noise from
 * them. */
#ifndef PPROFC_GATE_READ_RECORD_H
#define PPROFC_GATE_READ_RECORD_H

#include "core/error.h"
#include "core/json_tree.h"

/* Name and content of the file that marks a folder as a store. */
#define RECORD_MARK      "pprofci-store"
#define RECORD_MARK_TEXT "pprofci store, version 1\n"

/* Position of a run in the history. */
struct record_place {
  int64_t order; /* number of the commit; -1: not known */
  int64_t time;  /* time of the commit, seconds since 1970 */
  pprofc_str commit;
};

struct run_record {
  struct record_place place;
  pprofc_str branch, machine, verdict, headline;
  int64_t status;
  const struct node *series, *profiles; /* JSON arrays of the record, NULL if missing */
};

/* Values of one benchmark in one unit. */
struct record_series {
  pprofc_str group, name, unit;
  int direction;
  size_t count;  /* number of finite values */
  double center; /* median of the values */
};

/* Parses a record. Texts are in the arena or are views of `data`. Errors name the path:
 * PPROFC_E_FORMAT, PPROFC_E_NOMEM. */
pprofc_status record_parse(struct arena *arena, const char *path, pprofc_str data,
                           struct run_record *record, pprofc_error *error);

/* Reads an item of `series`. A series without a finite value has count 0. Returns false when out of
 * memory. */
bool record_series_read(const struct node *item, const pprofc_allocator *mem,
                        struct record_series *series);

/* Comparison functions for qsort of struct record_place, or of structs that begin with it.
 * record_by_order compares the number of the commit, then the time, then the id. record_by_time
 * compares the time first. */
int record_by_order(const void *a, const void *b);
int record_by_time(const void *a, const void *b);

/* Sets *trunk to the branch with the most runs; in a tie, to the first of these branches. Finds the
 * next branch `stride` bytes after each branch. Returns false when out of memory. */
bool record_trunk(const pprofc_allocator *mem, const pprofc_str *first, size_t count, size_t stride,
                  pprofc_str *trunk);

/* Estimates how far benchmarks vary, from a folder that `pprofci store` wrote. Uses the branch with
 * most runs. Of each series it uses the last RECORD_NOISE_MAX runs after the last change point.
 * Reports errors in the folder as problems of the gate; the only error is PPROFC_E_NOMEM. */
struct gate;
pprofc_status gate_read_history(struct gate *gate, const char *folder, pprofc_error *error);

#define RECORD_NOISE_MAX 20

#endif
