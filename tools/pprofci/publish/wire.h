/* Requests to the API of one host: limits of time and rate, tries, and what to say when one fails.
 * The token goes to that host only, and into no message. */
#ifndef PPROFCI_PUBLISH_WIRE_H
#define PPROFCI_PUBLISH_WIRE_H

#include "core/buffer.h"
#include "core/error.h"
#include "core/output.h"

struct wire_options {
  const char *api;            /* "https://api.github.com", without a '/' at its end */
  const char *token;          /* "" when dry */
  const char *token_header;   /* "Authorization: Bearer " */
  const char *const *headers; /* others, whole; ends with NULL */
  int64_t wait_most;          /* seconds that all waiting together may take */
  int64_t timeout;            /* seconds of one request */
  struct output *dry;         /* not NULL: requests are printed there, none is sent */
};

struct wire_request {
  const char *method, *path; /* the path is behind `api`, or a whole URL of the same host */
  pprofc_str body;           /* JSON; size 0: none */
  bool once;                 /* sent twice it would do twice what it does */
};

struct wire_reply {
  int code;           /* 0: a dry run */
  struct buffer body; /* JSON */
  struct buffer next; /* the next page as the header Link names it; size 0: none */
};

struct api;

/* PPROFC_E_INVALID for an address that a token may not be sent to, and a token that is none. */
pprofc_status wire_open(const struct wire_options *options, struct api **wire, pprofc_error *error);
void wire_close(struct api *wire);

/* Sends one request, again where that can help. PPROFC_OK only for a status of 2xx whose body is
 * JSON or empty; reply->code is set for others, too. The reply is the caller's to free, always. */
pprofc_status wire_send(struct api *wire, const struct wire_request *request,
                        struct wire_reply *reply, pprofc_error *error);
void wire_reply_free(struct wire_reply *reply);

/* Whether a reply of that code may have been written before it failed. */
bool wire_is_unsure(const struct wire_reply *reply);

#endif
