/* The functions of a pair of profiles with their values on both sides, for the tables of the page.
 */
#ifndef PPROFCI_PAGE_FUNCTIONS_H
#define PPROFCI_PAGE_FUNCTIONS_H

#include "core/mem.h"
#include "run/run.h"

/* Values are in the unit of the profile, of one operation where the iterations are known, else of
 * one run. */
struct function_values {
  pprofc_str name, file;
  int64_t line;                   /* 0: not known */
  double flat[SIDES], cum[SIDES]; /* by itself, and with what it calls */
};

struct function_list {
  struct arena arena;
  struct function_values *rows;
  size_t count;
  double total[SIDES];
  pprofc_str type, unit; /* "cpu", "nanoseconds" */
};

/* By what rows are sorted, the largest first. */
enum function_order { BY_BASE, BY_HEAD, BY_CHANGE };

/* A list without rows. */
void functions_init(const struct ci_run *run, struct function_list *list);

/* Reads the profiles of the pair. A pair that cannot be read has no rows. */
void functions_read(const struct ci_run *run, const struct run_pair *pair,
                    struct function_list *list);
void functions_sort(struct function_list *list, enum function_order order);
void functions_free(struct function_list *list);

#endif
