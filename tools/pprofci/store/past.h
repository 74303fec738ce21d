/* Reads a store into memory: the runs by commit, with a value for each series (benchmark and unit).
 */
#ifndef PPROFCI_STORE_PAST_H
#define PPROFCI_STORE_PAST_H

#include "core/map.h"
#include "gate/read/record.h"
#include "store/backing.h"

struct past_run {
  struct record_place place; /* first member, because qsort passes runs to record_by_order */
  const char *key;           /* key of the record */
  pprofc_str branch, machine, verdict, headline;
  int64_t status;
  /* index of the run's first point (measured value), and number of its points */
  size_t first_point, points;
  size_t first_profile, profiles;
  const char *tag; /* tag of the commit, or NULL */
};

struct past_series {
  pprofc_str group, name, unit;
  int direction;
};

struct past_point {
  uint32_t series;
  double value; /* median of the run's measurements */
};

struct past_profile {
  pprofc_str kind, package, benchmark, name, sha256;
  int64_t size;
};

struct past {
  struct arena arena;
  struct past_run *runs;
  size_t run_count, run_capacity;
  struct past_series *series;
  size_t series_count, series_capacity;
  struct interner series_keys;
  struct past_point *points;
  size_t point_count, point_capacity;
  struct past_profile *profiles;
  size_t profile_count, profile_capacity;
  bool by_order;  /* true if all runs have a commit number and are sorted by this number */
  bool runs_only; /* true: do not read the points (measured values) of the runs */
  size_t skipped; /* number of invalid records */
};

void past_init(struct past *past);
void past_free(struct past *past);

/* Reads all runs, from the index if possible. Skips damaged records with a note. */
void past_load(struct past *past, struct backing *backing);

/* Reads all runs from the records, without the index. */
void past_read(struct past *past, struct backing *backing);

/* Adds a run from its record. Copies all texts. */
void past_add_record(struct past *past, const char *key, const struct run_record *record);

/* Reads a record and adds its run. Prints a note if the record is damaged. Ignores a missing
 * record. */
pprofc_status past_read_one(struct past *past, struct backing *backing, const char *key,
                            pprofc_error *error);

/* Each function adds one object: a run, a series, a point of the last run, or a profile. */
struct past_run *past_add_run(struct past *past, const char *key);
uint32_t past_add_series(struct past *past, pprofc_str group, pprofc_str name, pprofc_str unit,
                         int direction);
void past_add_point(struct past *past, uint32_t series, double value);
void past_add_profile(struct past *past, struct past_run *run, const struct past_profile *profile);
void past_sort(struct past *past);

/* Adds the keys of all objects (stored profiles) that the runs use to `names`. */
void past_name_objects(struct past *past, struct interner *names);
void past_object_key(pprofc_str sha256, char key[80]);

/* Updates the index and reads all runs from it. Returns false if the index is unusable. `past` may
 * then be incomplete, and the caller must read the records. */
bool index_read(struct past *past, struct backing *backing);

#endif
