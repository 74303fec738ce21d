/* Sends requests to the API of a code host, with rate limits, time limits and retries. Only this
 * host gets the token, and no message contains it. */
#ifndef PPROFCI_PUBLISH_WIRE_H
#define PPROFCI_PUBLISH_WIRE_H

#include "core/output.h"
#include "http/request.h"

struct wire_options {
  const char *api;            /* "https://api.github.com", without '/' at its end */
  const char *token;          /* secret token; "" in a dry run */
  const char *token_header;   /* start of the header with the token: "Authorization: Bearer " */
  const char *const *headers; /* other headers, as whole lines; ends with NULL */
  int64_t wait_most;          /* maximum sum of all waits before retries, in seconds */
  int64_t timeout;            /* time limit of one request, in seconds */
  struct output *dry;         /* output for the requests of a dry run; NULL: sends the requests */
};

struct wire_request {
  const char *method,
      *path;       /* HTTP method, and the path after `api` or a whole URL on the same host */
  pprofc_str body; /* JSON body of the request; size 0: no body */
  bool once;       /* true if a repeated request would, for example, create a second comment */
};

struct api;

/* Opens the API. Returns PPROFC_E_INVALID for an invalid token, and for an address that must not
 * receive the token. */
pprofc_status wire_open(const struct wire_options *options, struct api **wire, pprofc_error *error);
void wire_close(struct api *wire);

/* Sends a request, with retries if they can help. Returns PPROFC_OK for status 2xx with a JSON or
 * empty body. Sets reply->code to -1 if no reply arrives, and to 0 in a dry run. The caller frees
 * the reply. */
pprofc_status wire_send(struct api *wire, const struct wire_request *request, struct reply *reply,
                        pprofc_error *error);

/* True if the server may have executed a request that failed with this reply code. */
bool wire_is_unsure(const struct reply *reply);

#endif
