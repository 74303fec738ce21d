/* Decides if the server answers a request. The decision depends only on the headers and the
 * settings. */
#ifndef PPROFC_WEB_GUARD_H
#define PPROFC_WEB_GUARD_H

#include "core/str.h"

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

#endif
