/* Uses any bytes as data from a server: status line and headers of a reply, its body, the Location
 * of a redirect, and names in addresses. */
#include "fuzz.h"

#include "fetch/fetcher.h"
#include "http/client.h"
#include "http/reply.h"
#include "symbolize/symbolize.h"

#define TEXT_MAX 65536

/* Parses a reply. An empty line ends the headers, and the rest is the body. */
static void fuzz_reply(pprofc_str text) {
  struct reply reply;
  pprofc_limits limits = fuzz_limits();
  pprofc_error error = {PPROFC_OK, PPROFC_NO_OFFSET, ""};
  pprofc_str line;
  reply_init(&reply, &mem_default, TEXT_MAX);
  while (text.size && str_next_line(&text, &line) && line.size) reply_header(&reply, line);
  buffer_add_str(&reply.body, text);
  REQUIRE(reply.code == 0 || (reply.code >= 100 && reply.code <= 999));
  REQUIRE(strlen(reply.status) < sizeof reply.status);
  if (reply_is_redirect(&reply)) REQUIRE(reply.location.size > 0);
  pprofc_status status = reply_unpack(&reply, &mem_default, &limits, &error);
  REQUIRE(status != PPROFC_OK || reply_content(&reply).size <= limits.inflated_bytes);
  REQUIRE(reply_error(&reply, &error) != PPROFC_OK && strlen(error.message) > 0);
  content_explain(reply_content(&reply));
  content_is_no_profile(reply_content(&reply));
  reply_free(&reply);
}

/* Checks that a URL that is printed and parsed again stays the same, and that it shows no
 * password. */
static void fuzz_url(struct arena *arena, pprofc_str text) {
  const struct url base = {.scheme = STR("http"), .host = STR("h:1"), .path = STR("/a/b")};
  struct url url, again;
  if (url_resolve(arena, &base, text, &url) != PPROFC_OK) return;
  if (!url.opaque.size) REQUIRE(url.path.size && url.path.data[0] == '/');
  pprofc_str whole = url_text(arena, &url, URL_WHOLE);
  if (!url.host.size || url.opaque.size || str_find_char(whole, '%') < whole.size) return;
  /* For "//a:1:2" the parser checks the host before it knows the scheme. */
  bool colons = str_find_char(url.host, ':') != str_find_last_char(url.host, ':');
  if (colons && url.host.data[0] != '[') return;
  REQUIRE(url_parse(arena, whole, &again) == PPROFC_OK);
  REQUIRE(str_equal(url_text(arena, &again, URL_WHOLE), whole));
  if (url.has_password && url.password.size > 5)
    REQUIRE(str_find(url_text(arena, &url, URL_WITHOUT_USER), url.password) == SIZE_MAX ||
            !str_equal(url_text(arena, &url, URL_SHOWN), whole));
}

static void fuzz_address(struct arena *arena, pprofc_str text) {
  struct address address;
  const struct proxy_settings settings = {
      .http = "p:1", .https = "p:2", .except = "*.h,10.0.0.0/8"};
  const char *proxy;
  pprofc_error error;
  struct url symbols;
  if (address_parse(arena, text, 0, 0, &address) != PPROFC_OK) return;
  REQUIRE(address.url.host.size > 0 && address.url.path.size > 0 && address.limit_ms >= 5000);
  REQUIRE(address.seconds >= 0);
  REQUIRE(proxy_for(arena, &settings, &address.url, &proxy, &error) == PPROFC_OK);
  REQUIRE(address_of_symbols(arena, &address.url, &symbols) == PPROFC_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct arena arena;
  pprofc_str text = {(const char *)data, size}, name;
  uint64_t address;
  if (size > TEXT_MAX) return 0;
  arena_init(&arena, &mem_default);
  fuzz_reply(text);
  fuzz_url(&arena, text);
  fuzz_address(&arena, text);
  url_hide_password(&arena, text);
  while (remote_next_symbol(&text, &address, &name))
    REQUIRE(memchr(name.data, '\n', name.size) == NULL);
  arena_free(&arena);
  return 0;
}
