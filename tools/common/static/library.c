/* Replaces library_load in static programs, which cannot use dlopen. libcurl, libedit and
 * libmicrohttpd are linked into the program, unless the build leaves them out. */
#include "core/library.h"

#include "core/error.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef STATIC_LIBCURL
#include <curl/curl.h>

/* Returns the path of the file with the certificate authorities that the system trusts. */
static const char *static_certificates(void) {
  static const char *const places[] = {
      "/etc/ssl/certs/ca-certificates.crt", /* path on Debian, Ubuntu, Arch, Gentoo */
      "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", /* path on Fedora, RHEL */
      "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem"};
  const char *chosen = getenv("SSL_CERT_FILE");
  if (chosen && *chosen) return chosen;
  for (size_t i = 0; i < sizeof places / sizeof *places; i++)
    if (access(places[i], R_OK) == 0) return places[i];
  return NULL;
}

static void static_trust(CURL *easy) {
  const char *file = static_certificates();
  if (easy && file) curl_easy_setopt(easy, CURLOPT_CAINFO, file);
}

static CURL *static_easy_init(void) {
  CURL *easy = curl_easy_init();
  static_trust(easy);
  return easy;
}
#endif

#ifdef STATIC_LIBMICROHTTPD
#include <microhttpd.h>
#endif
#ifdef STATIC_LIBEDIT
#include <histedit.h>
#endif

/* Functions of the linked libraries. If a name has several entries, the first one counts. The build
 * generates the lists FUNCTION(curl_easy_init) ... from the function names that the programs use.
 */
#define FUNCTION(name) {#name, (void (*)(void))(name)},
static const struct static_function {
  const char *name;
  void (*address)(void);
} static_functions[] = {
#ifdef STATIC_LIBCURL
    {"curl_easy_init", (void (*)(void))static_easy_init},
#include "static_curl.h"
#endif
#ifdef STATIC_LIBMICROHTTPD
#include "static_microhttpd.h"
#endif
#ifdef STATIC_LIBEDIT
#include "static_edit.h"
#endif
    {NULL, NULL}};

static const struct static_function *static_find(const char *name) {
  const struct static_function *function = static_functions;
  while (function->name && strcmp(function->name, name) != 0) function++;
  return function->name ? function : NULL;
}

pprofc_status library_load(const struct library_names *names,
                           const struct library_function *functions, size_t count,
                           pprofc_error *error) {
  for (size_t i = 0; i < count; i++) {
    const struct static_function *found = static_find(functions[i].name);
    if (!found)
      return error_set(error, PPROFC_E_UNSUPPORTED,
                       "this static program was built without %.*s; use the one of a package, and "
                       "install %s",
                       (int)strcspn(names->files[0], "."), names->files[0], names->package);
    memcpy(functions[i].pointer, &found->address, sizeof found->address);
  }
  return PPROFC_OK;
}
