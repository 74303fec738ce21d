/* Data about the commit of a run: from flags, the CI service and git. */
#ifndef PPROFCI_STORE_COMMIT_H
#define PPROFCI_STORE_COMMIT_H

#include "core/error.h"
#include "core/mem.h"

struct commit_info {
  const char *commit, *branch, *machine; /* "" if unknown */
  const char *tags[64];
  size_t tag_count;
  int64_t time, order; /* -1 if unknown */
};

/* Fills in the fields that no flag has set. */
pprofc_status commit_complete(struct commit_info *info, struct arena *arena, pprofc_error *error);

#endif
