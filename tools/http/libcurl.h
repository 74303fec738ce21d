/* Loads libcurl before the first request. */
#ifndef TOOLS_HTTP_LIBCURL_H
#define TOOLS_HTTP_LIBCURL_H

#include "core/error.h"

#ifdef HAVE_LIBCURL
#include <curl/curl.h>

struct libcurl {
  CURLcode (*global_init)(long flags);
  CURL *(*easy_init)(void);
  CURLcode (*easy_perform)(CURL *easy);
  CURLcode (*easy_setopt)(CURL *easy, CURLoption option, ...);
  CURLcode (*easy_getinfo)(CURL *easy, CURLINFO info, ...);
  void (*easy_cleanup)(CURL *easy);
  const char *(*easy_strerror)(CURLcode code);
  struct curl_slist *(*slist_append)(struct curl_slist *list, const char *text);
  void (*slist_free_all)(struct curl_slist *list);
  time_t (*getdate)(const char *text, const time_t *unused);
  CURLM *(*multi_init)(void);
  CURLMcode (*multi_add_handle)(CURLM *multi, CURL *easy);
  CURLMcode (*multi_remove_handle)(CURLM *multi, CURL *easy);
  CURLMcode (*multi_perform)(CURLM *multi, int *running);
  CURLMcode (*multi_poll)(CURLM *multi, struct curl_waitfd *fds, unsigned count, int timeout_ms,
                          int *ready);
  CURLMsg *(*multi_info_read)(CURLM *multi, int *left);
  CURLMcode (*multi_cleanup)(CURLM *multi);
};

/* Loads the library, and sets the function pointers. Only one thread may call this function. The
 * message of the error PPROFC_E_UNSUPPORTED names the package to install. */
pprofc_status libcurl_load(struct libcurl *curl, pprofc_error *error);
#endif

#endif
