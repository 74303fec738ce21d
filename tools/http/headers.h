/* Parses the headers that the user adds to requests: -header and -header_file. No message shows
 * their values, which may be secrets. */
#ifndef TOOLS_HTTP_HEADERS_H
#define TOOLS_HTTP_HEADERS_H

#include "core/error.h"
#include "core/mem.h"
#include "core/str.h"

struct header {
  pprofc_str name;
  const char
      *line; /* header in the form of libcurl: "Name: value", or "Name;" for an empty value */
};

struct headers {
  struct arena *arena;
  struct header *items;
  size_t count, capacity;
};

void headers_init(struct headers *headers, struct arena *arena);
void headers_free(struct headers *headers);

/* Adds "Name: value". `where` is the source of the header in messages: "-header 2",
 * "-header_file 'x', line 3". */
pprofc_status headers_add(struct headers *headers, pprofc_str text, const char *where,
                          pprofc_error *error);

/* Adds the lines of a file, except empty lines and lines that begin with '#'. */
pprofc_status headers_add_file(struct headers *headers, const char *path, pprofc_error *error);

/* True if there is a header of that name, in any case. */
bool headers_has(const struct headers *headers, pprofc_str name);

#endif
