/* Parses the headers from -header and -header_file. Messages keep the values secret. */
#ifndef TOOLS_HTTP_HEADERS_H
#define TOOLS_HTTP_HEADERS_H

#include "core/error.h"
#include "core/mem.h"
#include "core/str.h"

struct header {
  pprofc_str name;
  const char *line; /* for libcurl: "Name: value", or "Name;" without a value */
};

struct headers {
  struct arena *arena;
  struct header *items;
  size_t count, capacity;
};

void headers_init(struct headers *headers, struct arena *arena);
void headers_free(struct headers *headers);

/* Adds a header. `where` is "-header 2" or "-header_file 'x', line 3" in messages. */
pprofc_status headers_add(struct headers *headers, pprofc_str text, const char *where,
                          pprofc_error *error);

/* Adds the headers in a file, one per line. Skips empty lines and lines that begin with '#'. */
pprofc_status headers_add_file(struct headers *headers, const char *path, pprofc_error *error);

/* True if there is a header named `name`. Ignores case. */
bool headers_has(const struct headers *headers, pprofc_str name);

#endif
