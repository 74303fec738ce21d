/* Sends one request by libcurl and reads the headers of its reply. */
#include "common/transport.h"

#include "core/mem.h"

#include <stdlib.h>
#include <strings.h>

#define REPLY_MAX ((size_t)64 << 20)
#define NAME_MOST ((size_t)16 << 10)

void transport_reply_init(struct transport_reply *reply) {
  *reply = (struct transport_reply){.retry_after = -1, .remaining = -1};
  buffer_init(&reply->body, &mem_default, REPLY_MAX);
  buffer_init(&reply->next, &mem_default, NAME_MOST);
  buffer_init(&reply->location, &mem_default, NAME_MOST);
  buffer_init(&reply->etag, &mem_default, NAME_MOST);
}

void transport_reply_free(struct transport_reply *reply) {
  buffer_free(&reply->body);
  buffer_free(&reply->next);
  buffer_free(&reply->location);
  buffer_free(&reply->etag);
}

bool transport_is_local(pprofc_str host) {
  static const char *const names[] = {"localhost", "127.0.0.1", "[::1]"};
  size_t end = str_starts(host, STR("[")) ? str_find_char(host, ']') + 1 : str_find_char(host, ':');
  host = str_slice(host, 0, end);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (str_equal(host, str_of(names[i]))) return true;
  return str_ends(host, STR(".localhost")); /* reserved by RFC 6761 */
}

#ifdef HAVE_LIBCURL
#include "common/libcurl.h"

struct transport {
  struct libcurl curl;
  CURL *easy;
};

/* A transfer in progress. */
struct transport_leg {
  struct transport *transport;
  struct transport_reply *reply;
  struct curl_slist *headers;
  char why[CURL_ERROR_SIZE];
};

/* ---- headers of a reply ------------------------------ */

static void take_link(struct transport_leg *leg, pprofc_str value) {
  pprofc_str one;
  while (str_next(&value, ',', &one)) {
    size_t open = str_find_char(one, '<'), close = str_find_char(one, '>');
    pprofc_str rest = str_slice(one, close, one.size);
    if (close <= open || str_find(rest, STR("rel=\"next\"")) == rest.size) continue;
    buffer_clear(&leg->reply->next);
    buffer_add_str(&leg->reply->next, str_slice(one, open + 1, close));
  }
}

static int64_t date_of(struct transport_leg *leg, pprofc_str value) {
  char text[64];
  if (value.size >= sizeof text) return 0;
  memcpy(text, value.data, value.size);
  text[value.size] = '\0';
  time_t time = leg->transport->curl.getdate(text, NULL);
  return time > 0 ? (int64_t)time : 0;
}

static void take_date(struct transport_leg *leg, pprofc_str value) {
  leg->reply->date = date_of(leg, value);
}

static void take_modified(struct transport_leg *leg, pprofc_str value) {
  leg->reply->modified = date_of(leg, value);
}

static void take_framing(struct transport_leg *leg, pprofc_str value) {
  if (value.size) leg->reply->framed = true;
}

/* Reads Retry-After: seconds, or a date by the clock of the server. */
static void take_retry(struct transport_leg *leg, pprofc_str value) {
  int64_t number = 0;
  if (str_parse_int(value, 10, &number)) {
    leg->reply->retry_after = number < 0 ? 0 : number;
    return;
  }
  /* A number that does not fit is longer than any -wait, so its exact value does not matter. */
  if (value.size && value.data[0] >= '0' && value.data[0] <= '9') {
    leg->reply->retry_after = INT32_MAX;
    return;
  }
  number = date_of(leg, value);
  if (number) leg->reply->reset = number;
}

static void take_reset(struct transport_leg *leg, pprofc_str value) {
  int64_t number = 0;
  if (str_parse_int(value, 10, &number) && number > 0) leg->reply->reset = number;
}

static void take_remaining(struct transport_leg *leg, pprofc_str value) {
  int64_t number = 0;
  if (str_parse_int(value, 10, &number) && number >= 0) leg->reply->remaining = number;
}

static void take_type(struct transport_leg *leg, pprofc_str value) {
  leg->reply->is_json = str_find(value, STR("json")) < value.size;
}

static void take_location(struct transport_leg *leg, pprofc_str value) {
  buffer_clear(&leg->reply->location);
  buffer_add_str(&leg->reply->location, value);
}

static void take_etag(struct transport_leg *leg, pprofc_str value) {
  buffer_clear(&leg->reply->etag);
  buffer_add_str(&leg->reply->etag, value);
}

static const struct {
  const char *name;
  void (*take)(struct transport_leg *leg, pprofc_str value);
} known_headers[] = {{"Link", take_link},
                     {"Date", take_date},
                     {"Retry-After", take_retry},
                     {"X-RateLimit-Reset", take_reset},
                     {"RateLimit-Reset", take_reset},
                     {"X-RateLimit-Remaining", take_remaining},
                     {"RateLimit-Remaining", take_remaining},
                     {"Content-Type", take_type},
                     {"Location", take_location},
                     {"ETag", take_etag},
                     {"Last-Modified", take_modified},
                     {"Content-Length", take_framing},
                     {"Transfer-Encoding", take_framing}};

/* Handles a status line, which begins the headers, or the empty line, which ends them. */
static void take_edge(struct transport_reply *reply, pprofc_str line) {
  if (str_starts(line, STR("HTTP/"))) {
    reply->ended = false;
    reply->framed = str_starts(line, STR("HTTP/2")) || str_starts(line, STR("HTTP/3"));
  } else if (!str_trim(line).size) {
    reply->ended = str_ends(line, STR("\n"));
  }
}

static size_t leg_header(char *data, size_t size, size_t count, void *context) {
  struct transport_leg *leg = context;
  pprofc_str line = {data, size * count};
  size_t colon = str_find_char(line, ':');
  pprofc_str value = str_trim(str_slice(line, colon + 1, line.size));
  take_edge(leg->reply, line);
  for (size_t i = 0; i < sizeof known_headers / sizeof *known_headers; i++)
    if (strlen(known_headers[i].name) == colon &&
        strncasecmp(known_headers[i].name, data, colon) == 0)
      known_headers[i].take(leg, value);
  return size * count;
}

static size_t leg_body(char *data, size_t size, size_t count, void *context) {
  struct transport_leg *leg = context;
  buffer_add(&leg->reply->body, data, size * count);
  return leg->reply->body.failed ? 0 : size * count;
}

/* ---- a transfer -------------------------------------- */

pprofc_status transport_open(struct transport **transport, pprofc_error *error) {
  struct transport *t = mem_zero_array(&mem_default, 1, sizeof *t);
  if (!t) return error_nomem(error);
  pprofc_status status = libcurl_load(&t->curl, error);
  if (status == PPROFC_OK && !(t->easy = t->curl.easy_init())) status = error_nomem(error);
  if (status != PPROFC_OK) {
    mem_free(&mem_default, t, 1, sizeof *t);
    return status;
  }
  *transport = t;
  return PPROFC_OK;
}

void transport_close(struct transport *t) {
  if (!t) return;
  t->curl.easy_cleanup(t->easy);
  mem_free(&mem_default, t, 1, sizeof *t);
}

#define LEG_SET(option, value)                                                                     \
  (leg->transport->curl.easy_setopt(leg->transport->easy, (option), (value)) == CURLE_OK)

static bool leg_set_headers(struct transport_leg *leg, const char *const *headers) {
  for (; *headers; headers++) {
    struct curl_slist *list = leg->transport->curl.slist_append(leg->headers, *headers);
    if (!list) return false;
    leg->headers = list;
  }
  return LEG_SET(CURLOPT_HTTPHEADER, leg->headers);
}

/* Sets the options that all requests share. */
static bool leg_set_common(struct transport_leg *leg) {
  return LEG_SET(CURLOPT_NOSIGNAL, 1L) && LEG_SET(CURLOPT_ERRORBUFFER, leg->why) &&
         LEG_SET(CURLOPT_FOLLOWLOCATION, 0L) && LEG_SET(CURLOPT_HEADERFUNCTION, leg_header) &&
         LEG_SET(CURLOPT_HEADERDATA, leg) && LEG_SET(CURLOPT_WRITEFUNCTION, leg_body) &&
         LEG_SET(CURLOPT_WRITEDATA, leg) && LEG_SET(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L) &&
         LEG_SET(CURLOPT_HEADEROPT, (long)CURLHEADER_SEPARATE);
}

/* Sets a path from the environment. If there is no variable, libcurl's default stays. */
static bool leg_set_path(struct transport_leg *leg, CURLoption option, const char *name) {
  const char *path = getenv(name);
  return !path || !*path || LEG_SET(option, path);
}

/* Replaces the system's authorities by SSL_CERT_FILE and SSL_CERT_DIR. An unencrypted request
 * uses no proxy, which could read the token. */
static bool leg_set_security(struct transport_leg *leg, const char *url) {
  bool secure = str_starts(str_of(url), STR("https://"));
  return leg_set_path(leg, CURLOPT_CAINFO, "SSL_CERT_FILE") &&
         leg_set_path(leg, CURLOPT_CAPATH, "SSL_CERT_DIR") &&
         (secure || LEG_SET(CURLOPT_NOPROXY, "*"));
}

static bool leg_set_request(struct transport_leg *leg, const char *method, const char *url,
                            pprofc_str body, int64_t timeout) {
  /* When a reused connection fails, libcurl sends the request a second time. */
  bool good = LEG_SET(CURLOPT_URL, url) && LEG_SET(CURLOPT_FRESH_CONNECT, 1L) &&
              LEG_SET(CURLOPT_FORBID_REUSE, 1L) && LEG_SET(CURLOPT_TIMEOUT, (long)timeout) &&
              LEG_SET(CURLOPT_CONNECTTIMEOUT, 10L);
  if (body.size)
    good = good && LEG_SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)body.size) &&
           LEG_SET(CURLOPT_POSTFIELDS, body.data);
  if (strcmp(method, "HEAD") == 0) return good && LEG_SET(CURLOPT_NOBODY, 1L);
  return good && LEG_SET(CURLOPT_CUSTOMREQUEST, method);
}

/* Returns a hint about a rejected certificate, from the messages of OpenSSL and GnuTLS. */
static const char *certificate_hint(const char *why) {
  static const struct {
    const char *words, *hint;
  } hints[] = {{"expired", " (is the clock of this machine right?)"},
               {"not yet valid", " (is the clock of this machine right?)"},
               {"issuer certificate", " (SSL_CERT_FILE names other authorities)"},
               {"self-signed", " (SSL_CERT_FILE names other authorities)"},
               {"self signed", " (SSL_CERT_FILE names other authorities)"}};
  for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
    if (strstr(why, hints[i].words)) return hints[i].hint;
  return "";
}

static pprofc_status leg_explain(struct transport_leg *leg, CURLcode code, pprofc_error *error) {
  const char *why = *leg->why ? leg->why : leg->transport->curl.easy_strerror(code);
  bool certificate = code == CURLE_PEER_FAILED_VERIFICATION;
  if (leg->reply->body.failed)
    return error_set(error, PPROFC_E_LIMIT, "the reply has more than %zu bytes",
                     leg->reply->body.ceiling);
  return error_set(error, PPROFC_E_IO, "%s%s", why, certificate ? certificate_hint(why) : "");
}

pprofc_status transport_send(struct transport *transport, const char *method, const char *url,
                             const char *const *headers, pprofc_str body, int64_t timeout,
                             struct transport_reply *reply, pprofc_error *error) {
  struct transport_leg leg = {.transport = transport, .reply = reply};
  pprofc_status status = PPROFC_OK;
  long code = 0;
  double connected = 0;
  transport->curl.easy_reset(transport->easy);
  if (!leg_set_common(&leg) || !leg_set_security(&leg, url) ||
      !leg_set_request(&leg, method, url, body, timeout) || !leg_set_headers(&leg, headers)) {
    status = error_set(error, PPROFC_E_NOMEM, "libcurl cannot prepare the request");
  } else {
    CURLcode result = transport->curl.easy_perform(transport->easy);
    transport->curl.easy_getinfo(transport->easy, CURLINFO_RESPONSE_CODE, &code);
    transport->curl.easy_getinfo(transport->easy, CURLINFO_PRETRANSFER_TIME, &connected);
    reply->sent = connected > 0;
    reply->code = (int)code;
    reply->refused = result == CURLE_PEER_FAILED_VERIFICATION;
    if (result != CURLE_OK)
      status = leg_explain(&leg, result, error);
    else if (!reply->ended)
      status = error_set(error, PPROFC_E_IO, "the reply ended within its headers");
  }
  transport->curl.slist_free_all(leg.headers);
  return status;
}

#else

pprofc_status transport_open(struct transport **transport, pprofc_error *error) {
  (void)transport;
  return error_set(error, PPROFC_E_UNSUPPORTED,
                   "this pprofci was built without libcurl; install the package "
                   "libcurl4-openssl-dev and build it again");
}

void transport_close(struct transport *transport) {
  (void)transport;
}

pprofc_status transport_send(struct transport *transport, const char *method, const char *url,
                             const char *const *headers, pprofc_str body, int64_t timeout,
                             struct transport_reply *reply, pprofc_error *error) {
  (void)transport, (void)method, (void)url, (void)headers, (void)body, (void)timeout, (void)reply;
  return error_set(error, PPROFC_E_UNSUPPORTED, "this pprofci was built without libcurl");
}

#endif
