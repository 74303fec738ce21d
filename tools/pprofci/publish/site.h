/* Finds the destination of a result in the environment of the CI job: code host, repository,
 * change. */
#ifndef PPROFCI_PUBLISH_SITE_H
#define PPROFCI_PUBLISH_SITE_H

#include "page/identity.h"
#include "publish/outcome.h"

struct site;

/* API paths and JSON keys of one type of text on a code host: comments or issues. */
struct forge_texts {
  const char *list, *item; /* API path of the list of all texts, and API path of one text */
  const char *query;       /* query string for the largest page of the list: "?per_page=100" */
  const char *id, *text;   /* JSON keys of the id and of the text */
};

/* Properties of a code host such as GitHub. In paths, values of the run replace {repo}, {number},
 * {sha} and {id}. */
struct forge {
  const char *name;          /* name of the code host: "github" */
  const char *mark;          /* environment variable that is set in the CI jobs of the code host */
  const char *repo_variable; /* name of the environment variable that contains the repository */
  /* environment variables that may contain the token, by preference; the list ends with NULL */
  const char *const *tokens;
  const char *token_header;   /* start of the header with the token: "Authorization: Bearer " */
  const char *const *headers; /* other headers that requests need; the array ends with NULL */
  /* Fills in the fields of `site` that no flag has set. */
  void (*read)(struct site *site);

  /* API path of the token's user, and JSON key of the user's name */
  const char *user_path, *user_key;
  const char *author;          /* author of comments if the token cannot read its user */
  struct forge_texts comments; /* API paths and JSON keys of the comments on a change */
  /* API paths and JSON keys of issues; empty if they are not supported */
  struct forge_texts issues;
  const char *item_author; /* JSON key of the author of a comment or an issue */
  const char *body_key; /* JSON key of the text in a request. "body": a string. "content": an object
                           that has the text in "raw". */
  const char *close_key, *close_value; /* JSON key and value that close an issue */
  const char *update;                  /* HTTP method that updates a comment */
  size_t comment_most;                 /* maximum size of a comment in bytes */
  bool takes_html;                     /* true if Markdown may contain HTML links */

  const char *status_path, *status_name, *status_url;
  const char *states[ENDINGS];
  const char *permission; /* name of the permission that the token needs, for messages */
};

struct site {
  struct arena *arena;
  const struct forge *forge; /* code host of the repository; NULL if it was not found */
  const char *api, *repo;    /* address of the API, and the repository; "" if unknown */
  const char *token;
  const char *sha, *page;
  const char *checkout; /* id of the commit that the CI job checked out; "" if unknown */
  int64_t number;       /* number of the pull request or merge request, or 0 */
  uint64_t run;         /* number of the run in the CI system; 0: unknown */
  bool read_only;       /* true for a fork's run, whose token cannot write */
  /* owner and branch of the change, or ""; a workflow_run job finds its pull request by these */
  const char *owner, *branch;
};

/* Values from the command line, each "" or 0 if absent. */
struct site_options {
  const char *host, *sha, *page;
  int64_t number;
};

/* Finds the code host and reads its environment variables. A missing host is not an error. Invalid
 * values end the command. */
void site_read(struct site *site, struct arena *arena, const struct site_options *options);

/* Returns a path with its placeholders replaced. */
const char *site_path(const struct site *site, const char *pattern, const char *id);

#endif
