/* Which proxy a request goes through, by the rules of Go's net/http: HTTP_PROXY, HTTPS_PROXY and
 * NO_PROXY, in lower case too, and never for this machine. */
#ifndef PPROFC_TOOLS_FETCH_PROXY_H
#define PPROFC_TOOLS_FETCH_PROXY_H

#include "fetch/url.h"

/* What the environment says; empty texts for what is not set. */
struct proxy_settings {
  const char *http, *https, *except;
  bool cgi; /* REQUEST_METHOD is set: a client may have chosen HTTP_PROXY */
};

void proxy_from_environment(struct proxy_settings *settings);

/* The proxy for a URL as text that ends with NUL, "" for none. PPROFC_E_INVALID when the settings
 * forbid the request. */
pprofc_status proxy_for(struct arena *arena, const struct proxy_settings *settings,
                        const struct url *url, const char **proxy, pprofc_error *error);

#endif
