/* Requests over HTTP, several at once, with redirects, proxies, TLS, and limits of size and
 * time. */
#ifndef PPROFC_TOOLS_FETCH_CLIENT_H
#define PPROFC_TOOLS_FETCH_CLIENT_H

#include "fetch/headers.h"
#include "fetch/proxy.h"
#include "fetch/reply.h"
#include "fetch/tls.h"
#include "fetch/url.h"

/* Options that all requests of a run share. */
struct client_options {
  const pprofc_allocator *mem; /* allocator of bodies */
  const pprofc_limits *limits;
  struct tls_files tls;
  const struct headers *headers; /* added to requests for the host of the source */
};

/* One request and its reply. */
struct exchange {
  const struct url *url;
  bool post;
  pprofc_str body; /* body of a POST */
  bool own_host;   /* true to reject redirects that change the host or drop the body */
  int64_t limit_ms;
  struct arena *arena; /* arena of the URLs of redirects */

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

/* Sends all requests at the same time and returns when each has its reply or its error. The caller
 * frees the replies. A status other than 200 is an error. */
void client_run(struct client *client, struct exchange *items, size_t count);

#endif
