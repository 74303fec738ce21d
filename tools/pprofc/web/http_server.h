/* Serves HTTP with libmicrohttpd, which is loaded at the start. These functions know nothing about
 * profiles. */
#ifndef PPROFC_WEB_HTTP_SERVER_H
#define PPROFC_WEB_HTTP_SERVER_H

#include "web/guard.h"
#include "web/reply.h"

struct http_server;

/* A request and its connection. It exists until the answer is sent. */
struct http_exchange;

/* A request that has passed the checks of host, origin and token (web/guard.h). */
struct http_request {
  unsigned method; /* method, a GUARD_* flag */
  pprofc_str path, query;
  bool gzip;       /* true if the client accepts compressed bodies */
  pprofc_str form; /* body of an HTML form: "a=b&c=d" */
  int body;        /* descriptor of an uploaded body, positioned at its start; or -1 */
  uint64_t body_size;
};

struct http_handler {
  /* Returns the answer. Returns NULL if a thread will call http_answer later. The request stays
   * valid until then. */
  struct web_reply *(*answer)(void *context, struct http_exchange *exchange,
                              const struct http_request *request);
  /* Reports that a client closed its connection. The handler must still call http_answer. */
  void (*gone)(void *context, struct http_exchange *exchange);
  void *context;
};

struct http_settings {
  const struct guard *guard;
  int listening;    /* bound socket, which the server closes */
  bool per_address; /* true: limit the number of connections from each client address */
  struct http_handler handler;
};

/* Starts the server. The error PPROFC_E_UNSUPPORTED means that libmicrohttpd is missing. */
pprofc_status http_server_start(const struct http_settings *settings, struct http_server **server,
                                pprofc_error *error);

/* Closes all connections. Before this call, every exchange must have its answer. */
void http_server_stop(struct http_server *server);

/* Sends `reply` as the answer of a waiting exchange, and releases `reply`. NULL: out of memory. */
void http_answer(struct http_exchange *exchange, struct web_reply *reply);

#endif
