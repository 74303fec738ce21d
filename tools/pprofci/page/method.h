/* Describes how a result was measured and how to repeat it. */
#ifndef PPROFCI_PAGE_METHOD_H
#define PPROFCI_PAGE_METHOD_H

#include "page/model.h"

/* Returns the machine of the results as far as known: "linux amd64, Intel(R) Xeon(R), 2 CPUs,
 * go1.22.1". Empty if unknown; data is NULL when out of memory. The text is in the run's
 * arena. */
pprofc_str method_machine(struct ci_run *run);

/* Appends the section of the page. */
void method_print(struct buffer *out, const struct page_model *m);

#endif
