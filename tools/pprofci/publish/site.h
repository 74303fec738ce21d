/* The place where a run publishes: host, repository and change, from the environment of the
 * job. */
#ifndef PPROFCI_PUBLISH_SITE_H
#define PPROFCI_PUBLISH_SITE_H

#include "publish/outcome.h"

struct site;

/* Properties of a host of repositories. In paths, {repo}, {number}, {sha} and {id} are
 * replaced by the values of the site. */
struct forge {
  const char *name;           /* "github" */
  const char *mark;           /* variable that is set in the jobs of the host */
  const char *repo_variable;  /* variable with the repository */
  const char *const *tokens;  /* variables with a token, in order of preference; ends with NULL */
  const char *token_header;   /* "Authorization: Bearer " */
  const char *const *headers; /* ends with NULL */
  pprofc_status (*read)(struct site *site, pprofc_error *error); /* fills in fields that no flag
                                                                    has set */

  const char *user_path, *user_key;    /* path of the token's user, and the key of the name in
                                          the reply */
  const char *author;                  /* author of the comments if the token cannot read its
                                          user */
  const char *list_path, *item_path;   /* paths of all comments of a change, and of one comment */
  const char *page_size;               /* "?per_page=100" */
  const char *item_author, *item_body; /* key paths in a comment */
  const char *body_key;                /* key of the text in a request: "body", or "content"
                                          with "raw" in it */
  const char *update;                  /* method that updates a comment */
  size_t comment_most;                 /* bytes, limit of a comment */
  bool takes_html;                     /* true if Markdown may contain HTML links */

  const char *status_path, *status_name, *status_url;
  const char *states[ENDINGS];
  const char *permission; /* permission that the token needs, for messages */
};

struct site {
  struct arena *arena;
  const struct forge *forge; /* NULL if no host was found */
  const char *api, *repo;    /* "" if unknown */
  const char *token;
  const char *sha, *page;
  const char *checkout; /* commit that the job has checked out; "" if unknown */
  int64_t number;       /* number of the pull request or merge request, or 0 */
  uint64_t run;         /* number of the run in the CI system */
  bool read_only;       /* true for a fork's run, whose token cannot write */
  const char *owner,
      *branch; /* owner and branch of a workflow_run, to find its pull request; or "" */
};

/* Values of the command line, each "" or 0 if absent. */
struct site_options {
  const char *host, *sha, *page;
  int64_t number;
};

/* Finds the host and reads its environment. A missing host is not an error. */
pprofc_status site_read(struct site *site, struct arena *arena, const struct site_options *options,
                        pprofc_error *error);

/* Returns a path with its placeholders replaced; NULL when out of memory. */
const char *site_path(const struct site *site, const char *pattern, const char *id);

/* Returns a variable of the environment, or "" if it is not set. */
const char *site_variable(const char *name);

#endif
