/* Sends requests to the API of a host. Handles rate limits, time limits, retries and error
 * messages. Sends the token only to this host. Messages never contain the token. */
#ifndef PPROFCI_PUBLISH_WIRE_H
#define PPROFCI_PUBLISH_WIRE_H

#include "core/output.h"
#include "http/request.h"

struct wire_options {
  const char *api;            /* address of the API: "https://api.github.com", without a '/' at its
                                 end */
  const char *token;          /* secret token; "" in a dry run */
  const char *token_header;   /* start of the header with the token: "Authorization: Bearer " */
  const char *const *headers; /* other headers of each request, as whole lines; the array ends with
                                 NULL */
  int64_t wait_most;          /* maximum sum of all waits before retries, in seconds */
  int64_t timeout;            /* time limit of one request, in seconds */
  struct output *dry; /* output for a dry run, which prints the requests instead of sending them;
                         NULL: send the requests */
};

struct wire_request {
  const char *method, *path; /* HTTP method, and the path after `api` or a whole URL on the same
                                host */
  pprofc_str body;           /* JSON body of the request; size 0: no body */
  bool once;                 /* true if a repeated request would have a second effect, so that it
                                must not be retried */
};

struct api;

/* Opens the API. Returns PPROFC_E_INVALID for an invalid token, and for an address that must not
 * receive the token. */
pprofc_status wire_open(const struct wire_options *options, struct api **wire, pprofc_error *error);
void wire_close(struct api *wire);

/* Sends one request, and retries it if a retry can help. Returns PPROFC_OK only for status 2xx and
 * a body that is JSON or empty. Always sets reply->code: -1 without a reply, 0 in a dry run. The
 * caller always frees the reply. */
pprofc_status wire_send(struct api *wire, const struct wire_request *request, struct reply *reply,
                        pprofc_error *error);

/* True if the host may have executed a request that failed with this reply code. */
bool wire_is_unsure(const struct reply *reply);

#endif
