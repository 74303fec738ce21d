/* Chooses the proxy of a request by the rules of Go's net/http: HTTP_PROXY, HTTPS_PROXY and
 * NO_PROXY, also in lower case. Requests to this machine use no proxy. */
#ifndef TOOLS_HTTP_PROXY_H
#define TOOLS_HTTP_PROXY_H

#include "http/url.h"

/* Settings of the environment, "" if not set. */
struct proxy_settings {
  const char *http, *https, *except;
  bool cgi; /* true if REQUEST_METHOD is set: HTTP_PROXY may come from an HTTP client */
};

/* Reads the settings. With `any`, ALL_PROXY is the proxy of https if HTTPS_PROXY is not set, as
 * in curl. */
void proxy_from_environment(struct proxy_settings *settings, bool any);

/* Finds the proxy of a URL, as NUL-terminated text; "" for no proxy. PPROFC_E_INVALID if the
 * settings forbid the request. */
pprofc_status proxy_for(struct arena *arena, const struct proxy_settings *settings,
                        const struct url *url, const char **proxy, pprofc_error *error);

#endif
