/* Sends results to a host: the comment of a change, the status of a commit, a check with
 * annotations. */
#ifndef PPROFCI_PUBLISH_POST_H
#define PPROFCI_PUBLISH_POST_H

#include "page/links.h"
#include "publish/body.h"
#include "publish/site.h"
#include "publish/wire.h"

struct post {
  struct arena *arena;
  struct site *site;
  struct api *wire;
  bool dry;
  const char *key, *author;      /* if author is "", the host reports the user of the token */
  const char *links;             /* Markdown */
  struct links_site pages;       /* where links of annotations lead */
  struct body body;              /* body of the comment */
  const struct outcome *outcome; /* NULL if there is only a comment */
  const char *done;              /* what was done: "created", "updated" */
};

pprofc_status post_comment(struct post *post, pprofc_error *error);
pprofc_status post_commit_status(struct post *post, pprofc_error *error);
pprofc_status post_check(struct post *post, pprofc_error *error);

/* Sends a request and parses the JSON of its reply. *root is NULL in a dry run and for an
 * empty reply. `reply` may be NULL. */
pprofc_status post_send(struct post *post, const struct wire_request *request, struct node **root,
                        struct wire_reply *reply, pprofc_error *error);

#endif
