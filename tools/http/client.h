/* Sends HTTP requests in parallel, with redirects, proxies, TLS and limits. */
#ifndef TOOLS_HTTP_CLIENT_H
#define TOOLS_HTTP_CLIENT_H

#include "core/error.h"
#include "http/proxy.h"
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

/* True if there is a header named `name`. Ignores case. */
bool headers_has(const struct headers *headers, pprofc_str name);

/* ---- the client (client.c, tls.c) -------------------- */

struct tls_files {
  const char *cert, *key, *ca; /* paths of certificate, its key, and authorities; "": no file */
};

/* Checks that the files contain certificates and a key. As in pprof, an invalid file makes every
 * request fail, even plain HTTP. */
pprofc_status tls_check(const struct tls_files *files, pprofc_error *error);

struct client_options {
  const pprofc_allocator *mem; /* allocator for bodies; a stopped budget stops the requests */
  const pprofc_limits *limits;
  struct tls_files tls;
  const struct headers *headers; /* headers that the client sends only to the host of the source */
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

#endif
