/* The reply of a server: status line, the headers that matter, and the body. */
#ifndef PPROFC_TOOLS_FETCH_REPLY_H
#define PPROFC_TOOLS_FETCH_REPLY_H

#include "codec/codec.h"

struct reply {
  int code;           /* 0: no status line has come */
  char status[160];   /* "404 Not Found": the code and the server's own words */
  bool from_go_pprof; /* X-Go-Pprof is there */
  bool plain_text;    /* by its Content-Type */
  bool gzipped;       /* Content-Encoding: gzip */
  bool has_location, has_type;
  struct buffer location;
  struct buffer body;
  struct input inflated; /* region NULL: the body was not gzip'd */
};

/* `most` is the ceiling of the body. */
void reply_init(struct reply *reply, const pprofc_allocator *mem, size_t most);
void reply_free(struct reply *reply);

/* Takes one line of the head, with its line end. A status line begins the reply anew. */
void reply_header(struct reply *reply, pprofc_str line);

/* Whether the reply sends the client elsewhere. */
bool reply_is_redirect(const struct reply *reply);

/* Unpacks a body with Content-Encoding gzip, within the limits. */
pprofc_status reply_unpack(struct reply *reply, const pprofc_allocator *mem,
                           const pprofc_limits *limits, pprofc_error *error);

/* The body without its content encoding. */
pprofc_str reply_content(const struct reply *reply);

/* "server response: 500 Internal Server Error - already in use": why a reply other than 200 is
 * none, with the words of a pprof handler. */
pprofc_status reply_error(const struct reply *reply, pprofc_error *error);

#endif
