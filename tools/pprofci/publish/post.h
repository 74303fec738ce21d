/* Sends results to a code host such as GitHub: the comment of a change, the status of a commit, and
 * a check with annotations. */
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
  /* value of -key, and author of the comment; author "": the author is the user of the token */
  const char *key, *author;
  const char *links;             /* links of the comment, in Markdown */
  struct body body;              /* body of the comment */
  pprofc_str issue;              /* text of the issue */
  const struct outcome *outcome; /* result to publish; NULL if there is only a comment */
  const char *done;              /* last action, for messages: "created", "updated" */
};

pprofc_status post_comment(struct post *post, pprofc_error *error);
pprofc_status post_commit_status(struct post *post, pprofc_error *error);
pprofc_status post_check(struct post *post, pprofc_error *error);
/* Opens or updates the issue with the marker of post->key. The text of the issue is post->issue.
 * Closes the issue if this text is empty. */
pprofc_status post_issue(struct post *post, pprofc_error *error);

#endif
