/* Loads libcurl and fills in the table of its functions. */
#include "http/libcurl.h"

#ifdef HAVE_LIBCURL
#include "common/library.h"

pprofc_status libcurl_load(struct libcurl *curl, pprofc_error *error) {
  /* Names of the functions. The build of static programs takes the names from this file. */
  const struct library_function functions[] = {
      {"curl_global_init", &curl->global_init},
      {"curl_easy_init", &curl->easy_init},
      {"curl_easy_perform", &curl->easy_perform},
      {"curl_easy_setopt", &curl->easy_setopt},
      {"curl_easy_getinfo", &curl->easy_getinfo},
      {"curl_easy_cleanup", &curl->easy_cleanup},
      {"curl_easy_strerror", &curl->easy_strerror},
      {"curl_slist_append", &curl->slist_append},
      {"curl_slist_free_all", &curl->slist_free_all},
      {"curl_getdate", &curl->getdate},
      {"curl_multi_init", &curl->multi_init},
      {"curl_multi_add_handle", &curl->multi_add_handle},
      {"curl_multi_remove_handle", &curl->multi_remove_handle},
      {"curl_multi_perform", &curl->multi_perform},
      {"curl_multi_poll", &curl->multi_poll},
      {"curl_multi_info_read", &curl->multi_info_read},
      {"curl_multi_cleanup", &curl->multi_cleanup}};
  size_t count = sizeof functions / sizeof *functions;
  pprofc_status status = library_load("libcurl.so.4", "libcurl4", functions, count, error);
  if (status != PPROFC_OK) return status;
  if (curl->global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK) return PPROFC_OK;
  return error_set(error, PPROFC_E_UNSUPPORTED, "libcurl cannot be initialized");
}
#endif
