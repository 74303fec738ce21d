/* Finds packages whose test binary is the same in base and head. The run reports these packages and
 * does not measure them. */
#ifndef PPROFCI_RUN_SAME_H
#define PPROFCI_RUN_SAME_H

#include "core/json_tree.h"
#include "core/json_write.h"
#include "run/checkouts.h"

/* Marks the packages whose test binaries are equal in every byte and whose other files did not
 * change. Does nothing if -all is set. */
pprofc_status same_find(struct ci_run *run, struct packages *packages, pprofc_error *error);

/* True if all packages have the same test binary in base and head, and there was nothing to
 * measure. */
bool same_is_all(const struct ci_run *run);

/* The first function writes the packages into a manifest, the second reads them. `job` is the name
 * of the run. */
void same_write(struct json_writer *json, const struct ci_run *run);
pprofc_status same_read(struct ci_run *run, const struct node *root, const char *job,
                        pprofc_error *error);

#endif
