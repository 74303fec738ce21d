/* Decides if a request may be answered: a pure function of the request and the server's
 * settings. No other file checks headers for safety. */
#ifndef PPROFC_WEB_GUARD_H
#define PPROFC_WEB_GUARD_H

#include "core/str.h"

/* Size of a token in bytes: 192 bits in base 64 for addresses. */
#define GUARD_TOKEN_SIZE 32

/* Limits: bytes of a target, bytes of all headers, number of headers. */
#define GUARD_HEAD_BYTES   ((size_t)16 << 10)
#define GUARD_HEADERS_MAX  100
#define GUARD_BODY_BYTES   ((uint64_t)64 << 10)
#define GUARD_UPLOAD_BYTES ((uint64_t)256 << 20)

/* Effects of a method, as flags. A route accepts a set of them. */
enum guard_method { GUARD_GET = 1, GUARD_POST = 2, GUARD_DELETE = 4 };

struct guard_header {
  pprofc_str name, value;
};

struct guard_request {
  pprofc_str method; /* method of the request: "GET" */
  pprofc_str target; /* target of the request, unchanged: "/ui/top?f=main" */
  const struct guard_header *headers;
  size_t header_count;
  bool from_loopback; /* true if the peer has a loopback address */
};

/* Settings of the server. */
struct guard {
  unsigned port;
  bool loopback;    /* true if the server is bound to a loopback address, so that peers and host
                       names must be local */
  pprofc_str host;  /* host name or address of the command line, or "" */
  pprofc_str token; /* token of GUARD_TOKEN_SIZE bytes, or "" without a token */
  /* Returns the GUARD_* methods of a path, 0 for an unknown path. *upload becomes true if the path
   * takes a long body. */
  unsigned (*methods)(pprofc_str path, bool *upload);
};

enum guard_answer {
  GUARD_PASS,
  GUARD_REFUSE, /* the request is refused with `status` and `why` */
  GUARD_ENTER   /* correct token: redirect to `path` and `query` without it, and set the cookie */
};

struct guard_decision {
  enum guard_answer answer;
  unsigned status;  /* HTTP status of a refusal: 400, 403, 405, 413, 414, 421 or 431; 0 without a
                       refusal */
  const char *why;  /* reason of a refusal, a sentence */
  unsigned method;  /* method of the request, a GUARD_* flag */
  unsigned allowed; /* GUARD_* methods that the path accepts, for status 405 */
  pprofc_str path, query; /* path of the target, and its query, which follows the question mark */
  bool head;              /* true if the method is HEAD */
};

struct guard_decision guard_decide(const struct guard *guard, const struct guard_request *request);

#endif
