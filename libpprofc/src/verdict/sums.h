/* Adds up runs. Sums contain the number of runs, and for each function the sum and the sum of
 * squares of its values. Sums from different machines can be added, and two sums can be judged like
 * runs. docs/FLEET.md explains the files that store sums. */
#ifndef PPROFC_VERDICT_SUMS_H
#define PPROFC_VERDICT_SUMS_H

#include "pprofc/verdict.h"
#include "verdict/walk.h"

/* Indices in sums_cell.share: the values whose shares of the total are added up. */
enum sums_value { SUMS_FLAT, SUMS_CUM, SUMS_JUDGED, SUMS_VALUES };

/* Sums over runs for a function in a sample type. Before a value is added to `share`, the value is
 * divided by the total of its run, except in heap profiles. */
struct sums_cell {
  double flat, cum; /* sums of the values */
  double machine;   /* part of cum that is not judged: time in code such as the kernel */
  /* sampling variances: sums of value times quantum (quantum_of_sample) */
  double flat_noise, cum_noise;
  double samples; /* number of samples in `cum` */
  double runs;    /* number of runs in which the function has samples */
  struct sums_share {
    double sum, squares;
  } share[SUMS_VALUES];
};

/* Sums for a sample type. */
struct sums_type {
  pprofc_str type, unit;
  enum sampling_kind sampling;
  double period;   /* period of the first run */
  bool mixed;      /* true if the periods of the runs differ */
  bool is_default; /* true if this is the default sample type of the first run */
  double runs;     /* number of runs with a total above 0 */
  double empty;    /* number of runs without any value of this type */
  double total, squares,
      inverse;    /* sum of the totals, of the squares of the totals, and of 1 / total */
  double seconds; /* duration of all runs together; NaN if a run has no duration */
  bool whole; /* true if the sums come from a file of an older version, which does not separate the
                 time of the kernel, scheduler and runtime */
  struct sums_cell *cells; /* sums of each function; index: id of its name */
  size_t cell_capacity;
};

struct sums {
  const pprofc_allocator *mem;
  struct arena arena;
  struct rules rules;
  struct names names;
  pprofc_str
      *files; /* for each name, the first source file that was found; its data is NULL if unknown */
  size_t file_capacity;
  struct sums_type *types;
  size_t type_count, type_capacity;
};

/* Prepares empty sums. The caller calls sums_free even after an error. */
pprofc_status sums_init(struct sums *sums, const pprofc_allocator *mem, pprofc_error *error);
void sums_free(struct sums *sums);

/* Adds a run. Returns PPROFC_E_INVALID for a profile with negative values. */
pprofc_status sums_add(struct sums *sums, pprofc_profile *profile, pprofc_error *error);

/* Writes the sums as JSON, with functions sorted by name. */
pprofc_status sums_write(const struct sums *sums, struct output *out, pprofc_error *error);

/* True if the text is a file that sums_write wrote. */
bool sums_is(pprofc_str text);

/* Adds the sums in a file that sums_write wrote. Messages show `path` as the name of the file. */
pprofc_status sums_read(struct sums *sums, const char *path, pprofc_str text, pprofc_error *error);

/* Returns the sums of a function for a sample type. `name` is the id of its name. Adds sums of 0 if
 * the function is new. Returns NULL when out of memory. */
struct sums_cell *sums_cell_at(struct sums *sums, struct sums_type *type, uint32_t name);

/* Returns the id of a function name. If the name has no source file yet, stores `file` for it.
 * Returns MAP_NONE when out of memory. */
uint32_t sums_name(struct sums *sums, pprofc_str name, pprofc_str file);

/* Returns a sample type. Adds the type if it is new. Returns NULL when out of memory. */
struct sums_type *sums_type_at(struct sums *sums, pprofc_str type, pprofc_str unit);

/* Makes verdicts from two sums, like pprofc_verdicts_new from runs. Sums do not have the values of
 * each run. So base and head each have one factor that all functions share, instead of a factor for
 * each run. The verdicts lack the results that need stacks, such as renamed functions. */
pprofc_status verdicts_of_sums(const struct sums *base, const struct sums *head,
                               const pprofc_verdict_options *options, pprofc_verdicts **verdicts,
                               pprofc_error *error);

/* Returns the judged change of cum, which excludes time of the environment (code such as the
 * kernel, walk.h). */
double verdicts_cum_change(const pprofc_verdicts *verdicts, const pprofc_verdict_row *row);

#endif
