/* Tests the access checks of -http. Each test is one type of access that the server must allow or
 * deny. */
#include "guard_head.h"
#include "unit.h"

#include <string.h>

static unsigned methods_of(pprofc_str path, bool *upload) {
  *upload = str_equal(path, STR("/ui/upload"));
  if (str_equal(path, STR("/ui/saveconfig")) || *upload) return GUARD_POST;
  return GUARD_GET;
}

static const struct guard local = {.port = 8080,
                                   .loopback = true,
                                   .host = {"localhost", 9},
                                   .token = {"", 0},
                                   .methods = methods_of};
static const char token[] = "0123456789abcdefghijklmnopqrstuv";
static const struct guard open_to_all = {
    .port = 8080, .host = {"", 0}, .token = {token, GUARD_TOKEN_SIZE}, .methods = methods_of};

/* Returns the decision about a request. Its data is valid until the next call. */
static struct guard_decision decide(const struct guard *guard, const char *head) {
  static struct guard_header headers[GUARD_HEADERS_MAX];
  static char text[4096];
  struct guard_request request;
  snprintf(text, sizeof text, "%s\r\n\r\n", head);
  CU_ASSERT_FATAL(guard_read(str_of(text), headers, &request));
  return guard_decide(guard, &request);
}

static unsigned status(const struct guard *guard, const char *head) {
  struct guard_decision d = decide(guard, head);
  return d.answer == GUARD_REFUSE ? d.status : 0;
}

#define TOP  "GET /ui/top HTTP/1.1\r\nHost: localhost:8080"
#define SAVE "POST /ui/saveconfig?config=x HTTP/1.1\r\nHost: localhost:8080\r\nContent-Length: 0"

TEST(test_own_names_are_answered_in_any_case) {
  CU_ASSERT_EQUAL(status(&local, TOP), 0);
  CU_ASSERT_EQUAL(status(&local, "GET / HTTP/1.1\r\nhost: LOCALHOST:8080"), 0);
  CU_ASSERT_EQUAL(status(&local, "GET / HTTP/1.1\r\nHost: 127.0.0.1:8080"), 0);
  CU_ASSERT_EQUAL(status(&local, "GET / HTTP/1.1\r\nHost: [::1]:8080"), 0);
}

/* An attack by DNS rebinding: a foreign name that resolves to this machine. */
TEST(test_foreign_names_are_misdirected) {
  static const char *const hosts[] = {"evil.example:8080",
                                      "localhost.evil.example:8080",
                                      "evil-localhost:8080",
                                      "localhost@evil.example:8080",
                                      "2130706433:8080",
                                      "localhost:8081",
                                      "localhost",
                                      "localhost:80800",
                                      "localhost.:8080",
                                      "127.0.0.1.nip.io:8080",
                                      "",
                                      ":8080",
                                      "[::1]:8080:8080"};
  char head[256];
  for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++) {
    snprintf(head, sizeof head, "GET /ui/top HTTP/1.1\r\nHost: %s", hosts[i]);
    CU_ASSERT_EQUAL(status(&local, head), 421);
  }
}

TEST(test_there_is_one_host) {
  CU_ASSERT_EQUAL(status(&local, "GET /ui/top HTTP/1.1\r\nAccept: */*"), 400);
  CU_ASSERT_EQUAL(status(&local, TOP "\r\nHost: localhost:8080"), 400);
  CU_ASSERT_EQUAL(status(&local, TOP "\r\nHost: evil.example"), 400);
}

TEST(test_only_loopback_reaches_a_loopback_server) {
  static struct guard_header host = {{"Host", 4}, {"localhost:8080", 14}};
  struct guard_request request = {STR("GET"), STR("/ui/top"), &host, 1, false};
  CU_ASSERT_EQUAL(guard_decide(&local, &request).status, 403);
}

TEST(test_targets_are_paths) {
  CU_ASSERT_EQUAL(status(&local, "GET http://evil.example/ HTTP/1.1\r\nHost: localhost:8080"), 400);
  CU_ASSERT_EQUAL(status(&local, "GET * HTTP/1.1\r\nHost: localhost:8080"), 400);
  CU_ASSERT_EQUAL(status(&local, "GET /a b HTTP/1.1\r\nHost: localhost:8080"), 400);
}

TEST(test_reading_changes_nothing_and_changing_is_no_reading) {
  static const char *const methods[] = {"PUT",    "PATCH", "TRACE", "OPTIONS", "CONNECT",
                                        "DELETE", "POST",  "get",   ""};
  char head[256];
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    snprintf(head, sizeof head, "%s /ui/top HTTP/1.1\r\nHost: localhost:8080", methods[i]);
    CU_ASSERT_EQUAL(status(&local, head), 405);
  }
  CU_ASSERT_EQUAL(status(&local, "HEAD /ui/top HTTP/1.1\r\nHost: localhost:8080"), 0);
  CU_ASSERT_EQUAL(status(&local, "GET /ui/saveconfig HTTP/1.1\r\nHost: localhost:8080"), 405);
  CU_ASSERT_EQUAL(decide(&local, "GET /ui/saveconfig HTTP/1.1\r\nHost: localhost:8080").allowed,
                  GUARD_POST);
}

TEST(test_only_our_page_changes_something) {
  CU_ASSERT_EQUAL(status(&local, SAVE), 403); /* the request has no Origin header */
  CU_ASSERT_EQUAL(status(&local, SAVE "\r\nOrigin: http://localhost:8080"), 0);
  CU_ASSERT_EQUAL(status(&local, SAVE "\r\nSec-Fetch-Site: same-origin"), 0);
  CU_ASSERT_EQUAL(status(&local, SAVE "\r\nOrigin: null\r\nSec-Fetch-Site: same-origin"), 0);
  CU_ASSERT_EQUAL(status(&local, SAVE "\r\nOrigin: null"), 403);
  CU_ASSERT_EQUAL(status(&local, SAVE "\r\nOrigin: null\r\nSec-Fetch-Site: cross-site"), 403);
  CU_ASSERT_EQUAL(status(&local, SAVE "\r\nOrigin: http://localhost:8081"), 403);
  CU_ASSERT_EQUAL(status(&local, SAVE "\r\nOrigin: https://localhost:8080"), 403);
  CU_ASSERT_EQUAL(status(&local, SAVE "\r\nOrigin: http://127.0.0.1:8080"), 403);
  CU_ASSERT_EQUAL(status(&local, SAVE "\r\nOrigin: http://localhost:8080.evil.example"), 403);
  CU_ASSERT_EQUAL(
      status(&local, SAVE "\r\nOrigin: http://localhost:8080\r\nSec-Fetch-Site: cross-site"), 403);
  CU_ASSERT_EQUAL(
      status(&local, SAVE "\r\nOrigin: http://localhost:8080\r\nOrigin: http://evil.example"), 403);
  CU_ASSERT_EQUAL(status(&local, SAVE "\r\nSec-Fetch-Site: none"), 403);
  CU_ASSERT_EQUAL(
      status(&local, SAVE "\r\nSec-Fetch-Site: same-origin\r\nSec-Fetch-Site: same-origin"), 403);
}

TEST(test_other_sites_may_link_and_nothing_else) {
#define CROSS TOP "\r\nSec-Fetch-Site: cross-site"
  CU_ASSERT_EQUAL(status(&local, CROSS "\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document"),
                  0);
  CU_ASSERT_EQUAL(status(&local, CROSS "\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: iframe"),
                  403);
  CU_ASSERT_EQUAL(status(&local, CROSS "\r\nSec-Fetch-Mode: no-cors\r\nSec-Fetch-Dest: image"),
                  403);
  CU_ASSERT_EQUAL(status(&local, CROSS), 403);
  CU_ASSERT_EQUAL(status(&local, TOP "\r\nSec-Fetch-Site: same-site"), 403);
  CU_ASSERT_EQUAL(status(&local, TOP "\r\nSec-Fetch-Site: none"), 0);
  CU_ASSERT_EQUAL(status(&local, TOP "\r\nOrigin: http://evil.example"), 403);
}

TEST(test_lengths_have_ends) {
  static char long_head[40000];
  CU_ASSERT_EQUAL(status(&local, SAVE "1000\r\nOrigin: http://localhost:8080"), 0);
  CU_ASSERT_EQUAL(status(&local, SAVE "99999\r\nOrigin: http://localhost:8080"), 413);
  CU_ASSERT_EQUAL(status(&local, SAVE "\r\nContent-Length: 5"), 400);
  CU_ASSERT_EQUAL(status(&local, SAVE "-5"), 400);
  CU_ASSERT_EQUAL(status(&local, TOP "\r\nTransfer-Encoding: chunked"), 400);
  CU_ASSERT_EQUAL(status(&local, SAVE "\r\nTransfer-Encoding: chunked"), 411);
  static struct guard_header host = {{"Host", 4}, {"localhost:8080", 14}};
  memset(long_head, 'a', sizeof long_head);
  long_head[0] = '/';
  struct guard_request request = {STR("GET"), {long_head, sizeof long_head}, &host, 1, true};
  CU_ASSERT_EQUAL(guard_decide(&local, &request).status, 414);
  struct guard_header many[2] = {host, {{"X", 1}, {long_head, sizeof long_head}}};
  request = (struct guard_request){STR("GET"), STR("/"), many, 2, true};
  CU_ASSERT_EQUAL(guard_decide(&local, &request).status, 431);
}

/* ---- a server that other machines can reach ---------- */

#define OPEN "GET /ui/top?f=main HTTP/1.1\r\nHost: 192.0.2.7:8080"

TEST(test_others_need_the_token) {
  CU_ASSERT_EQUAL(status(&open_to_all, OPEN), 403);
  CU_ASSERT_EQUAL(status(&open_to_all, OPEN "\r\nCookie: pprofc_8080="), 403);
  CU_ASSERT_EQUAL(
      status(&open_to_all, OPEN "\r\nCookie: pprofc_8080=0123456789abcdefghijklmnopqrstuX"), 403);
  CU_ASSERT_EQUAL(
      status(&open_to_all, OPEN "\r\nCookie: pprofc_9=0123456789abcdefghijklmnopqrstuv"), 403);
  CU_ASSERT_EQUAL(
      status(&open_to_all, OPEN "\r\nCookie: a=b; pprofc_8080=0123456789abcdefghijklmnopqrstuv"),
      0);
}

TEST(test_the_token_of_an_address_becomes_a_cookie) {
  struct guard_decision d =
      decide(&open_to_all, "GET /ui/top?f=a&token=0123456789abcdefghijklmnopqrstuv HTTP/1.1\r\n"
                           "Host: build-machine:8080");
  CU_ASSERT_EQUAL(d.answer, GUARD_ENTER);
  CU_ASSERT(str_equal(d.path, STR("/ui/top")));
  CU_ASSERT_EQUAL(status(&open_to_all, "GET /ui/top?token=0123456789abcdefghijklmnopqrstu HTTP/1.1"
                                       "\r\nHost: build-machine:8080"),
                  403);
  CU_ASSERT_EQUAL(status(&open_to_all,
                         "POST /ui/saveconfig?token=0123456789abcdefghijklmnopqrstuv HTTP/1.1\r\n"
                         "Host: a:8080\r\nOrigin: http://a:8080\r\nContent-Length: 0"),
                  403);
}

TEST(test_the_cookie_alone_does_not_change_anything) {
#define WITH "\r\nContent-Length: 0\r\nCookie: pprofc_8080=0123456789abcdefghijklmnopqrstuv"
  static const char post[] = "POST /ui/saveconfig HTTP/1.1\r\nHost: a:8080" WITH;
  char head[512];
  CU_ASSERT_EQUAL(status(&open_to_all, post), 403);
  snprintf(head, sizeof head, "%s\r\nOrigin: http://a:8080", post);
  CU_ASSERT_EQUAL(status(&open_to_all, head), 0);
  snprintf(head, sizeof head, "%s\r\nOrigin: http://evil.example:8080", post);
  CU_ASSERT_EQUAL(status(&open_to_all, head), 403);
}
