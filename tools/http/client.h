/* Sends HTTP requests in parallel, with redirects, proxies, TLS and limits. */
#ifndef TOOLS_HTTP_CLIENT_H
#define TOOLS_HTTP_CLIENT_H

#include "http/reply.h"
#include "http/url.h"

/* ---- headers set by -header and -header_file (headers.c); messages never show their values */

struct header {
  pprofc_str name;
  const char *line; /* for libcurl: "Name: value", or "Name;" without a value */
};

struct headers {
  struct arena *arena;
  struct header *items;
  size_t count, capacity;
};

void headers_init(struct headers *headers, struct arena *arena);
void headers_free(struct headers *headers);

/* Adds a header. Messages show `where`, such as "-header 2" or "-header_file 'x', line 3". */
pprofc_status headers_add(struct headers *headers, pprofc_str text, const char *where,
                          pprofc_error *error);

/* Adds the headers in a file, one per line. Skips empty lines and lines that begin with '#'. */
pprofc_status headers_add_file(struct headers *headers, const char *path, pprofc_error *error);

/* True if there is a header named `name`, which must be in lower case. Ignores case. */
bool headers_has(const struct headers *headers, pprofc_str name);

/* ---- the client (client.c, tls.c) -------------------- */

struct tls_files {
  const char *cert, *key, *ca; /* paths of certificate, its key, and authorities; "": no file */
};

/* Checks that the files contain certificates and a key. As in pprof, an invalid file makes every
 * request fail, even plain HTTP. */
pprofc_status tls_check(const struct tls_files *files, pprofc_error *error);

struct client_options {
  const pprofc_allocator *mem; /* allocator for bodies; a cancelled budget ends the requests */
  const pprofc_limits *limits;
  struct tls_files tls;
  const struct headers *headers; /* user's headers; not sent to another host after a redirect */
  bool any_proxy;                /* true to use ALL_PROXY if HTTPS_PROXY is not set */
  /* name of the program in messages; messages mention flags only if it is "pprofc" */
  const char *program;
};

/* A request to an API. The client sends it unchanged and follows no redirect. A status such as 404
 * is not an error. */
struct request {
  const char *method;
  const char *const *headers; /* complete headers, "Name: value"; ends with NULL */
  size_t most;                /* limit of the reply's body in bytes */
};

struct exchange {
  const struct url *url;
  /* request to an API; NULL for a GET or POST that requests a profile */
  const struct request *request;
  bool post;
  pprofc_str body; /* body of a POST or of a request to an API */
  bool own_host;   /* true: reject redirects that lead to another host or drop the body */
  int64_t limit_ms;
  struct arena *arena; /* arena for the URLs of redirects */

  pprofc_status status;
  pprofc_error error;
  struct reply reply;
  struct url final; /* URL of the last request, after all redirects */
  bool redirected;
};

struct client;

/* Creates a client. If a library or a file is missing, each request of the client fails with an
 * error about it, as in pprof. Returns NULL when out of memory. */
struct client *client_open(const struct client_options *options);
void client_close(struct client *client);

/* Returns PPROFC_OK, or an error that every request would return, such as a missing library. */
pprofc_status client_status(const struct client *client, pprofc_error *error);

/* Sends all requests in parallel, and returns when each has its reply or error. The caller frees
 * the replies. A status other than 200 is an error, but not for a request to an API. */
void client_run(struct client *client, struct exchange *items, size_t count);

/* ---- proxies (proxy.c) ---------------------------- */

/* Values of the environment variables; "" if not set. */
struct proxy_settings {
  const char *http, *https, *except;
  bool cgi; /* true in a CGI program (REQUEST_METHOD is set). The HTTP client that calls the program
               can set HTTP_PROXY, so a request that would use HTTP_PROXY fails. */
};

/* Reads the environment. If `any` is true, ALL_PROXY can replace HTTPS_PROXY, as in curl. */
void proxy_from_environment(struct proxy_settings *settings, bool any);

/* Finds the proxy for a URL. Sets *proxy to its NUL-terminated address, or to "" for no proxy.
 * Returns PPROFC_E_INVALID if the settings forbid the request. */
pprofc_status proxy_for(struct arena *arena, const struct proxy_settings *settings,
                        const struct url *url, const char **proxy, pprofc_error *error);

/* ---- single requests (request.c) ------------------ */

/* Creates a client. The message of PPROFC_E_UNSUPPORTED names the package to install. */
pprofc_status request_open(struct client **client, pprofc_error *error);

void request_reply_init(struct reply *reply);

/* Sends one request and replaces *reply, but keeps the size limit of the reply's body. `headers`
 * ends with NULL. An unencrypted request uses no proxy, because the proxy could read the token.
 * Returns PPROFC_E_IO if the reply is incomplete. */
pprofc_status request_send(struct client *client, const char *method, const char *url,
                           const char *const *headers, pprofc_str body, int64_t seconds,
                           struct reply *reply, pprofc_error *error);

/* Limits and counters for the retries of one request. */
struct retry {
  int most; /* maximum number of tries */
  /* wait in milliseconds after the first try; each further wait is twice as long */
  int64_t first_ms;
  int64_t left_ms; /* remaining time for all waits, in milliseconds */
  int tries;       /* number of failed tries */
};

/* True if a retry may succeed after this HTTP status. The server is then busy or restarts. */
bool retry_helps(int code);

/* Counts a failed try, and waits `wait_ms` milliseconds. If `wait_ms` is negative, waits twice as
 * long as the last time. Returns false without a wait after the last try, or if too little time
 * remains. */
bool retry_wait(struct retry *retry, int64_t wait_ms);

#endif
