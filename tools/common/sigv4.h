/* Signs requests by AWS signature version 4. The caller provides the credentials and sends the
 * request. */
#ifndef TOOLS_COMMON_SIGV4_H
#define TOOLS_COMMON_SIGV4_H

#include "core/buffer.h"

struct sigv4_scope {
  const char *id, *secret;      /* id and secret of the access key */
  const char *region, *service; /* region and service: "us-east-1", "s3" */
  char time[17];                /* time of the signature: "20130524T000000Z" */
};

struct sigv4_header {
  const char *name, *value; /* lower-case name, and value without blanks around it */
};

struct sigv4_request {
  const char *method;
  const char *path, *query; /* path and query as sent; the query's parameters are sorted */
  const struct sigv4_header *headers;
  size_t header_count; /* number of headers; the caller sorts the headers by name */
  const char *payload; /* SHA-256 of the body, in hex */
};

/* Sets the time of the signature; `seconds` is a Unix time. */
void sigv4_set_time(struct sigv4_scope *scope, int64_t seconds);

/* Appends the value of the Authorization header. */
void sigv4_sign(struct buffer *out, const struct sigv4_scope *scope,
                const struct sigv4_request *request);

#endif
