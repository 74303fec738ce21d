/* Adds up the base and head values of each function in a pair of profiles, for the tables of the
 * page. */
#ifndef PPROFCI_PAGE_FUNCTIONS_H
#define PPROFCI_PAGE_FUNCTIONS_H

#include "core/mem.h"
#include "run/run.h"

/* Values of a function in the unit of the profile. The values are per operation if the number of
 * iterations is known, else per run. */
struct function_values {
  pprofc_str name, file;
  int64_t line;                   /* line in `file`; 0: unknown */
  double flat[SIDES], cum[SIDES]; /* self value (flat) and total value (cum) of the function */
};

struct function_list {
  struct arena arena;
  struct function_values *rows;
  size_t count;
  double total[SIDES];
  pprofc_str type, unit; /* sample type and unit: "cpu", "nanoseconds" */
};

/* Sort key of the rows, largest first. */
enum function_order { BY_BASE, BY_HEAD, BY_CHANGE };

/* Initializes an empty list. */
void functions_init(const struct ci_run *run, struct function_list *list);

/* Reads a pair of profiles. The list is empty if a profile cannot be read. */
void functions_read(const struct ci_run *run, const struct run_pair *pair,
                    struct function_list *list);
void functions_sort(struct function_list *list, enum function_order order);
void functions_free(struct function_list *list);

#endif
