/* Sends results to a host such as GitHub: the comment of a change, the status of a commit, and a
 * check with annotations. */
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
  /* key and author of the comment; author "": the author is the user of the token */
  const char *key, *author;
  const char *links;             /* links of the comment, in Markdown */
  struct body body;              /* body of the comment */
  pprofc_str issue;              /* text of the issue */
  const struct outcome *outcome; /* result to publish; NULL if there is only a comment */
  const char *done;              /* last action on the comment, for messages: "created",
                                    "updated" */
};

/* A comment or an issue that an earlier run wrote. */
struct post_found {
  const char *id; /* id of the text on the host; NULL if no text was found */
  pprofc_str text;
};

/* Sets the author of comments and issues, unless the flag -author sets the author. */
pprofc_status post_find_author(struct post *post, pprofc_error *error);

/* Finds the text that has the marker of the key and the right author, in a list from the host. */
pprofc_status post_find(struct post *post, const struct forge_texts *texts,
                        struct post_found *found, pprofc_error *error);

/* Writes a new text, or a new version of the text that was found. Sets *again to true if the caller
 * must search for the text again: the text is gone, or the host may have created it in spite of an
 * error. */
pprofc_status post_write(struct post *post, const struct forge_texts *texts,
                         const struct post_found *found, pprofc_str body, bool *again,
                         pprofc_error *error);

pprofc_status post_comment(struct post *post, pprofc_error *error);
pprofc_status post_commit_status(struct post *post, pprofc_error *error);
pprofc_status post_check(struct post *post, pprofc_error *error);
/* Opens or updates the issue of the key. Its text is post->issue. Closes the issue if this text is
 * empty. */
pprofc_status post_issue(struct post *post, pprofc_error *error);

/* Sends a request and parses the reply as JSON. *root is NULL in a dry run and for an empty reply.
 * `reply` may be NULL. */
pprofc_status post_send(struct post *post, const struct wire_request *request, struct node **root,
                        struct reply *reply, pprofc_error *error);

#endif
