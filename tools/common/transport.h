/* One request over HTTP by libcurl, which is loaded at the first request. */
#ifndef TOOLS_COMMON_TRANSPORT_H
#define TOOLS_COMMON_TRANSPORT_H

#include "core/buffer.h"
#include "core/error.h"

/* The reply to a request. */
struct transport_reply {
  int code;            /* 0 if no status line arrived */
  bool sent;           /* connected, so the server may have acted on the request */
  bool refused;        /* the certificate of the server is not trusted */
  bool ended;          /* the empty line after the headers arrived */
  bool framed;         /* the headers define the end of the body: a length, chunks, or HTTP/2 */
  bool is_json;        /* true if the Content-Type is JSON */
  int64_t date;        /* seconds, by the clock of the server; 0: absent */
  int64_t modified;    /* Last-Modified, by the clock of the server; 0: absent */
  int64_t retry_after; /* seconds from now; -1: absent */
  int64_t reset;       /* X-RateLimit-Reset, by the clock of the server; 0: absent */
  int64_t remaining;   /* X-RateLimit-Remaining; -1: absent */
  struct buffer body, next, location, etag;
};

struct transport;

/* Loads libcurl. After PPROFC_E_UNSUPPORTED the message names the missing package. */
pprofc_status transport_open(struct transport **transport, pprofc_error *error);
void transport_close(struct transport *transport);

/* Sends one request and follows no redirect. `headers` ends with NULL. PPROFC_E_IO if the
 * reply is incomplete. */
pprofc_status transport_send(struct transport *transport, const char *method, const char *url,
                             const char *const *headers, pprofc_str body, int64_t timeout,
                             struct transport_reply *reply, pprofc_error *error);

void transport_reply_init(struct transport_reply *reply);
void transport_reply_free(struct transport_reply *reply);

/* True if "HOST" or "HOST:PORT" is this machine, so that no other machine can read an
 * unencrypted request. */
bool transport_is_local(pprofc_str host);

#endif
