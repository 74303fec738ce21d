/* Explains to the user why a transfer failed. */
#ifndef TOOLS_HTTP_FAILURE_H
#define TOOLS_HTTP_FAILURE_H

#include "http/libcurl.h"
#include "http/url.h"

#ifdef HAVE_LIBCURL

struct failure {
  CURLcode code;
  const char *why; /* libcurl's message about the failure */
  int number;      /* errno of the connection, or 0 */
  const struct url *url;
  const struct url *to; /* URL of the connection: the proxy, or `url` */
  bool proxied;
  int64_t limit_ms;
  bool came;        /* true if the client received a part of the reply */
  bool flags;       /* true if messages may mention -timeout and -tls_ca, -tls_cert, -tls_key */
  bool certificate; /* true if the client sends a certificate */
};

pprofc_status failure_explain(const struct failure *failure, pprofc_error *error);

#endif

#endif
