/* Replies of the server: status, headers and body. Replies have reference counts, because several
 * clients and the cache may share one. */
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
  const char *type;   /* Content-Type as a string literal: "text/html; charset=utf-8" */
  struct buffer body; /* body, allocated with malloc */
  struct web_header headers[REPLY_HEADERS_MAX];
  size_t header_count;
  bool keep; /* true if the cache may keep the reply */
};

#define REPLY_HTML   "text/html; charset=utf-8"
#define REPLY_TEXT   "text/plain; charset=utf-8"
#define REPLY_JSON   "application/json"
#define REPLY_BINARY "application/octet-stream"

/* Returns a reply with one reference, or NULL when out of memory. */
struct web_reply *reply_new(unsigned status, const char *type);
struct web_reply *reply_retain(struct web_reply *reply);
void reply_release(struct web_reply *reply);

/* Returns a reply with one line of text. Control bytes are escaped. Returns NULL when out of
 * memory. */
struct web_reply *reply_text(unsigned status, const char *text);

/* Returns a redirect to "PATH?QUERY", or to "PATH" if the query is empty. */
struct web_reply *reply_redirect(unsigned status, const char *path, pprofc_str query);

/* Adds a copy of a header, and replaces its control bytes. Returns false if there are too many
 * headers or memory runs out. */
bool reply_add_header(struct web_reply *reply, const char *name, pprofc_str value);

size_t reply_size(const struct web_reply *reply);

/* Appends bytes to the body of `reply`. The function is a pprofc_write_fn callback. */
int reply_write(void *reply, const void *data, size_t size);

/* Returns the HTTP status for an error: 400 for an invalid request, 503 for an exceeded limit, and
 * 500 for any other error. */
unsigned reply_status_of(pprofc_status status);

#endif
