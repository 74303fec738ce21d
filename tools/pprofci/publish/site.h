/* Finds the destination of a run's results: host, repository and change, from the environment of
 * the job. */
#ifndef PPROFCI_PUBLISH_SITE_H
#define PPROFCI_PUBLISH_SITE_H

#include "publish/outcome.h"

struct site;

/* Texts that a host keeps in a list: their API paths and keys. */
struct forge_texts {
  const char *list, *item; /* paths of the list and of one text */
  const char *query;       /* query of the list, for its largest page: "?per_page=100" */
  const char *id, *text;   /* keys of the number and of the text */
};

/* Properties of a host of repositories. In paths, {repo}, {number}, {sha} and {id} are
 * replaced by the values of the site. */
struct forge {
  const char *name;          /* name of the host: "github" */
  const char *mark;          /* name of a variable that is set in the jobs of the host */
  const char *repo_variable; /* name of the variable with the repository */
  const char *const
      *tokens; /* names of variables with a token, in order of preference; ends with NULL */
  const char *token_header;   /* start of the header with the token: "Authorization: Bearer " */
  const char *const *headers; /* other headers that requests need; the list ends with NULL */
  /* Fills in the fields of the site that no flag has set. */
  pprofc_status (*read)(struct site *site, pprofc_error *error);

  const char *user_path, *user_key; /* path of the token's user, and the key of the name in
                                       the reply */
  const char *author;               /* author of the comments if the token cannot read its
                                       user */
  struct forge_texts comments;      /* comments on a change */
  struct forge_texts
      issues;              /* open issues of the repository; no list if the host is not supported */
  const char *item_author; /* key of the author of a comment or an issue */
  const char *body_key;    /* key of the text in a request: "body"; or "content", an object with the
                              text in "raw" */
  const char *close_key, *close_value; /* member of a request that closes an issue */
  const char *update;                  /* HTTP method that updates a comment */
  size_t comment_most;                 /* maximum size of a comment in bytes */
  bool takes_html;                     /* true if Markdown may contain HTML links */

  const char *status_path, *status_name, *status_url;
  const char *states[ENDINGS];
  const char *permission; /* permission that the token needs, for messages */
};

struct site {
  struct arena *arena;
  const struct forge *forge; /* host of the repository; NULL if no host was found */
  const char *api, *repo;    /* address of the API, and repository; "" if unknown */
  const char *token;
  const char *sha, *page;
  const char *checkout; /* id of the commit that the job checked out; "" if unknown */
  int64_t number;       /* number of the pull request or merge request, or 0 */
  uint64_t run;         /* number of the run in the CI system */
  bool read_only;       /* true for a fork's run, whose token cannot write */
  /* Owner and branch of the change, by which a workflow_run job finds its pull request; or "". */
  const char *owner, *branch;
};

/* Values from the command line, each "" or 0 if absent. */
struct site_options {
  const char *host, *sha, *page;
  int64_t number;
};

/* Finds the host and reads its environment. A missing host is not an error. */
pprofc_status site_read(struct site *site, struct arena *arena, const struct site_options *options,
                        pprofc_error *error);

/* Returns a path with its placeholders replaced, or NULL when out of memory. */
const char *site_path(const struct site *site, const char *pattern, const char *id);

/* Returns a variable of the environment, or "" if it is not set. */
const char *site_variable(const char *name);

#endif
