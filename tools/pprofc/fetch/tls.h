/* Checks -tls_cert, -tls_key and -tls_ca before a connection. */
#ifndef PPROFC_TOOLS_FETCH_TLS_H
#define PPROFC_TOOLS_FETCH_TLS_H

#include "core/error.h"

struct tls_files {
  const char *cert, *key, *ca; /* file names, "" if not given */
};

/* Checks the files. As in pprof, an unusable file fails every request, including plain HTTP. */
pprofc_status tls_check(const struct tls_files *files, pprofc_error *error);

#endif
