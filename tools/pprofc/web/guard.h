/* Decides if a request may be answered: a pure function of the request and the server's
 * settings. No other file checks headers for safety. */
#ifndef PPROFC_WEB_GUARD_H
#define PPROFC_WEB_GUARD_H

#include "core/str.h"

/* 192 bits in base 64 for addresses. */
#define GUARD_TOKEN_SIZE 32

/* Limits: bytes of a target, bytes of all headers, number of headers. */
#define GUARD_HEAD_BYTES   ((size_t)16 << 10)
#define GUARD_HEADERS_MAX  100
#define GUARD_BODY_BYTES   ((uint64_t)64 << 10)
#define GUARD_UPLOAD_BYTES ((uint64_t)256 << 20)

/* Effects of a method; a route has a set of them. */
enum guard_method { GUARD_GET = 1, GUARD_POST = 2, GUARD_DELETE = 4 };

struct guard_header {
  pprofc_str name, value;
};

struct guard_request {
  pprofc_str method; /* "GET" */
  pprofc_str target; /* "/ui/top?f=main", unchanged */
  const struct guard_header *headers;
  size_t header_count;
  bool from_loopback; /* true if the peer has a loopback address */
};

/* The server's settings. */
struct guard {
  unsigned port;
  bool loopback;    /* bound to a loopback address, so peers and host names must be local */
  pprofc_str host;  /* host name or address of the command line, or "" */
  pprofc_str token; /* GUARD_TOKEN_SIZE bytes, or "" without a token */
  /* Returns the GUARD_* methods of a path, 0 for an unknown path, and if it takes a long body. */
  unsigned (*methods)(pprofc_str path, bool *upload);
};

enum guard_answer {
  GUARD_PASS,
  GUARD_REFUSE, /* refused with `status` and `why` */
  GUARD_ENTER   /* correct token: redirect to `path` and `query` without it, and set the cookie */
};

struct guard_decision {
  enum guard_answer answer;
  unsigned status;        /* 400, 403, 405, 413, 414, 421 or 431; 0 without a refusal */
  const char *why;        /* a sentence */
  unsigned method;        /* GUARD_* */
  unsigned allowed;       /* methods of the path, for status 405 */
  pprofc_str path, query; /* parts of the target; the query follows the question mark */
  bool head;              /* true if the method is HEAD */
};

struct guard_decision guard_decide(const struct guard *guard, const struct guard_request *request);

/* Parses the head of an HTTP/1.1 request: request line, headers, empty line. `headers` has
 * room for GUARD_HEADERS_MAX. False for anything else. */
bool guard_read(pprofc_str bytes, struct guard_header *headers, struct guard_request *request);

#endif
