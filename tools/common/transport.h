/* One request over HTTP by libcurl, which is loaded when the first one is sent. */
#ifndef TOOLS_COMMON_TRANSPORT_H
#define TOOLS_COMMON_TRANSPORT_H

#include "core/buffer.h"
#include "core/error.h"

/* What came back. */
struct transport_reply {
  int code;            /* 0: no status line came */
  bool sent;           /* the connection stood: the server may have acted */
  bool refused;        /* by us: its certificate is not to be trusted */
  bool is_json;        /* by its Content-Type */
  int64_t date;        /* seconds, the server's clock; 0: it does not tell */
  int64_t retry_after; /* seconds from now; -1: not told */
  int64_t reset;       /* X-RateLimit-Reset, of the server's clock; 0: not told */
  int64_t remaining;   /* X-RateLimit-Remaining; -1: not told */
  struct buffer body, next, location, etag;
};

struct transport;

/* PPROFC_E_UNSUPPORTED names the package that is missing. */
pprofc_status transport_open(struct transport **transport, pprofc_error *error);
void transport_close(struct transport *transport);

/* Sends one request. `headers` ends with NULL. Redirects are not followed. PPROFC_E_IO when no
 * whole reply came. */
pprofc_status transport_send(struct transport *transport, const char *method, const char *url,
                             const char *const *headers, pprofc_str body, int64_t timeout,
                             struct transport_reply *reply, pprofc_error *error);

void transport_reply_init(struct transport_reply *reply);
void transport_reply_free(struct transport_reply *reply);

#endif
