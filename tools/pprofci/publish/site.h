/* Where a run publishes: which host, which repository, which change, as the environment of its job
 * tells. */
#ifndef PPROFCI_PUBLISH_SITE_H
#define PPROFCI_PUBLISH_SITE_H

#include "publish/outcome.h"

struct site;

/* A host of repositories: what differs from one to the next. In paths, {repo}, {number}, {sha} and
 * {id} stand for those of the site. */
struct forge {
  const char *name;           /* "github" */
  const char *mark;           /* the variable that a job of it has */
  const char *repo_variable;  /* says which repository it is */
  const char *const *tokens;  /* variables, the first that is set counts; ends with NULL */
  const char *token_header;   /* "Authorization: Bearer " */
  const char *const *headers; /* ends with NULL */
  pprofc_status (*read)(struct site *site, pprofc_error *error); /* fills in what is not given */

  const char *user_path, *user_key;    /* whose token it is; a path in the reply */
  const char *author;                  /* whose comments they are where a token cannot ask */
  const char *list_path, *item_path;   /* comments of a change, one of them */
  const char *page_size;               /* "?per_page=100" */
  const char *item_author, *item_body; /* paths in a comment */
  const char *body_key;                /* of a request: "body", or "content" with "raw" in it */
  const char *update;                  /* the method that changes one */
  size_t comment_most;                 /* bytes */
  bool takes_html;                     /* Markdown there may have links as HTML */

  const char *status_path, *status_name, *status_url;
  const char *states[ENDINGS];
  const char *permission; /* what a token needs, for messages */
};

struct site {
  struct arena *arena;
  const struct forge *forge; /* NULL: none was found */
  const char *api, *repo;    /* "" when not known */
  const char *token;
  const char *sha, *page;
  const char *checkout;       /* the commit that the job has checked out; "" when not known */
  int64_t number;             /* of the pull request or merge request; 0: none */
  uint64_t run;               /* of the CI system */
  bool read_only;             /* a fork's run, whose token may not write */
  const char *owner, *branch; /* of a workflow_run, to find its pull request by; or "" */
};

/* What the command line says, each "" or 0 when it does not. */
struct site_options {
  const char *host, *sha, *page;
  int64_t number;
};

extern const struct forge forges[];
extern const size_t forge_count;

/* Finds the host and reads its environment. No host is no error. */
pprofc_status site_read(struct site *site, struct arena *arena, const struct site_options *options,
                        pprofc_error *error);

/* A path with its places filled in; NULL when out of memory. */
const char *site_path(const struct site *site, const char *pattern, const char *id);

/* A variable of the environment; "" when it is not set. */
const char *site_variable(const char *name);

#endif
