/* Explains a failed transfer in terms of the user. */
#ifndef PPROFC_TOOLS_FETCH_FAILURE_H
#define PPROFC_TOOLS_FETCH_FAILURE_H

#include "common/libcurl.h"
#include "fetch/url.h"

#ifdef HAVE_LIBCURL

struct failure {
  CURLcode code;
  const char *why; /* libcurl's message */
  int number;      /* errno of the connection, or 0 */
  const struct url *url;
  int64_t limit_ms;
  bool came;        /* true if a reply had begun */
  bool certificate; /* true if the client has a certificate */
};

pprofc_status failure_explain(const struct failure *failure, pprofc_error *error);

#endif

#endif
