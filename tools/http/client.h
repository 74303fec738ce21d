/* Sends requests over HTTP, several at once, with redirects, proxies, TLS, and limits of size and
 * time. */
#ifndef TOOLS_HTTP_CLIENT_H
#define TOOLS_HTTP_CLIENT_H

#include "core/error.h"
#include "http/headers.h"
#include "http/proxy.h"
#include "http/reply.h"
#include "http/url.h"

struct tls_files {
  const char *cert, *key, *ca; /* names of the files, "" if not given */
};

/* Checks the files. As in pprof, an unusable file fails every request, including plain HTTP. */
pprofc_status tls_check(const struct tls_files *files, pprofc_error *error);

/* Options that all requests of a run share. */
struct client_options {
  const pprofc_allocator *mem; /* allocator for the bodies of replies */
  const pprofc_limits *limits;
  struct tls_files tls;
  const struct headers *headers; /* headers to add to requests for the host of the source */
  bool any_proxy;                /* true to use ALL_PROXY for https if HTTPS_PROXY is not set */
  const char *program; /* name of the program for messages; only messages of "pprofc" name flags */
};

/* A request to an API, which is sent unchanged. No redirect is followed, and every status is
 * a reply. */
struct request {
  const char *method;
  const char *const *headers; /* headers as whole lines; ends with NULL */
  size_t most;                /* limit of the reply's body, in bytes */
};

/* One request and its reply. */
struct exchange {
  const struct url *url;
  const struct request *request; /* request to an API; NULL for a GET or POST of a profile */
  bool post;
  pprofc_str body; /* body of a POST or of `request` */
  bool own_host;   /* true to reject redirects that change the host or drop the body */
  int64_t limit_ms;
  struct arena *arena; /* arena for the URLs of redirects */

  pprofc_status status;
  pprofc_error error;
  struct reply reply;
  struct url final; /* URL of the reply, after redirects */
  bool redirected;
};

struct client;

/* Makes a client. Each exchange reports a missing library or file, as in pprof. NULL when out of
 * memory. */
struct client *client_open(const struct client_options *options);
void client_close(struct client *client);

/* Returns the error that prevents every request, such as a missing library. */
pprofc_status client_status(const struct client *client, pprofc_error *error);

/* Sends all requests at the same time and returns when each has its reply or its error. The caller
 * frees the replies. A status other than 200 is an error, unless the exchange is a
 * request to an API. */
void client_run(struct client *client, struct exchange *items, size_t count);

#endif
