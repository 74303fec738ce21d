/* A comparison: runs in, rows out. */
#ifndef PPROFC_VERDICT_COMPARE_H
#define PPROFC_VERDICT_COMPARE_H

#include "pprofc/verdict.h"
#include "verdict/model.h"
#include "verdict/runs.h"

/* A difference of exact counts below this share of the total is dynamic linking and start-up. */
#define EXACT_FLOOR 1e-5

struct comparison {
  const pprofc_allocator *mem;
  pprofc_verdict_options options;
  struct arena arena; /* of what stays */
  struct rules rules;
  struct names names;
  struct run *runs; /* [count], the bases first; without profiles once the rows are done */
  size_t count, bases;
  const pprofc_verdict_run *given_base, *given_head; /* during the comparison */

  struct quantum quantum; /* of the first run: all are alike */
  pprofc_str type, unit;
  bool mixed_periods;
  pprofc_verdict_exposure exposure;
  double *exposures; /* [count] */
  double mean_total; /* of all runs, over the mean exposure; of sums it is given */

  uint32_t *order; /* [rows] the names that have a value, by bytes */
  size_t rows;
  struct matrix flat_matrix, cum_matrix;
  struct fit flat, cum;
  pprofc_verdict_row *row;      /* [rows] in the order of `order` until comparison_sort */
  uint32_t *row_of;             /* [names] the row of each name, or MAP_NONE */
  pprofc_verdict_stack *stacks; /* [stack_count] */
  size_t *children;             /* [stack_count] stacks by parent, then by name */
  size_t stack_count;
  pprofc_verdict_summary summary;
};

/* The given run of an index. */
const pprofc_verdict_run *comparison_given(const struct comparison *c, size_t run);

/* What one unit of a value of the run adds to the difference of head and base. */
double comparison_weight(const struct comparison *c, size_t run);

/* How the model is to judge; heap profiles have no machine speed. */
struct model_settings comparison_settings(const struct comparison *c);

/* Reads and checks the runs: profiles, sums, exposures, matrices. */
pprofc_status comparison_read(struct comparison *c, pprofc_error *error);

/* The sampling variance of a row for each unit of its values, from the sums of base and head and
 * those of value times quantum. */
double comparison_quantum(const struct comparison *c, const double sums[2], const double noises[2]);

/* Exposures of the runs, from their totals and what is known of them. */
pprofc_status exposure_find(struct comparison *c, pprofc_error *error);

/* Adjusts p-values and finds the words, for flat and cum of all rows. */
pprofc_status family_judge(struct comparison *c, pprofc_error *error);

/* The same for the rows of any matrix: a family of its own. False when out of memory. */
bool family_words(const struct comparison *c, const struct matrix *m, const struct fit *fit,
                  pprofc_verdict_estimate *out);

/* The level of the intervals of the rows that were found, so that of these alpha miss on average
 * (Benjamini and Yekutieli 2005); NaN when there are none. */
double family_level(const struct comparison *c, size_t changed, size_t tested);

/* Gives a row with a verdict of change the interval of that level. */
void family_widen(const struct comparison *c, const struct matrix *m, const struct fit *fit,
                  size_t row, double level, pprofc_verdict_estimate *e);

/* Does that for flat and cum when options.fcr says so; rows are sorted. */
void family_widen_rows(struct comparison *c);

/* Where sampling noise is a lower bound or unknown, one run a side says nothing. */
bool family_is_blind(const struct comparison *c);

/* Puts the rows into their final order, and fills row_of. */
pprofc_status comparison_sort(struct comparison *c, pprofc_error *error);

/* Finds pairs of rows that cancel, and callers that changed through their callees; rows are sorted.
 */
pprofc_status relations_find(struct comparison *c, pprofc_error *error);

/* Finds the nodes of the call tree that hold the changes, when options.places says so; rows are
 * sorted. */
pprofc_status places_find(struct comparison *c, pprofc_error *error);

/* Judges the nodes of the call tree when options.stacks says so. */
pprofc_status stacks_judge(struct comparison *c, pprofc_error *error);
size_t stacks_find(const struct comparison *c, size_t parent, pprofc_str name);

/* Totals, the part explained, and what could have been seen, into the summary. */
pprofc_status account_fill(struct comparison *c, pprofc_error *error);
/* What could have been seen, alone. */
void advice_fill(struct comparison *c);

#endif
