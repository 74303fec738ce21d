/* The rows of one kind of profiles, from the values of its stacks. */
#ifndef PPROFC_LEAKS_ROWS_H
#define PPROFC_LEAKS_ROWS_H

#include "leaks/leaks.h"

/* Judges each stack, and each site whose stacks are several. kind->judged profiles from
 * kind->left_out on count. */
pprofc_status leak_rows_judge(struct leaks *leaks, struct leak_kind *kind, pprofc_error *error);

/* A row for each stack: all of them are leaks. */
pprofc_status leak_rows_prove(struct leaks *leaks, struct leak_kind *kind, pprofc_error *error);

#endif
