/* Adds links to other servers to the page. The links are Pyroscope queries that show the pushed
 * profiles. */
#ifndef PPROFCI_PAGE_OUTSIDE_H
#define PPROFCI_PAGE_OUTSIDE_H

#include "core/fill.h"
#include "core/json_tree.h"
#include "core/json_write.h"
#include "run/run.h"

/* True if an address may become a link. It must have http or https, a host, and only bytes that are
 * valid in a URL. */
bool outside_may_link(pprofc_str url);

/* Reads the links from the file named by the flag -links. `pprofci push -links` writes this file.
 * The function is a step of a run. */
pprofc_status outside_read(struct ci_run *run, pprofc_error *error);

/* Adds the links of a manifest. `job` is the name of the job that made the links. Skips addresses
 * that must not become links. */
pprofc_status outside_add(struct ci_run *run, const struct node *root, const char *job,
                          pprofc_error *error);

/* The first function writes the links as a member of a manifest. The second function adds the links
 * to the page. Without links, both functions write nothing. */
void outside_write(struct json_writer *json, const struct ci_run *run);
void outside_fill(struct fill *f, const struct ci_run *run);

#endif
