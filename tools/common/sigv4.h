/* Signatures of requests as AWS wants them, version 4. Credentials come from the caller; nothing
 * here sends anything. */
#ifndef TOOLS_COMMON_SIGV4_H
#define TOOLS_COMMON_SIGV4_H

#include "core/buffer.h"

struct sigv4_scope {
  const char *id, *secret;      /* of the access key */
  const char *region, *service; /* "us-east-1", "s3" */
  char time[17];                /* "20130524T000000Z" */
};

struct sigv4_header {
  const char *name, *value; /* in lower case; without blanks around it */
};

struct sigv4_request {
  const char *method;
  const char *path, *query; /* as they are sent: encoded once, parameters in order */
  const struct sigv4_header *headers;
  size_t header_count; /* in the order of their names */
  const char *payload; /* the SHA-256 of the body, in hex */
};

/* Seconds since 1970 as the time of a signature. */
void sigv4_set_time(struct sigv4_scope *scope, int64_t seconds);

/* Appends the value of the header Authorization. */
void sigv4_sign(struct buffer *out, const struct sigv4_scope *scope,
                const struct sigv4_request *request);

#endif
