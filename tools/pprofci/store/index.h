/* Maintains the index of a store: a cache of its records in an SQLite database. */
#ifndef PPROFCI_STORE_INDEX_H
#define PPROFCI_STORE_INDEX_H

#include "store/past.h"

/* Updates the index and reads all runs from it. If the index is unusable, sets *used to false.
 * `past` may then be incomplete, and the caller must read the records. Returns an error if another
 * process holds the lock. */
pprofc_status index_read(struct past *past, struct backing *backing, bool *used,
                         pprofc_error *error);

#endif
