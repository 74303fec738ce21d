/* Serves HTTP with libmicrohttpd, which is loaded at the start, and checks requests. These
 * functions know nothing about profiles. */
#ifndef PPROFC_WEB_HTTP_SERVER_H
#define PPROFC_WEB_HTTP_SERVER_H

#include "web/jobs.h"

/* ---- checks of requests (guard.c) ----------------- */

/* Size of the token in bytes: 192 bits in URL-safe base64. */
#define GUARD_TOKEN_SIZE 32

/* Maximum size in bytes of the request target and all headers, and maximum number of headers. */
#define GUARD_HEAD_BYTES   ((size_t)16 << 10)
#define GUARD_HEADERS_MAX  100
#define GUARD_BODY_BYTES   ((uint64_t)64 << 10)
#define GUARD_UPLOAD_BYTES ((uint64_t)256 << 20)

/* HTTP methods as flags. HEAD counts as GET. A path accepts a set of methods. */
enum guard_method { GUARD_GET = 1, GUARD_POST = 2, GUARD_DELETE = 4 };

struct guard_header {
  pprofc_str name, value;
};

struct guard_request {
  pprofc_str method; /* method of the request: "GET" */
  pprofc_str target; /* request target as the client sent it: "/ui/top?f=main" */
  const struct guard_header *headers;
  size_t header_count;
  bool from_loopback; /* true if the client has a loopback address */
};

struct guard {
  unsigned port;
  /* true if the server listens on loopback only; the Host header must then name this machine */
  bool loopback;
  pprofc_str host;  /* host name or address on the command line, or "" */
  pprofc_str token; /* token with GUARD_TOKEN_SIZE bytes; "": no token is required */
  /* Returns the GUARD_* methods that a path accepts, or 0 for an unknown path. Sets *upload to true
   * if the path accepts a long body. */
  unsigned (*methods)(pprofc_str path, bool *upload);
};

enum guard_answer {
  GUARD_PASS,
  GUARD_REFUSE, /* reject the request with `status` and `why` */
  GUARD_ENTER   /* the URL has the correct token: set a cookie, redirect without the token */
};

struct guard_decision {
  enum guard_answer answer;
  unsigned status;  /* status of a rejection: 400, 403, 405, 413, 414, 421, 431; or 0 */
  const char *why;  /* reason of a rejection in one sentence */
  unsigned method;  /* method, a GUARD_* flag */
  unsigned allowed; /* if the status is 405: the GUARD_* methods that the path accepts */
  /* parts of the request target: the path before the '?', and the query after it */
  pprofc_str path, query;
};

struct guard_decision guard_decide(const struct guard *guard, const struct guard_request *request);

/* ---- the server (http_server.c) ------------------- */

struct http_server;

/* A request and its connection. It exists until the answer is sent. */
struct http_exchange;

/* A request that has passed the checks of host, origin and token (guard.c). */
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

/* Answers a waiting exchange with `reply`, or with 503 if `reply` is NULL. Releases `reply`. */
void http_answer(struct http_exchange *exchange, struct web_reply *reply);

#endif
