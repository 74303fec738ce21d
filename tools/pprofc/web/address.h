/* Parsing of the address of -http, and its listening socket. */
#ifndef PPROFC_WEB_ADDRESS_H
#define PPROFC_WEB_ADDRESS_H

#include "core/error.h"
#include "core/str.h"

struct http_address {
  char host[256]; /* host as given; "localhost" if empty */
  unsigned port;  /* 0 for any free port */
  bool loopback;  /* true if only this machine can connect */
  bool any;       /* true for all addresses of the machine */
};

/* Splits HOST:PORT. Both may be empty, but the colon must be there. Errors have pprof's words. */
pprofc_status web_address_parse(const char *text, struct http_address *address,
                                pprofc_error *error);

/* Binds an address of the host and listens. Sets port, loopback and any. */
pprofc_status address_listen(struct http_address *address, int *listening, pprofc_error *error);

/* Formats "localhost:8080" or "[::1]:8080". */
void address_write(const struct http_address *address, char *out, size_t size);

#endif
