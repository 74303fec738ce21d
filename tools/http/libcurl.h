/* Loads libcurl before the first request, and explains to the user why a transfer failed. */
#ifndef TOOLS_HTTP_LIBCURL_H
#define TOOLS_HTTP_LIBCURL_H

#include "core/library.h"
#include "http/url.h"

#ifdef HAVE_LIBCURL
#include <curl/curl.h>

#define CURL_FUNCTIONS(X)                                                                          \
  X(curl_, global_init)                                                                            \
  X(curl_, easy_init)                                                                              \
  X(curl_, easy_setopt)                                                                            \
  X(curl_, easy_getinfo)                                                                           \
  X(curl_, easy_cleanup)                                                                           \
  X(curl_, easy_strerror)                                                                          \
  X(curl_, slist_append)                                                                           \
  X(curl_, slist_free_all)                                                                         \
  X(curl_, getdate)                                                                                \
  X(curl_, multi_init)                                                                             \
  X(curl_, multi_add_handle)                                                                       \
  X(curl_, multi_remove_handle)                                                                    \
  X(curl_, multi_perform)                                                                          \
  X(curl_, multi_poll)                                                                             \
  X(curl_, multi_info_read)                                                                        \
  X(curl_, multi_cleanup)

struct libcurl {
  CURL_FUNCTIONS(LIBRARY_FIELD)
};

/* Loads the library, and sets the function pointers. Only one thread may call this function. The
 * message of the error PPROFC_E_UNSUPPORTED names the package to install. */
pprofc_status libcurl_load(struct libcurl *library, pprofc_error *error);

struct failure {
  CURLcode code;
  const char *why; /* libcurl's message about the failure */
  int number;      /* errno of the connection, or 0 */
  const struct url *url;
  const struct url *to; /* URL of the connection: the proxy's URL, or `url` if there is no proxy */
  bool proxied;
  int64_t limit_ms;
  bool came;        /* true if the client received a part of the reply */
  bool flags;       /* true if messages may mention -timeout and -tls_ca, -tls_cert, -tls_key */
  bool certificate; /* true if the client sends a certificate */
};

pprofc_status failure_explain(const struct failure *failure, pprofc_error *error);
#endif

#endif
