/* HTTP: connections, requests and answers, by libmicrohttpd, which is loaded when the server
 * starts. Knows no profile. */
#ifndef PPROFC_WEB_HTTP_SERVER_H
#define PPROFC_WEB_HTTP_SERVER_H

#include "web/guard.h"
#include "web/reply.h"

struct http_server;

/* One request, while it waits for its answer. */
struct http_exchange;

/* What the guard has let pass. */
struct http_request {
  unsigned method; /* GUARD_* */
  pprofc_str path, query;
  bool gzip;       /* the client takes compressed bodies */
  pprofc_str form; /* the body of a form, "a=b&c=d" */
  int body;        /* a file with the body of an upload, at its beginning; -1: there is none */
  uint64_t body_size;
};

struct http_handler {
  /* Answers at once, or returns NULL and calls http_answer later, on any thread. The request and
   * its texts live until then. */
  struct web_reply *(*answer)(void *context, struct http_exchange *exchange,
                              const struct http_request *request);
  /* The client of an exchange that waits is gone: http_answer must still be called. */
  void (*gone)(void *context, struct http_exchange *exchange);
  void *context;
};

struct http_settings {
  const struct guard *guard;
  int listening;    /* a bound socket; belongs to the server from now on */
  bool per_address; /* limits connections from one address */
  struct http_handler handler;
};

/* Starts to serve. Errors: PPROFC_E_UNSUPPORTED without libmicrohttpd, and why. */
pprofc_status http_server_start(const struct http_settings *settings, struct http_server **server,
                                pprofc_error *error);

/* Ends all connections. All exchanges must have been answered. */
void http_server_stop(struct http_server *server);

/* Answers an exchange that waits. Takes the reply over; NULL is "out of memory". */
void http_answer(struct http_exchange *exchange, struct web_reply *reply);

#endif
