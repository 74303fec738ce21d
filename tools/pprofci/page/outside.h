/* Links of the page to other servers: queries of Pyroscope that show what was pushed. */
#ifndef PPROFCI_PAGE_OUTSIDE_H
#define PPROFCI_PAGE_OUTSIDE_H

#include "core/json_tree.h"
#include "core/json_write.h"
#include "run/run.h"

/* Whether an address may become a link: http or https, a host, and no byte that a URL cannot have.
 */
bool outside_may_link(pprofc_str url);

/* Reads the file of -links, as `pprofci push -links` writes it. A step of a run. */
pprofc_status outside_read(struct ci_run *run, pprofc_error *error);

/* Adds the links of a manifest; `leg` names the run they are of. What may not become a link is left
 * out. */
pprofc_status outside_add(struct ci_run *run, const struct node *root, const char *leg,
                          pprofc_error *error);

/* The links as a member of a manifest, and as a line of the page; nothing when there are none. */
void outside_write(struct json_writer *json, const struct ci_run *run);
void outside_print(struct buffer *out, const struct ci_run *run);

#endif
