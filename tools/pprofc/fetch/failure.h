/* Why a transfer failed, in words of the user. */
#ifndef PPROFC_TOOLS_FETCH_FAILURE_H
#define PPROFC_TOOLS_FETCH_FAILURE_H

#include "fetch/libcurl.h"
#include "fetch/url.h"

#ifdef HAVE_LIBCURL

struct failure {
  CURLcode code;
  const char *why; /* libcurl's own words */
  int number;      /* the errno of a connection, or 0 */
  const struct url *url;
  int64_t limit_ms;
  bool came;        /* a reply had begun */
  bool certificate; /* the client has one to show */
};

pprofc_status failure_explain(const struct failure *failure, pprofc_error *error);

#endif

#endif
