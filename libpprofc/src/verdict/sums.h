/* Adds up runs: the number of runs, and for each function the sum and the sum of squares of its
 * values. Different machines can compute sums, because sums of several sets of runs can be added.
 * Two sums can be judged like runs. docs/FLEET.md explains the file. */
#ifndef PPROFC_VERDICT_SUMS_H
#define PPROFC_VERDICT_SUMS_H

#include "core/output.h"
#include "pprofc/verdict.h"
#include "verdict/walk.h"

/* Kinds of values whose shares of the total are added up. */
enum sums_value { SUMS_FLAT, SUMS_CUM, SUMS_JUDGED, SUMS_VALUES };

/* Sums of one function in one sample type, over the shares of its values in the total of each run.
 * For heap profiles the sums are over the values themselves. */
struct sums_cell {
  double flat, cum; /* sums of the values */
  double machine;   /* part of cum that is time of the environment (rules.h) and is not judged */
  /* Sums of value times quantum (quantum.h), which are the sampling variances. */
  double flat_noise, cum_noise;
  double samples; /* number of samples in `cum` */
  double runs;    /* number of runs in which the function has samples */
  struct sums_share {
    double sum, squares;
  } share[SUMS_VALUES];
};

/* Sums of one sample type. */
struct sums_type {
  pprofc_str type, unit;
  enum sampling_kind sampling;
  double period;                  /* period of the first run */
  bool mixed;                     /* true if the runs have different periods */
  bool is_default;                /* true if reports of the first run show this sample type by
                                     default */
  double runs;                    /* number of runs with a total above 0 */
  double empty;                   /* number of runs without any value of this type */
  double total, squares, inverse; /* sums of the totals, of their squares, and of 1 / total */
  double seconds;                 /* duration of all runs; NaN if a run has no duration */
  bool whole; /* true if a file of an older version does not contain the time of the kernel,
                 scheduler and runtime (rules.h) separately */
  struct sums_cell *cells; /* cells of the functions, by name */
  size_t cell_capacity;
};

struct sums {
  const pprofc_allocator *mem;
  struct arena arena;
  struct rules rules;
  struct names names;
  pprofc_str *files; /* first source file of each name; its data is NULL if unknown */
  size_t file_capacity;
  struct sums_type *types;
  size_t type_count, type_capacity;
};

/* Prepares empty sums. The caller calls sums_free even after an error. */
pprofc_status sums_init(struct sums *sums, const pprofc_allocator *mem, pprofc_error *error);
void sums_free(struct sums *sums);

/* Adds a run. Returns PPROFC_E_INVALID for a profile with negative values. */
pprofc_status sums_add(struct sums *sums, pprofc_profile *profile, pprofc_error *error);

/* Writes JSON with functions sorted by name. */
pprofc_status sums_write(const struct sums *sums, struct output *out, pprofc_error *error);

/* True if the text is a file that sums_write wrote. */
bool sums_is(pprofc_str text);

/* Adds a file of sums_write. `path` is the name of the file in messages. */
pprofc_status sums_read(struct sums *sums, const char *path, pprofc_str text, pprofc_error *error);

/* Returns the cell of a name in a type, and adds a cell of zeros if needed. Returns NULL when out
 * of memory. */
struct sums_cell *sums_cell_at(struct sums *sums, struct sums_type *type, uint32_t name);

/* Returns the id of a name. Stores its source file if no file is known yet. Returns MAP_NONE when
 * out of memory. */
uint32_t sums_name(struct sums *sums, pprofc_str name, pprofc_str file);

/* Returns a sample type, and adds it if needed. Returns NULL when out of memory. */
struct sums_type *sums_type_at(struct sums *sums, pprofc_str type, pprofc_str unit);

/* Makes verdicts on two sums, as pprofc_verdicts_new does on runs. Each side, not each run, has a
 * common factor. The verdicts have no relations, places or stacks. */
pprofc_status verdicts_of_sums(const struct sums *base, const struct sums *head,
                               const pprofc_verdict_options *options, pprofc_verdicts **verdicts,
                               pprofc_error *error);

/* Returns the judged change of cum, which excludes time of the environment (rules.h). */
double verdicts_cum_change(const pprofc_verdicts *verdicts, const pprofc_verdict_row *row);

#endif
