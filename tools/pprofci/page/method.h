/* How a result was measured, and how to repeat it. */
#ifndef PPROFCI_PAGE_METHOD_H
#define PPROFCI_PAGE_METHOD_H

#include "page/model.h"

/* "linux amd64, Intel(R) Xeon(R), 2 CPUs, go1.22.1": where the results were measured, as far as
 * they tell; a text of the run, empty when nothing is known. data is NULL when memory ran out. */
pprofc_str method_machine(struct ci_run *run);

/* Appends the section of the page. */
void method_print(struct buffer *out, const struct page_model *m);

#endif
