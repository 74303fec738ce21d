/* Where in the checkout a function is. */
#ifndef PPROFCI_PAGE_PLACE_H
#define PPROFCI_PAGE_PLACE_H

#include "core/str.h"

/* The file of a profile as a path of the checkout: its longest end that is a file below the current
 * folder. Empty when there is none. */
pprofc_str place_in_checkout(const char *file);

#endif
