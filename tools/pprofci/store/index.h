/* The index of a store, in SQLite: a cache of what the records say. */
#ifndef PPROFCI_STORE_INDEX_H
#define PPROFCI_STORE_INDEX_H

#include "store/past.h"

/* Brings the index up to date and reads all runs from it. *used becomes false, and the past may
 * hold a part, when there can be no index here: the records have to be read. A lock of another
 * process that stays is an error. */
pprofc_status index_read(struct past *past, struct backing *backing, bool *used,
                         pprofc_error *error);

#endif
