/* Handles links of the page to other servers: Pyroscope queries that show the pushed profiles. */
#ifndef PPROFCI_PAGE_OUTSIDE_H
#define PPROFCI_PAGE_OUTSIDE_H

#include "core/fill.h"
#include "core/json_tree.h"
#include "core/json_write.h"
#include "run/run.h"

/* True if an address may become a link: http or https, a host, and only bytes that are valid in a
 * URL. */
bool outside_may_link(pprofc_str url);

/* Reads the file of -links, which `pprofci push -links` writes. This is a step of a run. */
pprofc_status outside_read(struct ci_run *run, pprofc_error *error);

/* Adds the links of a manifest. `job` is the name of the job of the links. Skips addresses that
 * must not become links. */
pprofc_status outside_add(struct ci_run *run, const struct node *root, const char *job,
                          pprofc_error *error);

/* Write the links as a member of a manifest, or add them to the page. Without links, both functions
 * write nothing. */
void outside_write(struct json_writer *json, const struct ci_run *run);
void outside_fill(struct fill *f, const struct ci_run *run);

#endif
