/* An answer: status, headers and bytes. Answers are counted, since one may be sent to many and stay
 * in the cache. */
#ifndef PPROFC_WEB_REPLY_H
#define PPROFC_WEB_REPLY_H

#include "core/buffer.h"
#include "core/error.h"

#define REPLY_HEADERS_MAX 6

struct web_header {
  const char *name;
  char *value;
};

struct web_reply {
  int references;
  unsigned status;
  const char *type;   /* a literal: "text/html; charset=utf-8" */
  struct buffer body; /* uses malloc */
  struct web_header headers[REPLY_HEADERS_MAX];
  size_t header_count;
  bool keep; /* may stay in the cache */
};

#define REPLY_HTML   "text/html; charset=utf-8"
#define REPLY_TEXT   "text/plain; charset=utf-8"
#define REPLY_JSON   "application/json"
#define REPLY_BINARY "application/octet-stream"

/* NULL when out of memory. The caller is the first holder. */
struct web_reply *reply_new(unsigned status, const char *type);
struct web_reply *reply_retain(struct web_reply *reply);
void reply_release(struct web_reply *reply);

/* A line of text; NULL when out of memory. */
struct web_reply *reply_text(unsigned status, const char *text);

/* To another address: `path`, then "?" and `query` unless that is empty. */
struct web_reply *reply_redirect(unsigned status, const char *path, pprofc_str query);

/* Adds a header; the value is copied. False when out of memory or when there is no room. Control
 * bytes of the value become spaces. */
bool reply_add_header(struct web_reply *reply, const char *name, pprofc_str value);

/* The bytes that it takes. */
size_t reply_size(const struct web_reply *reply);

/* A write callback: appends to the body of the reply. */
int reply_write(void *reply, const void *data, size_t size);

/* The status for a failure, and whether it says anything about the question: 400 for what is wrong
 * with it, 503 for limits, 500 for the rest. */
unsigned reply_status_of(pprofc_status status);

#endif
