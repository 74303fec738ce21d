/* The reply of a server: status line, relevant headers, and body. */
#ifndef PPROFC_TOOLS_FETCH_REPLY_H
#define PPROFC_TOOLS_FETCH_REPLY_H

#include "codec/codec.h"

struct reply {
  int code;           /* 0 before the status line has arrived */
  char status[160];   /* "404 Not Found": the code and the server's text */
  bool from_go_pprof; /* true if the header X-Go-Pprof is present */
  bool plain_text;    /* true if the Content-Type is plain text */
  bool gzipped;       /* true if the Content-Encoding is gzip */
  bool has_location, has_type;
  struct buffer location;
  struct buffer body;
  struct input inflated; /* region NULL if the body was not gzip'd */
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
