/* -tls_cert, -tls_key and -tls_ca: what can be said about them before a connection. */
#ifndef PPROFC_TOOLS_FETCH_TLS_H
#define PPROFC_TOOLS_FETCH_TLS_H

#include "core/error.h"

struct tls_files {
  const char *cert, *key, *ca; /* "" when not given */
};

/* As in pprof, files that cannot be used are an error of every request, of plain HTTP, too. */
pprofc_status tls_check(const struct tls_files *files, pprofc_error *error);

#endif
