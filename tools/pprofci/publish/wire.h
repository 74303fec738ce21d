/* Requests to the API of one host: rate limits, time limits, retries and messages. The token
 * goes to that host only, and no message shows it. */
#ifndef PPROFCI_PUBLISH_WIRE_H
#define PPROFCI_PUBLISH_WIRE_H

#include "core/buffer.h"
#include "core/error.h"
#include "core/output.h"

struct wire_options {
  const char *api;            /* "https://api.github.com", without a '/' at its end */
  const char *token;          /* "" in a dry run */
  const char *token_header;   /* "Authorization: Bearer " */
  const char *const *headers; /* other headers, whole lines; ends with NULL */
  int64_t wait_most;          /* seconds, limit of all waiting together */
  int64_t timeout;            /* seconds, limit of one request */
  struct output *dry;         /* if not NULL, requests are printed there and not sent */
};

struct wire_request {
  const char *method, *path; /* path after `api`, or a whole URL of the same host */
  pprofc_str body;           /* JSON; size 0 for no body */
  bool once;                 /* true if a repeated request would act twice */
};

struct wire_reply {
  int code;           /* 0 in a dry run */
  struct buffer body; /* JSON */
  struct buffer next; /* next page, from the header Link; size 0 if there is no next page */
};

struct api;

/* Opens the API. PPROFC_E_INVALID for an invalid token and for an address that must not get a
 * token. */
pprofc_status wire_open(const struct wire_options *options, struct api **wire, pprofc_error *error);
void wire_close(struct api *wire);

/* Sends one request, and repeats it if that can help. PPROFC_OK only for status 2xx and a body
 * that is JSON or empty; reply->code is also set after an error. The caller always frees the
 * reply. */
pprofc_status wire_send(struct api *wire, const struct wire_request *request,
                        struct wire_reply *reply, pprofc_error *error);
void wire_reply_free(struct wire_reply *reply);

/* True if a request with this reply code may have taken effect before it failed. */
bool wire_is_unsure(const struct wire_reply *reply);

#endif
