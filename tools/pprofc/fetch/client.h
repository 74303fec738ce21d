/* Requests over HTTP, several at once: redirects, proxies, TLS, limits of size and time. */
#ifndef PPROFC_TOOLS_FETCH_CLIENT_H
#define PPROFC_TOOLS_FETCH_CLIENT_H

#include "fetch/headers.h"
#include "fetch/proxy.h"
#include "fetch/reply.h"
#include "fetch/tls.h"
#include "fetch/url.h"

/* What all requests of a run have in common. */
struct client_options {
  const pprofc_allocator *mem; /* for bodies */
  const pprofc_limits *limits;
  struct tls_files tls;
  const struct headers *headers; /* added to requests for the host of the source */
};

/* One request and what came of it. */
struct exchange {
  const struct url *url;
  bool post;
  pprofc_str body; /* of a POST */
  int64_t limit_ms;
  struct arena *arena; /* for texts of redirects */

  pprofc_status status;
  pprofc_error error;
  struct reply reply;
  struct url final; /* where the reply came from, after redirects */
  bool redirected;
};

struct client;

/* Makes a client. A library that is missing and files that cannot be read are told by each
 * exchange, as pprof does. NULL when out of memory. */
struct client *client_open(const struct client_options *options);
void client_close(struct client *client);

/* Sends all requests at the same time and returns when each has its reply or its error. The replies
 * are the caller's to free. A status other than 200 is an error, with its body where a message
 * shows it. */
void client_run(struct client *client, struct exchange *items, size_t count);

#endif
