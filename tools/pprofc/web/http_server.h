/* Handles HTTP connections, requests and answers by libmicrohttpd, which is loaded when the server
 * starts. Does not use profiles. */
#ifndef PPROFC_WEB_HTTP_SERVER_H
#define PPROFC_WEB_HTTP_SERVER_H

#include "web/guard.h"
#include "web/reply.h"

struct http_server;

/* A request while it waits for its answer. */
struct http_exchange;

/* A request that passed the guard. */
struct http_request {
  unsigned method; /* method of the request, a GUARD_* flag */
  pprofc_str path, query;
  bool gzip;       /* true if the client accepts compressed bodies */
  pprofc_str form; /* body of a form, "a=b&c=d" */
  int body;        /* file with the body of an upload, at its beginning; -1 without one */
  uint64_t body_size;
};

struct http_handler {
  /* Answers at once, or returns NULL and calls http_answer later from any thread. The request
   * lives until then. */
  struct web_reply *(*answer)(void *context, struct http_exchange *exchange,
                              const struct http_request *request);
  /* Tells the handler that the client of a waiting exchange left. The handler must still call
   * http_answer. */
  void (*gone)(void *context, struct http_exchange *exchange);
  void *context;
};

struct http_settings {
  const struct guard *guard;
  int listening;    /* bound socket, which the server owns */
  bool per_address; /* true to limit connections from one address */
  struct http_handler handler;
};

/* Starts to serve. Errors: PPROFC_E_UNSUPPORTED with the reason if libmicrohttpd cannot be
 * loaded. */
pprofc_status http_server_start(const struct http_settings *settings, struct http_server **server,
                                pprofc_error *error);

/* Closes all connections. The caller has answered every exchange. */
void http_server_stop(struct http_server *server);

/* Answers a waiting exchange and takes ownership of the reply; NULL means out of memory. */
void http_answer(struct http_exchange *exchange, struct web_reply *reply);

#endif
