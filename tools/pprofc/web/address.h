/* The address of -http: what it says, and a socket that listens there. */
#ifndef PPROFC_WEB_ADDRESS_H
#define PPROFC_WEB_ADDRESS_H

#include "core/error.h"
#include "core/str.h"

struct http_address {
  char host[256]; /* as given; "localhost" when empty */
  unsigned port;  /* 0: any that is free */
  bool loopback;  /* what is bound is reachable from this machine only */
  bool any;       /* all addresses of the machine */
};

/* Splits HOST:PORT; both may be empty, the colon may not. Errors are worded as pprof's. */
pprofc_status web_address_parse(const char *text, struct http_address *address,
                                pprofc_error *error);

/* Binds one address of the host and listens; sets port, loopback and any. */
pprofc_status address_listen(struct http_address *address, int *listening, pprofc_error *error);

/* "localhost:8080", "[::1]:8080". */
void address_write(const struct http_address *address, char *out, size_t size);

#endif
