/* Parses the reply of a server: the status line, the headers that the client uses, and the body. */
#ifndef TOOLS_HTTP_REPLY_H
#define TOOLS_HTTP_REPLY_H

#include "codec/codec.h"
#include "common/base.h"

struct reply {
  int code;           /* HTTP status; 0 until the status line arrives */
  char status[160];   /* text of the status line after the HTTP version: "404 Not Found" */
  bool from_go_pprof; /* true if the header X-Go-Pprof is present */
  bool plain_text;    /* true if the Content-Type is plain text */
  bool is_json;       /* true if the Content-Type is JSON */
  bool gzipped;       /* true if the Content-Encoding is gzip */
  bool has_location, has_type;
  bool ended;   /* true if all headers have arrived, including the empty line after them */
  bool framed;  /* true if the headers define where the body ends */
  bool sent;    /* true if the connection was made, so the server may have executed the request */
  bool refused; /* true if the client rejected the server's certificate */
  int64_t date; /* time of the Date header in seconds since 1970; 0 if absent */
  int64_t modified;    /* Last-Modified in seconds since 1970 (server's clock); or 0 */
  int64_t retry_after; /* seconds to wait before a retry; -1 if absent */
  int64_t reset;       /* end of a rate limit in seconds since 1970 (server's clock); or 0 */
  int64_t remaining;   /* value of X-RateLimit-Remaining; -1 if absent */
  /* Parses dates like curl_getdate. NULL: reply_header ignores dates. */
  time_t (*getdate)(const char *text, const time_t *unused);
  /* URL of a redirect, URL of the next page from the header Link, and value of ETag */
  struct buffer location, next, etag;
  struct buffer body;
  struct input inflated; /* decompressed body; inflated.region is NULL for an uncompressed body */
};

/* Initializes an empty reply. `most` is the size limit of the body in bytes. */
void reply_init(struct reply *reply, const pprofc_allocator *mem, size_t most);
void reply_free(struct reply *reply);

/* Parses a status line or a header, including its newline. A status line resets the reply. */
void reply_header(struct reply *reply, pprofc_str line);

bool reply_is_redirect(const struct reply *reply);

/* Decompresses a body that has Content-Encoding gzip. The size limits apply to the decompressed
 * body. */
pprofc_status reply_unpack(struct reply *reply, const pprofc_allocator *mem,
                           const pprofc_limits *limits, pprofc_error *error);

pprofc_str reply_content(const struct reply *reply);

/* Sets the error for a reply with a status other than 200: "server response: 500 Internal Server
 * Error - already in use". The text after the hyphen comes from the body. */
pprofc_status reply_error(const struct reply *reply, pprofc_error *error);

#endif
