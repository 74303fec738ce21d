/* Sends single requests to an API, without redirects. A status such as 404 is not an error. */
#ifndef TOOLS_HTTP_REQUEST_H
#define TOOLS_HTTP_REQUEST_H

#include "http/client.h"

/* Creates a client. The message of PPROFC_E_UNSUPPORTED names the package to install. */
pprofc_status request_open(struct client **client, pprofc_error *error);

void request_reply_init(struct reply *reply);

/* Sends one request and replaces *reply, but keeps the size limit of the reply's body. `headers`
 * ends with NULL. An unencrypted request uses no proxy, because the proxy could read the token.
 * Returns PPROFC_E_IO if the reply is incomplete. */
pprofc_status request_send(struct client *client, const char *method, const char *url,
                           const char *const *headers, pprofc_str body, int64_t seconds,
                           struct reply *reply, pprofc_error *error);

/* Limits and counters for the retries of one request. */
struct retry {
  int most; /* maximum number of tries */
  /* wait in milliseconds after the first try; each further wait is twice as long */
  int64_t first_ms;
  int64_t left_ms; /* remaining time for all waits, in milliseconds */
  int tries;       /* number of failed tries */
};

/* True if a retry may succeed after this HTTP status, because the server is busy or restarts. */
bool retry_helps(int code);

/* Counts a failed try, and waits `wait_ms` milliseconds. If `wait_ms` is negative, waits twice as
 * long as the last time. Returns false without a wait after the last try, or if too little time
 * remains. */
bool retry_wait(struct retry *retry, int64_t wait_ms);

#endif
