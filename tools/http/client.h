/* Sends several HTTP requests at once. Supports redirects, proxies, TLS and limits of size and
 * time. */
#ifndef TOOLS_HTTP_CLIENT_H
#define TOOLS_HTTP_CLIENT_H

#include "core/error.h"
#include "http/headers.h"
#include "http/proxy.h"
#include "http/reply.h"
#include "http/url.h"

struct tls_files {
  const char *cert, *key, *ca; /* paths of the certificate, the key and the certificate authorities;
                                  "": no file */
};

/* Checks that the files are usable. An unusable file makes every request fail, even over plain
 * HTTP, as in pprof. */
pprofc_status tls_check(const struct tls_files *files, pprofc_error *error);

/* Options that all requests of a run share. */
struct client_options {
  const pprofc_allocator *mem; /* allocator for the bodies of replies; if its budget is stopped, the
                                  requests stop */
  const pprofc_limits *limits;
  struct tls_files tls;
  const struct headers *headers; /* headers that the client sends only to the host of the source */
  bool any_proxy;                /* true to use ALL_PROXY if HTTPS_PROXY is not set */
  const char *program;           /* name of the program in messages; only messages for "pprofc"
                                    mention flags */
};

/* A request to an API. The client sends it unchanged and follows no redirect. No status is an
 * error. */
struct request {
  const char *method;
  const char *const *headers; /* complete headers, "Name: value"; ends with NULL */
  size_t most;                /* limit of the reply's body in bytes */
};

/* One request and its reply. */
struct exchange {
  const struct url *url;
  const struct request *request; /* request to an API; NULL: a GET or POST for a profile */
  bool post;
  pprofc_str body; /* body of a POST or of a request to an API */
  bool own_host;   /* true: reject redirects to another host, and redirects that would drop the
                      body */
  int64_t limit_ms;
  struct arena *arena; /* arena for the URLs of redirects */

  pprofc_status status;
  pprofc_error error;
  struct reply reply;
  struct url final; /* URL of the last request, after all redirects */
  bool redirected;
};

struct client;

/* Creates a client. If a library or file is missing, each exchange returns this error, as in pprof.
 * Returns NULL when out of memory. */
struct client *client_open(const struct client_options *options);
void client_close(struct client *client);

/* Returns PPROFC_OK, or an error that every request would return, such as a missing library. */
pprofc_status client_status(const struct client *client, pprofc_error *error);

/* Sends all requests in parallel, and returns when each has its reply or error. The caller frees
 * the replies. A status other than 200 is an error, but not for a request to an API. */
void client_run(struct client *client, struct exchange *items, size_t count);

#endif
