/* Declares the functions that add the sections of the page. Each section has a C file with its
 * name. */
#ifndef PPROFCI_PAGE_PARTS_H
#define PPROFCI_PAGE_PARTS_H

#include "core/template.h"
#include "page/model.h"

/* Adds the benchmarks that need attention. Then adds collapsed lists of the other benchmarks, one
 * for each result. */
void rows_fill(struct fill *f, const struct page_model *model);

/* Adds tabs with pictures and tables. A picture has at most `height` pixels (0: no limit). If
 * `open` is true, the tables are expanded. */
void tabs_fill(struct fill *f, const struct page_model *m, const struct run_pair *pair,
               unsigned height, bool open);

/* Adds a row to the list "pairs": a pair of profiles with its tabs (tabs_fill). */
void details_fill_pair(struct fill *f, const struct page_model *m, const struct run_pair *pair,
                       unsigned height, bool open);
void details_fill_all(struct fill *f, const struct page_model *m);

/* Returns a phrase for the verdict of a row. */
const char *details_verdict(const struct benchmark *b, const struct gate_row *row);

/* Returns the machine of the results: "linux amd64, Intel(R) Xeon(R), 2 CPUs, go1.22.1". Omits
 * unknown values. The text is in the run's arena. */
pprofc_str method_machine(struct ci_run *run);
void method_fill(struct fill *f, const struct page_model *m);

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
void functions_init(struct function_list *list);

/* Reads a pair of profiles into `list`. The list is empty if a profile is unreadable. The caller
 * frees list->arena. */
void functions_read(const struct ci_run *run, const struct run_pair *pair,
                    struct function_list *list);
void functions_sort(struct function_list *list, enum function_order order);

#endif
