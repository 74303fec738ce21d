/* Sends requests to the API of a code host. Decides on retries and waits, and formats the error of
 * the last attempt. */
#include "publish/post.h"

#include "core/json_tree.h"

#define TRIES         4
#define REDIRECTS_MAX 3
#define HEADERS_MAX   12
#define URL_MAX       4096
#define SAID_MAX      300 /* maximum number of bytes of a server's message in an error message */
/* Seconds to wait after a rate limit if the reply names no time. GitHub documents this value. */
#define WAIT_UNKNOWN 60
/* Minimum size in bytes of a token that messages hide. A shorter token would match ordinary text.
 */
#define SECRET_MIN 8

struct api {
  struct wire_options options;
  struct client *client;
  size_t origin;   /* length in bytes of scheme, host and port at the start of `api` */
  int64_t left_ms; /* time that remains for waits before retries, in milliseconds */
  char token_line[1024];
};

/* State of one request with its retries, and the last reply. */
struct wire_try {
  const struct wire_request *request;
  struct reply *reply;
  pprofc_status status; /* result of the last transfer */
  char url[URL_MAX];
  int redirects;
};

static bool is_visible(pprofc_str text) {
  for (size_t i = 0; i < text.size; i++)
    if ((unsigned char)text.data[i] <= ' ' || (unsigned char)text.data[i] >= 0x7f) return false;
  return text.size > 0;
}

/* Checks that the token is sent over TLS, or to this machine only. */
static pprofc_status wire_check_address(struct api *wire, pprofc_error *error) {
  pprofc_str api = str_of(wire->options.api);
  size_t scheme = str_find(api, STR("://"));
  pprofc_str rest = str_slice(api, scheme + 3, api.size);
  pprofc_str host = str_slice(rest, 0, str_find_char(rest, '/'));
  bool secure = str_starts(api, STR("https://"));
  if (!is_visible(api) || !host.size || (!secure && !str_starts(api, STR("http://"))))
    return error_set(error, PPROFC_E_INVALID, "the address of the API, '%s', is not a URL",
                     wire->options.api);
  if (str_find_char(host, '@') < host.size)
    return error_set(error, PPROFC_E_INVALID, "the address of the API has a user name in it");
  if (!secure && !url_is_local(host))
    return error_set(
        error, PPROFC_E_INVALID,
        "the address of the API, '%s', is not https: the token would be sent unencrypted",
        wire->options.api);
  wire->origin = scheme + 3 + host.size;
  return PPROFC_OK;
}

static pprofc_status wire_check_token(struct api *wire, pprofc_error *error) {
  pprofc_str token = str_trim(str_of(wire->options.token));
  size_t at = strlen(wire->options.token_header);
  if (wire->options.dry) return PPROFC_OK;
  if (!is_visible(token) || token.size >= sizeof wire->token_line - at)
    return error_set(error, PPROFC_E_INVALID, "the token has invalid characters");
  memcpy(wire->token_line, wire->options.token_header, at);
  memcpy(wire->token_line + at, token.data, token.size);
  wire->token_line[at + token.size] = '\0';
  return PPROFC_OK;
}

pprofc_status wire_open(const struct wire_options *options, struct api **wire,
                        pprofc_error *error) {
  struct api *w = mem_zero_array(&ci_mem, 1, sizeof *w);
  w->options = *options;
  w->left_ms = 1000 * options->wait_most;
  pprofc_status status = wire_check_address(w, error);
  if (status == PPROFC_OK) status = wire_check_token(w, error);
  if (status == PPROFC_OK && !options->dry) status = request_open(&w->client, error);
  if (status != PPROFC_OK) {
    wire_close(w);
    return status;
  }
  *wire = w;
  return PPROFC_OK;
}

void wire_close(struct api *wire) {
  if (!wire) return;
  client_close(wire->client);
  mem_free(&ci_mem, wire, 1, sizeof *wire);
}

bool wire_is_unsure(const struct reply *reply) {
  return reply->code == -1 || reply->code >= 500;
}

static const struct {
  int code;
  const char *words, *hint;
} wire_codes[] = {
    {400, "bad request", ""},
    {401, "unauthorized", "the token is wrong or has expired"},
    {403, "forbidden", ""},
    {404, "not found", "the repository or change does not exist, or the token may not see it"},
    {409, "conflict", ""},
    {410, "gone", ""},
    {413, "too large", ""},
    {422, "not accepted", ""},
    {429, "rate limited", ""},
    {500, "server error", ""},
    {502, "bad gateway", ""},
    {503, "unavailable", ""},
    {504, "gateway timeout", ""},
};

/* True if the body of a reply contains one of the words. Ignores case. */
static bool wire_says(const struct reply *reply, const char *const *words) {
  pprofc_str body = buffer_str(&reply->body);
  for (; *words; words++)
    for (size_t at = 0; at + strlen(*words) <= body.size; at++)
      if (str_starts_any_case(str_slice(body, at, body.size), str_of(*words))) return true;
  return false;
}

/* Appends the message in a JSON reply, and the message of the first error in the reply's list. */
static void put_said(struct buffer *out, pprofc_str body) {
  struct arena arena = ci_arena();
  struct node *root = NULL;
  if (json_tree_parse(&arena, NULL, body, &root, NULL) == PPROFC_OK) {
    const struct node *nested = node_get(root, "error");
    pprofc_str said = node_text(root, "message");
    if (!said.size) said = node_text(nested, "message");
    if (!said.size && node_is(nested, NODE_STRING)) said = nested->text;
    pprofc_str more = node_text(node_at(node_get(root, "errors"), 0), "message");
    if (said.size) buffer_printf(out, ": %.*s", STR_ARG(str_slice(said, 0, SAID_MAX)));
    if (more.size) buffer_printf(out, ": %.*s", STR_ARG(str_slice(more, 0, SAID_MAX)));
  }
  arena_free(&arena);
}

static void put_failure(struct buffer *out, const struct reply *reply) {
  static const char *const lacks[] = {"not accessible", "permission", "scope", NULL};
  const char *words = "", *hint = "";
  for (size_t i = 0; i < sizeof wire_codes / sizeof *wire_codes; i++)
    if (wire_codes[i].code == reply->code) {
      words = wire_codes[i].words;
      hint = wire_codes[i].hint;
    }
  buffer_printf(out, "%d%s%s", reply->code, *words ? " " : "", words);
  if (reply->is_json)
    put_said(out, buffer_str(&reply->body));
  else if (reply->body.size)
    buffer_add_text(out, ", without JSON in the reply");
  /* A reply 403 without these words may have a cause other than a permission. */
  if (reply->code == 403 && wire_says(reply, lacks)) hint = "the token lacks a permission";
  if (*hint) buffer_printf(out, " (%s)", hint);
}

/* Replaces the token in a text by "***", because a server may repeat the token in its reply. */
static void hide_secret(struct buffer *text, pprofc_str secret) {
  if (secret.size < SECRET_MIN) return;
  for (;;) {
    size_t at = str_find(buffer_str(text), secret);
    if (at == text->size) return;
    memmove(text->data + at + 3, text->data + at + secret.size, text->size - at - secret.size);
    memcpy(text->data + at, "***", 3);
    text->size -= secret.size - 3;
  }
}

static pprofc_status wire_fail(const struct api *wire, struct wire_try *try, const char *why,
                               pprofc_error *error) {
  struct buffer text = ci_buffer();
  char before[sizeof error->message];
  snprintf(before, sizeof before, "%s", why ? why : error->message);
  buffer_printf(&text, "%s %s: ", try->request->method, try->url);
  if (!why && try->status == PPROFC_OK)
    put_failure(&text, try->reply);
  else
    buffer_add_text(&text, before);
  hide_secret(&text, str_trim(str_of(wire->options.token)));
  error_set(error, PPROFC_E_IO, "%.*s", STR_ARG(buffer_str(&text)));
  buffer_free(&text);
  return PPROFC_E_IO;
}

/* True if the reply reports a rate limit. A reply about a secondary rate limit may name this limit
 * only in its text. */
static bool is_rate_limited(const struct reply *reply) {
  static const char *const words[] = {"rate limit", "abuse detection", NULL};
  if (reply->code != 403) return reply->code == 429;
  return reply->retry_after >= 0 || reply->remaining == 0 || wire_says(reply, words);
}

/* True if a retry can succeed and the request is safe to repeat. */
static bool is_worth_a_try(const struct wire_try *try) {
  const struct reply *reply = try->reply;
  bool broken = try->status != PPROFC_OK || reply->code >= 500 || reply->code == 408;
  if (try->status == PPROFC_E_NOMEM || try->status == PPROFC_E_LIMIT) return false;
  if (reply->refused) return false;
  return is_rate_limited(reply) || (broken && !(try->request->once && reply->sent));
}

/* Returns the number of seconds until the retry, from the headers of the reply, or -1. Ignores
 * X-RateLimit-Reset while requests remain, because that header applies only to the primary rate
 * limit. */
static int64_t wire_wait(const struct wire_try *try) {
  const struct reply *reply = try->reply;
  if (reply->retry_after >= 0) return reply->retry_after;
  if (!is_rate_limited(reply)) return -1;
  if (!reply->reset || !reply->date || reply->remaining > 0) return WAIT_UNKNOWN;
  if (reply->reset <= reply->date) return 1;
  return reply->reset < reply->date + INT32_MAX ? reply->reset - reply->date : INT32_MAX;
}

static bool wire_is_home(const struct api *wire, pprofc_str url) {
  return str_starts(url, (pprofc_str){wire->options.api, wire->origin}) &&
         (url.size == wire->origin || url.data[wire->origin] == '/');
}

static bool wire_set_url(const struct api *wire, struct wire_try *try, pprofc_str path) {
  bool relative = str_starts(path, STR("/"));
  /* reject "//host/path", which would name another host */
  if (str_starts(path, STR("//"))) return false;
  if (path.size + strlen(wire->options.api) >= sizeof try->url) return false;
  snprintf(try->url, sizeof try->url, "%s%.*s", relative ? wire->options.api : "", STR_ARG(path));
  return wire_is_home(wire, str_of(try->url)) && is_visible(str_of(try->url));
}

/* Uses the address of a redirect for the next try. Returns false if it leads to another host. */
static bool wire_redirects(const struct api *wire, struct wire_try *try) {
  pprofc_str location = buffer_str(&try->reply->location);
  char from_root[URL_MAX];
  if (str_starts(location, STR("/")) && !str_starts(location, STR("//"))) {
    snprintf(from_root, sizeof from_root, "%.*s%.*s", (int)wire->origin, wire->options.api,
             STR_ARG(location));
    location = str_of(from_root);
  }
  return location.size && ++try->redirects <= REDIRECTS_MAX && wire_set_url(wire, try, location);
}

static void wire_try_once(struct api *wire, struct wire_try *try, pprofc_error *error) {
  const char *headers[HEADERS_MAX] = {wire->token_line, "User-Agent: pprofci/" PPROFC_VERSION,
                                      "Expect:"};
  size_t count = 3;
  for (const char *const *more = wire->options.headers; *more && count < HEADERS_MAX - 2; more++)
    headers[count++] = *more;
  if (try->request->body.size) headers[count++] = "Content-Type: application/json";
  try->status = request_send(wire->client, try->request->method, try->url, headers,
                             try->request->body, wire->options.timeout, try->reply, error);
}

static pprofc_status wire_end(struct api *wire, struct wire_try *try, pprofc_error *error) {
  struct reply *reply = try->reply;
  char why[160];
  if (try->status == PPROFC_OK && reply->code / 100 == 3)
    return wire_fail(wire, try, "it redirects to another address, where the token is not sent",
                     error);
  if (try->status == PPROFC_OK && reply->code / 100 == 2) {
    if (!reply->body.size || reply->is_json) return PPROFC_OK;
    return wire_fail(wire, try, "the reply is not JSON", error);
  }
  if (try->status == PPROFC_OK && is_rate_limited(reply)) {
    snprintf(why, sizeof why, "%d rate limited (try again in %lld seconds)", reply->code,
             (long long)wire_wait(try));
    return wire_fail(wire, try, why, error);
  }
  return wire_fail(wire, try, NULL, error);
}

static void wire_print(const struct api *wire, const struct wire_request *request) {
  struct output *out = wire->options.dry;
  output_printf(out, "%s %s%s\n", request->method, request->path[0] == '/' ? wire->options.api : "",
                request->path);
  output_add_str(out, request->body);
  output_add_text(out, request->body.size ? "\n\n" : "\n");
}

pprofc_status wire_send(struct api *wire, const struct wire_request *request, struct reply *reply,
                        pprofc_error *error) {
  struct wire_try try = {.request = request, .reply = reply};
  request_reply_init(reply);
  if (wire->options.dry) {
    wire_print(wire, request);
    return PPROFC_OK;
  }
  if (!wire_set_url(wire, &try, str_of(request->path)))
    return error_set(error, PPROFC_E_INVALID, "%s is not at %s", request->path, wire->options.api);
  struct retry retry = {.most = TRIES, .first_ms = 1000, .left_ms = wire->left_ms};
  for (;;) {
    wire_try_once(wire, &try, error);
    bool elsewhere = try.status == PPROFC_OK && reply->code / 100 == 3;
    if (elsewhere && wire_redirects(wire, &try)) continue;
    if (elsewhere || !is_worth_a_try(&try) || !retry_wait(&retry, 1000 * wire_wait(&try))) break;
  }
  wire->left_ms = retry.left_ms;
  pprofc_status status = wire_end(wire, &try, error);
  if (try.status != PPROFC_OK) reply->code = -1;
  return status;
}
