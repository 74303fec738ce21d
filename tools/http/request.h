/* Sends single requests to an API: any method, whole headers, no redirects, every status a
 * reply. */
#ifndef TOOLS_HTTP_REQUEST_H
#define TOOLS_HTTP_REQUEST_H

#include "http/client.h"

/* Opens a client for such requests. After PPROFC_E_UNSUPPORTED the message names the missing
 * package. */
pprofc_status request_open(struct client **client, pprofc_error *error);

/* Prepares an empty reply for request_send. */
void request_reply_init(struct reply *reply);

/* Sends one request and replaces the reply, whose body keeps its ceiling. `headers` ends with
 * NULL. An unencrypted request uses no proxy, which could read the token. PPROFC_E_IO if the reply
 * is incomplete. */
pprofc_status request_send(struct client *client, const char *method, const char *url,
                           const char *const *headers, pprofc_str body, int64_t seconds,
                           struct reply *reply, pprofc_error *error);

/* The tries of a request. */
struct retry {
  int most;         /* maximum number of tries */
  int64_t first_ms; /* wait after the first try; each later wait is twice as long */
  int64_t left_ms;  /* time that all waits may take together */
  int tries;        /* number of tries that failed */
};

/* True for the status of a server that is busy or restarts. */
bool retry_helps(int code);

/* Counts a failed try and waits before the next one: `wait_ms`, or if that is negative twice the
 * previous wait. False after the last try, and if the wait is longer than the time that is left. */
bool retry_wait(struct retry *retry, int64_t wait_ms);

#endif
