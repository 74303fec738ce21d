/* Parses the reply of a server: status line, relevant headers, and body. */
#ifndef TOOLS_HTTP_REPLY_H
#define TOOLS_HTTP_REPLY_H

#include "codec/codec.h"

#include <time.h>

struct reply {
  int code;           /* HTTP status; 0 before the status line has arrived */
  char status[160];   /* status with the server's text: "404 Not Found" */
  bool from_go_pprof; /* true if the header X-Go-Pprof is present */
  bool plain_text;    /* true if the Content-Type is plain text */
  bool is_json;       /* true if the Content-Type is JSON */
  bool gzipped;       /* true if the Content-Encoding is gzip */
  bool has_location, has_type;
  bool ended;          /* true if the empty line after the headers arrived */
  bool framed;         /* true if the headers define the end of the body: a length or chunks */
  bool sent;           /* true once connected: the server may have acted on the request */
  bool refused;        /* true if the certificate of the server is not trusted */
  int64_t date;        /* time of the reply in seconds, by the clock of the server; 0 if absent */
  int64_t modified;    /* value of Last-Modified, by the clock of the server; 0: absent */
  int64_t retry_after; /* seconds to wait before the next try; -1 if absent */
  int64_t reset;       /* value of X-RateLimit-Reset, by the clock of the server; 0: absent */
  int64_t remaining;   /* value of X-RateLimit-Remaining; -1: absent */
  /* Parses dates by curl_getdate. NULL: dates are ignored. */
  time_t (*getdate)(const char *text, const time_t *unused);
  /* URL of a redirect; URL of the next page, from the header Link; entity tag. */
  struct buffer location, next, etag;
  struct buffer body;
  struct input inflated; /* inflated body; its region is NULL if the body was not gzip'd */
};

/* Prepares an empty reply. `most` limits the body in bytes. */
void reply_init(struct reply *reply, const pprofc_allocator *mem, size_t most);
void reply_free(struct reply *reply);

/* Parses one line of the head, with its line end. A status line resets the reply. */
void reply_header(struct reply *reply, pprofc_str line);

/* True if the reply is a redirect. */
bool reply_is_redirect(const struct reply *reply);

/* Unpacks a body with Content-Encoding gzip, within the limits. */
pprofc_status reply_unpack(struct reply *reply, const pprofc_allocator *mem,
                           const pprofc_limits *limits, pprofc_error *error);

/* Returns the body without its content encoding. */
pprofc_str reply_content(const struct reply *reply);

/* Sets the error for a reply other than 200: "server response: 500 Internal Server Error -
 * already in use". The last part is the message of a pprof handler. */
pprofc_status reply_error(const struct reply *reply, pprofc_error *error);

#endif
