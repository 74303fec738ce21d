/* Checks the headers of a request: Host, Origin, Sec-Fetch-*, method, token and sizes. */
#include "web/http_server.h"

static size_t guard_find(const struct guard_request *r, pprofc_str name, pprofc_str *value) {
  size_t count = 0;
  *value = STR("");
  for (size_t i = 0; i < r->header_count; i++)
    if (str_equal_any_case(r->headers[i].name, name) && count++ == 0) *value = r->headers[i].value;
  return count;
}

/* Removes ":PORT" from a host. Returns false if the port, which is 80 by default, is not the port
 * of this server. */
static bool guard_take_port(pprofc_str *host, unsigned port) {
  char ours[16];
  size_t colon = str_find_last_char(*host, ':'), end = str_find_last_char(*host, ']');
  bool given = colon < host->size && (end == host->size || end < colon);
  if (!given) return port == 80;
  snprintf(ours, sizeof ours, "%u", port);
  if (!str_equal(str_slice(*host, colon + 1, host->size), str_of(ours))) return false;
  *host = str_slice(*host, 0, colon);
  return true;
}

/* True for a name of this machine. Other names are unsafe, because an attacker can make them
 * resolve to this machine. */
static bool guard_owns_host(const struct guard *g, pprofc_str host) {
  if (!guard_take_port(&host, g->port)) return false;
  if (g->loopback && STR_ANY(str_equal_any_case, host, "localhost", "127.0.0.1", "[::1]"))
    return true;
  return g->host.size && str_equal_any_case(host, g->host);
}

/* True if the Host header names this server. With a token and no configured host, every name is
 * valid, because a machine can have many names. */
static bool guard_is_own_host(const struct guard *g, pprofc_str host) {
  if (!g->token.size || g->host.size) return guard_owns_host(g, host);
  return guard_take_port(&host, g->port);
}

/* True if the token is correct. The duration of the comparison does not depend on the text. */
static bool guard_token_is(const struct guard *g, pprofc_str text) {
  unsigned char difference = 0;
  if (text.size != g->token.size) return false;
  for (size_t i = 0; i < text.size; i++)
    difference |= (unsigned char)(text.data[i] ^ g->token.data[i]);
  return difference == 0;
}

/* Returns the value of `name` in a list such as "a=b; c=d" or "a=b&c=d", or "". */
static pprofc_str guard_value(pprofc_str list, char separator, pprofc_str name) {
  pprofc_str pair;
  while (str_next(&list, separator, &pair)) {
    pair = str_trim(pair);
    size_t equal = str_find_char(pair, '=');
    if (str_equal(str_slice(pair, 0, equal), name)) return str_slice(pair, equal + 1, pair.size);
  }
  return STR("");
}

static bool guard_has_cookie(const struct guard *g, const struct guard_request *r) {
  char name[32];
  snprintf(name, sizeof name, "pprofc_%u", g->port);
  for (size_t i = 0; i < r->header_count; i++)
    if (str_equal_any_case(r->headers[i].name, STR("cookie")) &&
        guard_token_is(g, guard_value(r->headers[i].value, ';', str_of(name))))
      return true;
  return false;
}

static struct guard_decision guard_refuse(struct guard_decision d, unsigned status,
                                          const char *why) {
  d.answer = GUARD_REFUSE;
  d.status = status;
  d.why = why;
  return d;
}

static unsigned guard_method_of(pprofc_str method) {
  static const struct guard_method {
    const char *name;
    unsigned method;
  } methods[] = {
      {"GET", GUARD_GET}, {"HEAD", GUARD_GET}, {"POST", GUARD_POST}, {"DELETE", GUARD_DELETE}};
  const struct guard_method *found = STR_ROW(method, methods);
  return found ? found->method : 0;
}

/* True if target and headers together are too long, or if there are too many headers. */
static bool guard_is_long(const struct guard_request *r) {
  size_t bytes = r->target.size;
  for (size_t i = 0; i < r->header_count; i++)
    bytes += r->headers[i].name.size + r->headers[i].value.size + 4;
  return bytes > GUARD_HEAD_BYTES || r->header_count > GUARD_HEADERS_MAX;
}

static bool guard_is_path(pprofc_str target) {
  if (!target.size || target.data[0] != '/') return false;
  for (size_t i = 0; i < target.size; i++)
    if (target.data[i] <= ' ' || target.data[i] == 0x7F) return false;
  return true;
}

/* Checks Content-Length and Transfer-Encoding. A long body is allowed only if `upload` is true.
 * Returns 0, or the HTTP status of the rejection. */
static unsigned guard_check_body(const struct guard_request *r, unsigned method, bool upload) {
  pprofc_str length, coding;
  uint64_t bytes = 0, most = upload ? GUARD_UPLOAD_BYTES : GUARD_BODY_BYTES;
  size_t lengths = guard_find(r, STR("content-length"), &length);
  bool coded = guard_find(r, STR("transfer-encoding"), &coding) > 0;
  if (lengths > 1 || (lengths && !str_parse_uint(str_trim(length), 10, &bytes))) return 400;
  if (coded && method == GUARD_GET) return 400;
  if (coded) return 411;
  return bytes > most ? 413 : 0;
}

/* True if another site sent the request. A link that the user followed does not count. */
static bool guard_is_foreign(const struct guard_request *r, unsigned method) {
  pprofc_str site, mode, dest;
  if (guard_find(r, STR("sec-fetch-site"), &site) == 0) return false;
  if (str_equal(site, STR("same-origin")) || str_equal(site, STR("none"))) return false;
  guard_find(r, STR("sec-fetch-mode"), &mode);
  guard_find(r, STR("sec-fetch-dest"), &dest);
  return method != GUARD_GET || !str_equal(mode, STR("navigate")) ||
         !str_equal(dest, STR("document"));
}

/* True if `origin` (header Origin) names the host of the request (header Host). The scheme may be
 * https, because a proxy may add TLS. */
static bool guard_is_origin(const struct guard *g, pprofc_str origin, pprofc_str host) {
  if (str_starts(origin, STR("http://"))) return str_equal(str_slice(origin, 7, origin.size), host);
  return !g->loopback && str_starts(origin, STR("https://")) &&
         str_equal(str_slice(origin, 8, origin.size), host);
}

/* Page that made a request: a page of this server, another page, or unknown. */
enum guard_sender { SENDER_UNKNOWN, SENDER_OURS, SENDER_FOREIGN };

static enum guard_sender guard_sender_of(const struct guard *g, const struct guard_request *r) {
  pprofc_str origin, site, host;
  size_t origins = guard_find(r, STR("origin"), &origin);
  size_t sites = guard_find(r, STR("sec-fetch-site"), &site);
  bool same = sites == 1 && str_equal(site, STR("same-origin"));
  guard_find(r, STR("host"), &host);
  if (!origins) return same ? SENDER_OURS : SENDER_UNKNOWN;
  /* A form sent without a script has the origin "null", because the pages send no referrer. */
  if (origins == 1 && str_equal(origin, STR("null")) && same) return SENDER_OURS;
  bool equal = origins == 1 && guard_is_origin(g, origin, host);
  return equal ? SENDER_OURS : SENDER_FOREIGN;
}

static struct guard_decision guard_check_head(const struct guard *g, const struct guard_request *r,
                                              struct guard_decision d) {
  pprofc_str host;
  if (r->target.size > GUARD_HEAD_BYTES) return guard_refuse(d, 414, "the address is too long");
  if (guard_is_long(r)) return guard_refuse(d, 431, "the headers are too long");
  if (!guard_is_path(r->target)) return guard_refuse(d, 400, "the address is not a path");
  if (guard_find(r, STR("host"), &host) != 1)
    return guard_refuse(d, 400, "there must be one Host header");
  if (!guard_is_own_host(g, host))
    return guard_refuse(d, 421, "the Host header has another name than this server");
  if (g->loopback && !r->from_loopback) return guard_refuse(d, 403, "permission denied");
  return d;
}

static struct guard_decision
guard_check_sender(const struct guard *g, const struct guard_request *r, struct guard_decision d) {
  enum guard_sender sender = guard_sender_of(g, r);
  if (sender == SENDER_FOREIGN || guard_is_foreign(r, d.method))
    return guard_refuse(d, 403, "requests of other sites are refused");
  if (d.method != GUARD_GET && sender != SENDER_OURS)
    return guard_refuse(d, 403, "only this server's page may change data");
  if (!g->token.size || guard_has_cookie(g, r)) return d;
  if (d.method == GUARD_GET && guard_token_is(g, guard_value(d.query, '&', STR("token"))))
    d.answer = GUARD_ENTER;
  else
    return guard_refuse(d, 403, "the address lacks the token that the program printed");
  return d;
}

struct guard_decision guard_decide(const struct guard *g, const struct guard_request *r) {
  struct guard_decision d = {.answer = GUARD_PASS};
  bool upload = false;
  size_t question = str_find_char(r->target, '?');
  d.path = str_slice(r->target, 0, question);
  d.query = str_slice(r->target, question + 1, r->target.size);
  d.method = guard_method_of(r->method);
  d = guard_check_head(g, r, d);
  if (d.answer != GUARD_PASS) return d;
  d.allowed = g->methods(d.path, &upload);
  if (!(d.method & d.allowed)) return guard_refuse(d, 405, "method not allowed for this address");
  unsigned status = guard_check_body(r, d.method, upload);
  if (status == 413) return guard_refuse(d, status, "the body is too long");
  if (status) return guard_refuse(d, status, "the request has no valid Content-Length");
  return guard_check_sender(g, r, d);
}
