/* Sums over runs, in place of the runs: how many there were, and for each function the sum and the
 * sum of squares of its values. Sums of sets of runs add up, so any number of machines can make
 * them, and two of them can be judged as the runs would be. docs/FLEET.md explains the file. */
#ifndef PPROFC_VERDICT_SUMS_H
#define PPROFC_VERDICT_SUMS_H

#include "core/output.h"
#include "pprofc/verdict.h"
#include "verdict/walk.h"

/* One function in one sample type. Shares are of the total of a run; heap profiles, whose runs are
 * not divided by anything, have values there. */
struct sums_cell {
  double flat, cum;             /* values, added up */
  double flat_noise, cum_noise; /* value times quantum, added up */
  double samples;               /* that cum stands for */
  double runs;                  /* that have the function */
  double flat_share, flat_squares;
  double cum_share, cum_squares;
};

/* One sample type. */
struct sums_type {
  pprofc_str type, unit;
  enum sampling_kind sampling;
  double period;                  /* of the first run */
  bool mixed;                     /* the period is not the same in all runs */
  bool is_default;                /* what a report of the first run shows */
  double runs;                    /* with a total above 0 */
  double empty;                   /* runs without a value */
  double total, squares, inverse; /* of totals: their sum, that of squares, that of 1 / total */
  double seconds;                 /* of all runs; NaN: one does not say */
  struct sums_cell *cells;        /* [cell_capacity] by name */
  size_t cell_capacity;
};

struct sums {
  const pprofc_allocator *mem;
  struct arena arena;
  struct rules rules;
  struct names names;
  pprofc_str *files; /* [file_capacity] by name: the first that is known, or no data */
  size_t file_capacity;
  struct sums_type *types;
  size_t type_count, type_capacity;
};

/* To be freed in any case. */
pprofc_status sums_init(struct sums *sums, const pprofc_allocator *mem, pprofc_error *error);
void sums_free(struct sums *sums);

/* Adds a run. Profiles with negative values are PPROFC_E_INVALID. */
pprofc_status sums_add(struct sums *sums, pprofc_profile *profile, pprofc_error *error);

/* JSON, with functions in the order of their names. */
pprofc_status sums_write(const struct sums *sums, struct output *out, pprofc_error *error);

/* Whether the text is what sums_write wrote. */
bool sums_is(pprofc_str text);

/* Adds what sums_write wrote. `path` is for messages. */
pprofc_status sums_read(struct sums *sums, const char *path, pprofc_str text, pprofc_error *error);

/* The cell of a name in a type, which becomes zeros when there is none; NULL when out of memory. */
struct sums_cell *sums_cell_at(struct sums *sums, struct sums_type *type, uint32_t name);

/* The number of a name, with its file when none is known yet; MAP_NONE when out of memory. */
uint32_t sums_name(struct sums *sums, pprofc_str name, pprofc_str file);

/* The sample type, which is made when there is none; NULL when out of memory. */
struct sums_type *sums_type_at(struct sums *sums, pprofc_str type, pprofc_str unit);

/* Verdicts on two sums, as pprofc_verdicts_new has them of runs: the common factor is that of a
 * side, not of a run, and there are no relations, places or stacks. */
pprofc_status verdicts_of_sums(const struct sums *base, const struct sums *head,
                               const pprofc_verdict_options *options, pprofc_verdicts **verdicts,
                               pprofc_error *error);

#endif
