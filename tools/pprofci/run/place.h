/* Maps files of profiles to files of the checkout. */
#ifndef PPROFCI_RUN_PLACE_H
#define PPROFCI_RUN_PLACE_H

#include "core/str.h"

/* Returns the file of a profile as a path in the checkout: its longest suffix that is a file
 * below the current folder. Empty if no suffix matches. */
pprofc_str place_in_checkout(const char *file);

#endif
