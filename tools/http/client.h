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
                                  "" without a file */
};

/* Checks that the files are usable. As in pprof, an unusable file makes every request fail, even
 * over plain HTTP. */
pprofc_status tls_check(const struct tls_files *files, pprofc_error *error);

/* Options that all requests of a run share. */
struct client_options {
  const pprofc_allocator *mem; /* allocator for the bodies of replies; stopping its budget stops the
                                  requests */
  const pprofc_limits *limits;
  struct tls_files tls;
  const struct headers *headers; /* headers that the client sends only to the host of the source */
  bool any_proxy;                /* true to use ALL_PROXY if HTTPS_PROXY is not set */
  const char *program;           /* name of the program in messages; only messages of "pprofc" name
                                    flags */
};

/* A request to an API, which the client sends unchanged. The client follows no redirect, and
 * returns any status without an error. */
struct request {
  const char *method;
  const char *const *headers; /* complete headers, "Name: value"; NULL ends the array */
  size_t most;                /* limit of the reply's body in bytes */
};

/* One request and its reply. */
struct exchange {
  const struct url *url;
  const struct request *request; /* request to an API; NULL for a GET or POST of a profile */
  bool post;
  pprofc_str body; /* body of a POST or of a request to an API */
  bool own_host;   /* true to reject redirects to another host, and redirects that would drop the
                      body */
  int64_t limit_ms;
  struct arena *arena; /* arena for the URLs of redirects */

  pprofc_status status;
  pprofc_error error;
  struct reply reply;
  struct url final; /* URL of the last request after redirects */
  bool redirected;
};

struct client;

/* Creates a client. If a library or file is missing, each exchange returns the error, as in pprof.
 * Returns NULL when out of memory. */
struct client *client_open(const struct client_options *options);
void client_close(struct client *client);

/* Returns the error that all requests would return, such as a missing library, or PPROFC_OK. */
pprofc_status client_status(const struct client *client, pprofc_error *error);

/* Sends all requests in parallel, and returns when each has its reply or error. The caller frees
 * the replies. A status other than 200 is an error, except for a request to an API. */
void client_run(struct client *client, struct exchange *items, size_t count);

#endif
