/* Reads a result, and sends it to a code host such as GitHub: the comment of a change, the
 * status of a commit, and a check with annotations. */
#ifndef PPROFCI_PUBLISH_POST_H
#define PPROFCI_PUBLISH_POST_H

#include "core/json_tree.h"
#include "http/client.h"
#include "page/page.h"
#include "run/files.h"

/* ---- the result (outcome.c) ----------------------- */

/* Number of verdicts that are published. Other verdicts are published as one of these verdicts. */
#define PUBLISHED (RUN_NOT_COMPARED + 1)

struct outcome {
  const struct node *root;        /* root of the manifest */
  enum run_verdict published;     /* verdict for the code host */
  bool warns;                     /* true if -no-fail makes a warning of a regression */
  int status;                     /* exit status of the run */
  pprofc_str verdict;             /* verdict as a word, such as "REGRESSION" */
  pprofc_str headline;            /* headline as plain text */
  pprofc_str commit;              /* id of the head commit, or empty */
  struct message summary;         /* text of the result */
  const struct node *regressions; /* JSON objects with benchmark, file, line, title and message */
  size_t regressed;
};

/* Reads the manifest in a folder, with its summary. The arena owns the texts. */
pprofc_status outcome_read(struct arena *arena, const char *folder, bool no_fail,
                           struct outcome *outcome, pprofc_error *error);

/* Reads a manifest, but not its summary. */
pprofc_status outcome_read_manifest(struct arena *arena, const char *path, bool no_fail,
                                    struct outcome *outcome, pprofc_error *error);

/* Creates a summary that quotes the manifest of a fork's run. */
void outcome_quote(struct outcome *outcome, struct arena *arena);

/* Creates the result of a run without a manifest. This result replaces an older result on the code
 * host. */
void outcome_missing(struct arena *arena, const char *why, struct outcome *outcome);

/* True for a commit id of 7 to 64 hexadecimal digits. Only such an id is written into a comment,
 * because it needs no escapes. */
bool outcome_is_commit(pprofc_str text);

/* Creates GitLab's code quality report, with an entry for each regression. */
pprofc_str outcome_code_quality(const struct outcome *outcome, struct arena *arena);

/* Creates OpenMetrics text with the median of every measurement of the head. */
pprofc_str outcome_metrics(const struct outcome *outcome, struct arena *arena);

/* Creates JSON with verdict, headline, commits and regressions, for other programs. */
pprofc_status outcome_json(const struct outcome *outcome, const char *page, uint64_t budget,
                           struct arena *arena, pprofc_str *text, pprofc_error *error);

/* ---- hosts (site.c) ------------------------------- */

struct site;

/* API paths and JSON keys of one type of text on a code host: comments or issues. */
struct forge_texts {
  const char *list, *item; /* API paths of the list of texts, and of one text */
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
  const char *const *headers; /* headers besides the token header; the array ends with NULL */
  /* Fills in the fields of `site` that no flag has set. */
  void (*read)(struct site *site);

  /* API path of the token's user, and JSON key of the user's name */
  const char *user_path, *user_key;
  const char *author;          /* author of comments if the token cannot read its user */
  struct forge_texts comments; /* API paths and JSON keys of the comments on a change */
  /* API paths and JSON keys of issues; empty if the code host has no issues */
  struct forge_texts issues;
  const char *item_author; /* JSON key of the author of a comment or an issue */
  const char *body_key; /* JSON key of the text in a request. "body": a string. "content": an object
                           that has the text in "raw". */
  const char *close_key, *close_value; /* JSON key and value that close an issue */
  const char *update;                  /* HTTP method that updates a comment */
  size_t comment_most;                 /* maximum size of a comment in bytes */
  bool takes_html;                     /* true if Markdown may contain HTML links */

  const char *status_path, *status_name, *status_url;
  const char *states[PUBLISHED];
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
  /* owner and branch of the change, by which a workflow_run job finds the pull request; or "" */
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

/* ---- the comment (body.c) ------------------------- */

/* GitHub's limit in characters. The code compares the limit with a number of bytes. This is safe,
 * because a text never has more characters than bytes. */
#define BODY_MAX ((size_t)65536)

/* State of the comment, hidden in the comment's second line. */
struct body_state {
  pprofc_str commit; /* id of the measured commit */
  size_t regressed;  /* number of regressed benchmarks in `commit` */
  uint64_t run;      /* number of the run in the CI system; a newer run has a larger number */
  pprofc_str had;    /* id of the most recent earlier commit with regressions */
  size_t had_count;
  bool good; /* true if the result is a success */
};

struct body {
  struct body_state state;
  const struct message *summary;
  struct message_place place; /* medium in which the text appears: a page or a comment */
};

/* True if the text is the comment that pprofci wrote for this value of the flag -key. */
bool body_has_marker(pprofc_str text, const char *key);

/* Parses the state of a comment. Returns false if the text lacks the marker of `key`. */
bool body_parse(pprofc_str text, const char *key, struct body_state *state);

/* Copies the most recent commit with regressions from `before`, the state of the old comment. */
void body_follow(struct body_state *state, const struct body_state *before);

/* Creates the comment, at most `most` bytes of UTF-8. The comment has the headline, and as many
 * lines and collapsed sections as fit. `links` is a line of Markdown, or empty. */
pprofc_str body_make(const struct body *body, const char *key, const char *links, size_t most,
                     struct arena *arena);

/* Creates the comment without the marker and the state. `most` limits its size as in body_make. */
pprofc_str body_cut(const struct body *body, const char *links, size_t most, struct arena *arena);

/* ---- requests (wire.c) ---------------------------- */

struct wire_options {
  const char *api;   /* address of the API: "https://api.github.com", without '/' at its end */
  const char *token; /* secret token; "" in a dry run */
  const char *token_header;   /* start of the header with the token: "Authorization: Bearer " */
  const char *const *headers; /* headers besides the token header, as whole lines; ends with NULL */
  int64_t wait_most;          /* maximum sum of all waits before retries, in seconds */
  int64_t timeout;            /* time limit of one request, in seconds */
  struct output *dry;         /* output for the requests of a dry run; NULL: sends the requests */
};

struct wire_request {
  const char *method, *path; /* HTTP method; URL, or the part of it after `api` */
  pprofc_str body;           /* JSON body of the request; size 0: no body */
  bool once; /* true if a repeated request would, for example, create a second comment */
};

struct api;

/* Opens the API. Returns PPROFC_E_INVALID for an invalid token, and for an address that must not
 * receive the token. */
pprofc_status wire_open(const struct wire_options *options, struct api **wire, pprofc_error *error);
void wire_close(struct api *wire);

/* Sends a request, with retries if they can help. Returns PPROFC_OK for status 2xx with a JSON or
 * empty body. Sets reply->code to -1 if no reply arrives, and to 0 in a dry run. The caller frees
 * the reply. */
pprofc_status wire_send(struct api *wire, const struct wire_request *request, struct reply *reply,
                        pprofc_error *error);

/* True if the server may have executed a request that failed with this reply code. */
bool wire_is_unsure(const struct reply *reply);

/* ---- requests (post.c) ---------------------------- */

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
