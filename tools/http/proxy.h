/* Chooses the proxy of a request by the rules of Go's net/http. Reads HTTP_PROXY, HTTPS_PROXY and
 * NO_PROXY, or their names in lower case. Requests to this machine use no proxy. */
#ifndef TOOLS_HTTP_PROXY_H
#define TOOLS_HTTP_PROXY_H

#include "http/url.h"

/* Values of the environment variables; "" if not set. */
struct proxy_settings {
  const char *http, *https, *except;
  bool cgi; /* true in a CGI program (REQUEST_METHOD is set); a request that would use HTTP_PROXY
               then fails, because the HTTP client that calls the program can set this variable */
};

/* Reads the environment. If `any` is true, ALL_PROXY can replace HTTPS_PROXY, as in curl. */
void proxy_from_environment(struct proxy_settings *settings, bool any);

/* Finds the proxy for a URL. Sets *proxy to its NUL-terminated address, or to "" for no proxy.
 * Returns PPROFC_E_INVALID if the settings forbid the request. */
pprofc_status proxy_for(struct arena *arena, const struct proxy_settings *settings,
                        const struct url *url, const char **proxy, pprofc_error *error);

#endif
