/* Uses any bytes as the headers of a request to a local server, and to a server with a token. A
 * request that web/guard.c accepts must obey its rules. Equal bytes must give equal decisions. */
#include "fuzz.h"
#include "guard_head.h"

#include <string.h>

static unsigned methods_of(pprofc_str path, bool *upload) {
  *upload = str_equal(path, STR("/ui/upload"));
  if (*upload || str_equal(path, STR("/ui/saveconfig"))) return GUARD_POST;
  return str_equal(path, STR("/ui/deleteconfig")) ? GUARD_POST | GUARD_DELETE : GUARD_GET;
}

static const struct guard guards[] = {
    {8080, true, {"localhost", 9}, {"", 0}, methods_of},
    {8080, false, {"", 0}, {"0123456789abcdefghijklmnopqrstuv", GUARD_TOKEN_SIZE}, methods_of},
    {8080, false, {"build", 5}, {"0123456789abcdefghijklmnopqrstuv", GUARD_TOKEN_SIZE}, methods_of},
};

/* True if a header has the value. Names may have any case, as on the network. */
static bool has(const struct guard_request *r, const char *name, const char *part) {
  for (size_t i = 0; i < r->header_count; i++) {
    const struct guard_header *h = &r->headers[i];
    if (h->name.size != strlen(name) || strncasecmp(h->name.data, name, h->name.size) != 0)
      continue;
    if (str_find(h->value, str_of(part)) < h->value.size) return true;
  }
  return false;
}

/* Checks an accepted request against a second, less strict version of the rules. */
static void check_pass(const struct guard *g, const struct guard_request *r,
                       const struct guard_decision *d) {
  REQUIRE(d->method == GUARD_GET || d->method == GUARD_POST || d->method == GUARD_DELETE);
  REQUIRE(d->path.size && d->path.data[0] == '/');
  REQUIRE(r->target.size <= GUARD_HEAD_BYTES);
  REQUIRE(has(r, "host", ":8080"));
  if (g->loopback) REQUIRE(r->from_loopback);
  if (d->method != GUARD_GET)
    REQUIRE(has(r, "origin", ":8080") || has(r, "sec-fetch-site", "ame-"));
  if (has(r, "origin", "evil")) REQUIRE(has(r, "host", "evil"));
  if (g->token.size && d->answer == GUARD_PASS) REQUIRE(has(r, "cookie", g->token.data));
  if (d->answer == GUARD_ENTER)
    REQUIRE(g->token.size && str_find(r->target, g->token) < r->target.size);
  if (g->loopback) REQUIRE(!has(r, "host", "evil"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static struct guard_header headers[GUARD_HEADERS_MAX];
  struct guard_request request;
  if (!guard_read((pprofc_str){(const char *)data, size}, headers, &request)) return 0;
  for (size_t i = 0; i < 2 * sizeof guards / sizeof *guards; i++) {
    const struct guard *g = &guards[i / 2];
    request.from_loopback = i % 2;
    struct guard_decision d = guard_decide(g, &request), again = guard_decide(g, &request);
    REQUIRE(d.answer == again.answer && d.status == again.status);
    if (d.answer == GUARD_REFUSE) {
      REQUIRE(d.status >= 400 && d.status < 500 && d.why);
      continue;
    }
    check_pass(g, &request, &d);
  }
  return 0;
}
