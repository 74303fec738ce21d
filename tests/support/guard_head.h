/* Reads the request line and headers of a request, for tests of web/guard.c. */
#ifndef PPROFC_SUPPORT_GUARD_HEAD_H
#define PPROFC_SUPPORT_GUARD_HEAD_H

#include "web/http_server.h"

static bool guard_read_line(pprofc_str *rest, pprofc_str *line) {
  size_t end = str_find(*rest, STR("\r\n"));
  if (end >= rest->size) return false;
  *line = str_slice(*rest, 0, end);
  *rest = str_slice(*rest, end + 2, rest->size);
  return true;
}

/* Parses the request line, headers and empty line of an HTTP/1.1 request. `headers` has space for
 * GUARD_HEADERS_MAX entries. Returns false for any other text. */
static bool guard_read(pprofc_str bytes, struct guard_header *headers, struct guard_request *r) {
  pprofc_str line, rest = bytes;
  if (!guard_read_line(&rest, &line)) return false;
  size_t first = str_find_char(line, ' '), last = str_find_last_char(line, ' ');
  if (first >= line.size || last <= first) return false;
  *r = (struct guard_request){.method = str_slice(line, 0, first),
                              .target = str_slice(line, first + 1, last),
                              .headers = headers,
                              .from_loopback = true};
  while (guard_read_line(&rest, &line) && line.size) {
    size_t colon = str_find_char(line, ':');
    if (colon >= line.size || r->header_count == GUARD_HEADERS_MAX) return false;
    headers[r->header_count++] = (struct guard_header){
        str_slice(line, 0, colon), str_trim(str_slice(line, colon + 1, line.size))};
  }
  return true;
}

#endif
