/* Builds the rows of one kind of profiles, such as heap profiles, from the values of its stacks. */
#ifndef PPROFC_LEAKS_ROWS_H
#define PPROFC_LEAKS_ROWS_H

#include "leaks/leaks.h"

/* Judges each stack, and each site with several stacks, in the profiles from kind->left_out on.
 * kind->judged is the number of these profiles. */
pprofc_status leak_rows_judge(struct leaks *leaks, struct leak_kind *kind, pprofc_error *error);

/* Makes a row for each stack with the verdict LEAK_LEAK, for profiles in which each sample is a
 * proved leak. */
pprofc_status leak_rows_prove(struct leaks *leaks, struct leak_kind *kind, pprofc_error *error);

#endif
