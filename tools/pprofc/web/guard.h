/* Decides whether a request may be answered: a pure function of the request and of what the server
 * is. Nothing else in the server looks at a header for safety. */
#ifndef PPROFC_WEB_GUARD_H
#define PPROFC_WEB_GUARD_H

#include "core/str.h"

/* 192 bits, in base 64 for addresses. */
#define GUARD_TOKEN_SIZE 32

/* The most bytes of a target and of all headers, and how many headers there may be. */
#define GUARD_HEAD_BYTES   ((size_t)16 << 10)
#define GUARD_HEADERS_MAX  100
#define GUARD_BODY_BYTES   ((uint64_t)64 << 10)
#define GUARD_UPLOAD_BYTES ((uint64_t)256 << 20)

/* What a method may do; a route has a set of them. */
enum guard_method { GUARD_GET = 1, GUARD_POST = 2, GUARD_DELETE = 4 };

struct guard_header {
  pprofc_str name, value;
};

struct guard_request {
  pprofc_str method; /* "GET" */
  pprofc_str target; /* "/ui/top?f=main", as it was sent */
  const struct guard_header *headers;
  size_t header_count;
  bool from_loopback; /* the peer's address is one */
};

/* What the server is. */
struct guard {
  unsigned port;
  bool loopback;   /* bound to a loopback address: peers must have one, and names of one are ours */
  pprofc_str host; /* the name or address that was given, or "" */
  pprofc_str token; /* of GUARD_TOKEN_SIZE bytes; "" when there is none */
  /* The methods of a path, GUARD_*, and whether it takes a long body; 0: there is no such path. */
  unsigned (*methods)(pprofc_str path, bool *upload);
};

enum guard_answer {
  GUARD_PASS,
  GUARD_REFUSE, /* with `status` and `why` */
  GUARD_ENTER   /* the token is right: redirect to `path` and `query` without it, set the cookie */
};

struct guard_decision {
  enum guard_answer answer;
  unsigned status;        /* 400, 403, 405, 413, 414, 421, 431; 0 without a refusal */
  const char *why;        /* a sentence */
  unsigned method;        /* GUARD_* */
  unsigned allowed;       /* with 405: the methods of the path */
  pprofc_str path, query; /* parts of the target; the query is behind the question mark */
  bool head;              /* the method is HEAD */
};

struct guard_decision guard_decide(const struct guard *guard, const struct guard_request *request);

/* Reads the head of a request in the way of HTTP/1.1: a request line, headers, an empty line.
 * `headers` has room for GUARD_HEADERS_MAX. False when the bytes are no request. */
bool guard_read(pprofc_str bytes, struct guard_header *headers, struct guard_request *request);

#endif
