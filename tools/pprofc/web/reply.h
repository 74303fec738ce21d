/* Answers of the server: status, headers and bytes. An answer is reference counted, because several
 * clients and the cache may share it. */
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
  const char *type;   /* Content-Type, a string literal: "text/html; charset=utf-8" */
  struct buffer body; /* body of the reply, allocated by malloc */
  struct web_header headers[REPLY_HEADERS_MAX];
  size_t header_count;
  bool keep; /* true if the cache may keep the reply */
};

#define REPLY_HTML   "text/html; charset=utf-8"
#define REPLY_TEXT   "text/plain; charset=utf-8"
#define REPLY_JSON   "application/json"
#define REPLY_BINARY "application/octet-stream"

/* Returns a reply with one reference; NULL when out of memory. */
struct web_reply *reply_new(unsigned status, const char *type);
struct web_reply *reply_retain(struct web_reply *reply);
void reply_release(struct web_reply *reply);

/* Returns a line of text, control bytes escaped; NULL when out of memory. */
struct web_reply *reply_text(unsigned status, const char *text);

/* Returns a redirect to `path`, "?" and `query`; without "?" if the query is empty. */
struct web_reply *reply_redirect(unsigned status, const char *path, pprofc_str query);

/* Adds a header with a copy of the value; control bytes become spaces. False when out of
 * memory or room. */
bool reply_add_header(struct web_reply *reply, const char *name, pprofc_str value);

/* Returns the number of bytes that the reply takes. */
size_t reply_size(const struct web_reply *reply);

/* Appends to the body. A pprofc_write_fn whose context is a reply. */
int reply_write(void *reply, const void *data, size_t size);

/* Returns the HTTP status of an error: 400 for a wrong question, 503 for limits, 500 for the
 * rest. */
unsigned reply_status_of(pprofc_status status);

#endif
