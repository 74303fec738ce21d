/* What is sent to a host: the comment of a change, the status of a commit, a check with its
 * annotations. */
#ifndef PPROFCI_PUBLISH_POST_H
#define PPROFCI_PUBLISH_POST_H

#include "publish/body.h"
#include "publish/site.h"
#include "publish/wire.h"

struct post {
  struct arena *arena;
  struct site *site;
  struct api *wire;
  bool dry;
  const char *key, *author;      /* author "": the host is asked whose token it is */
  const char *links;             /* Markdown */
  struct body body;              /* of the comment */
  const struct outcome *outcome; /* NULL when only a comment is there */
  const char *done;              /* what became of it: "created", "updated" */
};

pprofc_status post_comment(struct post *post, pprofc_error *error);
pprofc_status post_commit_status(struct post *post, pprofc_error *error);
pprofc_status post_check(struct post *post, pprofc_error *error);

/* Sends a request and reads the JSON of its reply; *root is NULL in a dry run and for an empty
 * reply. `reply` may be NULL. */
pprofc_status post_send(struct post *post, const struct wire_request *request, struct node **root,
                        struct wire_reply *reply, pprofc_error *error);

/* The first characters of a text, at most `most`, with … where it is cut. */
pprofc_str post_shorten(struct post *post, pprofc_str text, size_t most);

/* "pprofc", or "pprofc/KEY". NULL when out of memory. */
const char *post_name(struct post *post);

#endif
