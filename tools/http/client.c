/* Runs a libcurl transfer for each request. Follows redirects without libcurl for two reasons. The
 * user's headers and passwords must go only to the first host. No redirect may lead to a local
 * socket or file. */
#include "http/client.h"

#include "http/libcurl.h"
#include "pprofc/base.h"

#define REDIRECTS_MAX  10
#define ERROR_BODY_MAX ((size_t)64 << 10)
#define POLL_MS        50    /* interval of the checks for cancellation, in milliseconds */
#define CONNECT_MS     10000 /* time limit to connect to the host of an API, in milliseconds */

#ifdef HAVE_LIBCURL

struct client {
  struct client_options options;
  struct libcurl curl;
  CURLM *multi;
  struct proxy_settings proxies;
  pprofc_status status; /* error that every request returns, or PPROFC_OK */
  pprofc_error error;
};

struct transfer {
  struct client *client;
  struct exchange *exchange;
  CURL *easy;
  struct curl_slist *headers;
  struct url url;    /* URL of the current request; after a redirect, the target of the redirect */
  const char *proxy; /* URL of the proxy, or "" */
  bool post;
  /* true until a redirect leads to another host; then the client omits the user's headers */
  bool home;
  bool too_large, running;
  unsigned redirects;
  int64_t deadline; /* time limit of the transfer, in milliseconds of the monotonic clock */
  char why[CURL_ERROR_SIZE];
};

static size_t transfer_header(char *data, size_t size, size_t count, void *context) {
  struct transfer *transfer = context;
  reply_header(&transfer->exchange->reply, (pprofc_str){data, size * count});
  return size * count;
}

/* Stores the body of a reply. Stores the whole body of a profile and of an API's reply, but only
 * the beginning of the body of an error. */
static size_t transfer_body(char *data, size_t size, size_t count, void *context) {
  struct transfer *transfer = context;
  struct buffer *body = &transfer->exchange->reply.body;
  size_t bytes = size * count;
  bool whole = transfer->exchange->request || transfer->exchange->reply.code == 200;
  if (!whole && body->size + bytes > ERROR_BODY_MAX) return 0;
  transfer->too_large = bytes > body->ceiling - body->size;
  if (!transfer->too_large) buffer_add(body, data, bytes);
  return transfer->too_large || body->failed ? 0 : bytes;
}

/* ---- setting up -------------------------------------- */

/* True if both URLs have the same host, port and scheme. */
static bool transfer_same_host(const struct url *a, const struct url *b) {
  return str_equal(a->scheme, b->scheme) && str_equal(a->host, b->host);
}

static bool transfer_add_header(struct transfer *t, const char *line) {
  struct curl_slist *list = t->client->curl.slist_append(t->headers, line);
  if (!list) return false;
  t->headers = list;
  return true;
}

static bool transfer_add_headers(struct transfer *t, const char *const *lines) {
  for (; *lines; lines++)
    if (!transfer_add_header(t, *lines)) return false;
  return true;
}

/* Adds the user's headers, and the default headers that the user did not replace. */
static bool transfer_make_headers(struct transfer *t) {
  static const struct {
    pprofc_str name;
    const char *line;
    bool post;
  } own[] = {{{"user-agent", 10}, "User-Agent: pprofc/" PPROFC_VERSION, false},
             {{"accept", 6}, "Accept:", false},
             {{"accept-encoding", 15}, "Accept-Encoding: gzip", false},
             {{"expect", 6}, "Expect:", true},
             {{"content-type", 12}, "Content-Type: application/octet-stream", true}};
  const struct headers *given = t->client->options.headers;
  t->client->curl.slist_free_all(t->headers);
  t->headers = NULL;
  if (t->exchange->request) return transfer_add_headers(t, t->exchange->request->headers);
  for (size_t i = 0; t->home && i < given->count; i++)
    if (!transfer_add_header(t, given->items[i].line)) return false;
  for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
    bool taken = t->home && headers_has(given, own[i].name);
    if (taken || (own[i].post && !t->post)) continue;
    if (!transfer_add_header(t, own[i].line)) return false;
  }
  return true;
}

/* Returns the URL for libcurl. Its scheme is http or https, and it has neither a user nor a
 * fragment. */
static pprofc_str transfer_target(struct transfer *t) {
  struct url url = t->url;
  bool socket = str_equal(url.scheme, STR("http+unix"));
  if (str_equal(url.scheme, STR("https+insecure"))) url.scheme = STR("https");
  if (socket) url.scheme = STR("http");
  if (socket) url.host = STR("localhost");
  url.fragment = STR("");
  return url_text(t->exchange->arena, &url, URL_WITHOUT_USER);
}

#define SET(option, value) (t->client->curl.easy_setopt(t->easy, (option), (value)) == CURLE_OK)

/* Sets an option to a path. Keeps libcurl's default if the path is empty. */
static bool transfer_set_path(struct transfer *t, CURLoption option, const char *path) {
  return !path || !*path || SET(option, path);
}

static bool transfer_set_tls(struct transfer *t) {
  const struct tls_files *files = &t->client->options.tls;
  bool verify = !str_equal(t->url.scheme, STR("https+insecure"));
  bool done = SET(CURLOPT_SSL_VERIFYPEER, verify ? 1L : 0L);
  done = done && SET(CURLOPT_SSL_VERIFYHOST, verify ? 2L : 0L);
  done = done && transfer_set_path(t, CURLOPT_SSLCERT, files->cert) &&
         transfer_set_path(t, CURLOPT_SSLKEY, files->key);
  /* The file of -tls_ca replaces the certificate authorities of the system. */
  if (*files->ca)
    return done && SET(CURLOPT_CAINFO, files->ca) && SET(CURLOPT_CAPATH, (char *)NULL);
  return done && transfer_set_path(t, CURLOPT_CAINFO, getenv("SSL_CERT_FILE")) &&
         transfer_set_path(t, CURLOPT_CAPATH, getenv("SSL_CERT_DIR"));
}

static bool transfer_set_user(struct transfer *t) {
  struct arena *arena = t->exchange->arena;
  if (!t->url.has_user) return SET(CURLOPT_USERNAME, (char *)NULL);
  pprofc_str user = arena_str(arena, t->url.user), password = arena_str(arena, t->url.password);
  return user.data && password.data && SET(CURLOPT_HTTPAUTH, (long)CURLAUTH_BASIC) &&
         SET(CURLOPT_USERNAME, user.data) && SET(CURLOPT_PASSWORD, password.data);
}

static bool transfer_set_place(struct transfer *t) {
  pprofc_str target = transfer_target(t);
  const char *socket = NULL;
  if (str_equal(t->url.scheme, STR("http+unix"))) {
    socket = arena_str(t->exchange->arena, t->url.host).data;
    if (!socket) return false;
  }
  return target.data && SET(CURLOPT_URL, target.data) && SET(CURLOPT_PROXY, t->proxy) &&
         SET(CURLOPT_NOPROXY, "") && SET(CURLOPT_UNIX_SOCKET_PATH, socket);
}

static bool transfer_set_time(struct transfer *t) {
  int64_t left = t->deadline - system_milliseconds();
  if (left > INT_MAX) left = INT_MAX;
  if (left < 1) left = 1;
  int64_t connect = t->exchange->request && left > CONNECT_MS ? CONNECT_MS : left;
  return SET(CURLOPT_TIMEOUT_MS, (long)left) && SET(CURLOPT_CONNECTTIMEOUT_MS, (long)connect);
}

static bool transfer_set_body(struct transfer *t) {
  pprofc_str body = t->exchange->body;
  if (!t->post && !(t->exchange->request && body.size)) return SET(CURLOPT_HTTPGET, 1L);
  return SET(CURLOPT_POST, 1L) && SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)body.size) &&
         SET(CURLOPT_POSTFIELDS, body.data);
}

static bool transfer_set_method(struct transfer *t) {
  const struct request *request = t->exchange->request;
  if (!request) return true;
  if (strcmp(request->method, "HEAD") == 0) return SET(CURLOPT_NOBODY, 1L);
  return SET(CURLOPT_CUSTOMREQUEST, request->method);
}

static bool transfer_set_request(struct transfer *t) {
  return SET(CURLOPT_HTTPHEADER, t->headers) && SET(CURLOPT_ERRORBUFFER, t->why) &&
         SET(CURLOPT_PRIVATE, t) && transfer_set_body(t) && transfer_set_method(t);
}

/* Sets the options that stay the same after a redirect. */
static bool transfer_set_common(struct transfer *t) {
  return SET(CURLOPT_NOSIGNAL, 1L) && SET(CURLOPT_PATH_AS_IS, 1L) &&
         SET(CURLOPT_FRESH_CONNECT, 1L) && SET(CURLOPT_FORBID_REUSE, 1L) &&
         SET(CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1) &&
         SET(CURLOPT_HTTP_CONTENT_DECODING, 0L) && SET(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L) &&
         SET(CURLOPT_HEADEROPT, (long)CURLHEADER_SEPARATE) &&
         SET(CURLOPT_HEADERFUNCTION, transfer_header) && SET(CURLOPT_HEADERDATA, t) &&
         SET(CURLOPT_WRITEFUNCTION, transfer_body) && SET(CURLOPT_WRITEDATA, t);
}

/* ---- the end of a transfer --------------------------- */

static void transfer_fail(struct transfer *t, pprofc_status status) {
  t->exchange->status = status;
}

static bool client_knows_scheme(const struct transfer *t) {
  return STR_ANY(str_equal, t->url.scheme, "http", "https", "https+insecure", "http+unix");
}

/* Prepares the request to t->url. After a redirect, t->url is the target of the redirect. */
static pprofc_status transfer_prepare(struct transfer *t) {
  pprofc_error *error = &t->exchange->error;
  t->proxy = "";
  if (!client_knows_scheme(t))
    return error_set(error, PPROFC_E_UNSUPPORTED, "unsupported protocol scheme \"%.*s\"",
                     STR_ARG(t->url.scheme));
  bool direct = t->exchange->request && !str_equal(t->url.scheme, STR("https"));
  pprofc_status status = PPROFC_OK;
  if (!direct)
    status = proxy_for(t->exchange->arena, &t->client->proxies, &t->url, &t->proxy, error);
  if (status != PPROFC_OK) return status;
  bool done = transfer_make_headers(t) && transfer_set_common(t) && transfer_set_place(t);
  done = done && transfer_set_user(t) && transfer_set_tls(t) && transfer_set_time(t);
  if (done && transfer_set_request(t)) return PPROFC_OK;
  return error_set(error, PPROFC_E_NOMEM, "libcurl cannot prepare the request");
}

/* Starts the request to t->url. On failure, stores the error in the exchange and returns false. */
static bool transfer_start(struct transfer *t) {
  t->why[0] = '\0';
  buffer_clear(&t->exchange->reply.body);
  t->exchange->reply.code = 0;
  pprofc_status status = transfer_prepare(t);
  if (status == PPROFC_OK &&
      t->client->curl.multi_add_handle(t->client->multi, t->easy) != CURLM_OK)
    status = error_nomem(&t->exchange->error);
  t->running = status == PPROFC_OK;
  if (!t->running) transfer_fail(t, status);
  return t->running;
}

static void transfer_explain(struct transfer *t, CURLcode code) {
  const struct libcurl *curl = &t->client->curl;
  int64_t limit = t->exchange->limit_ms;
  if (t->exchange->request && !t->exchange->reply.sent && limit > CONNECT_MS) limit = CONNECT_MS;
  long number = 0;
  curl->easy_getinfo(t->easy, CURLINFO_OS_ERRNO, &number);
  struct url to = t->url;
  if (*t->proxy) url_parse(t->exchange->arena, str_of(t->proxy), &to);
  struct failure failure = {.code = code,
                            .why = *t->why ? t->why : curl->easy_strerror(code),
                            .number = (int)number,
                            .url = &t->url,
                            .to = &to,
                            .proxied = *t->proxy != 0,
                            .limit_ms = limit,
                            .came = t->exchange->reply.code != 0,
                            .flags = strcmp(t->client->options.program, "pprofc") == 0,
                            .certificate = *t->client->options.tls.cert != '\0'};
  transfer_fail(t, failure_explain(&failure, &t->exchange->error));
}

/* Returns the reason why the redirect to `next` is not followed, or NULL to follow it. */
static const char *transfer_refusal(const struct transfer *t, const struct url *next, bool same) {
  if (!same && str_equal(next->scheme, STR("http+unix")))
    return "a redirect to a local socket is not followed";
  if (!same && str_equal(next->scheme, STR("https+insecure")))
    return "a redirect to https+insecure is not followed";
  if (!t->exchange->own_host) return NULL;
  if (!same) return "a redirect to another host or port is not followed with the profile";
  if (t->exchange->reply.code < 307) return "a redirect requires a GET without the profile";
  return NULL;
}

/* Resolves the Location header of a redirect to the URL `next`. */
static pprofc_status transfer_resolve(struct transfer *t, struct url *next) {
  struct exchange *exchange = t->exchange;
  pprofc_error *error = &exchange->error;
  if (++t->redirects >= REDIRECTS_MAX)
    return error_set(error, PPROFC_E_IO, "stopped after %d redirects", REDIRECTS_MAX);
  pprofc_str location = arena_str(exchange->arena, buffer_str(&exchange->reply.location));
  pprofc_status status =
      location.data ? url_resolve(exchange->arena, &t->url, location, next) : PPROFC_E_NOMEM;
  if (status == PPROFC_E_FORMAT || (status == PPROFC_OK && !next->host.size))
    return error_set(error, PPROFC_E_IO, "the redirect has a malformed Location");
  return status == PPROFC_OK ? status : error_nomem(error);
}

/* Follows a redirect. On failure, stores the error and returns false. */
static bool transfer_follow(struct transfer *t) {
  struct exchange *exchange = t->exchange;
  struct url next;
  pprofc_status status = transfer_resolve(t, &next);
  bool same = status == PPROFC_OK && transfer_same_host(&t->url, &next);
  const char *refusal = status == PPROFC_OK ? transfer_refusal(t, &next, same) : NULL;
  if (refusal)
    status = error_set(&exchange->error, PPROFC_E_IO, "%s: %.*s://%.*s", refusal,
                       STR_ARG(next.scheme), STR_ARG(next.host));
  if (status != PPROFC_OK) {
    transfer_fail(t, status);
    return false;
  }
  t->post = t->post && exchange->reply.code >= 307;
  t->home = t->home && same;
  t->url = next;
  exchange->redirected = true;
  return transfer_start(t);
}

/* Checks that the body did not exceed the size limit or the available memory. */
static pprofc_status transfer_check_body(const struct transfer *t) {
  const struct buffer *body = &t->exchange->reply.body;
  if (t->too_large)
    return error_set(&t->exchange->error, PPROFC_E_LIMIT, "the reply has more than %zu bytes%s",
                     body->ceiling, t->exchange->request ? "" : " (raise the limit input_bytes)");
  return body->failed ? error_nomem(&t->exchange->error) : PPROFC_OK;
}

/* Ends a request to an API, and stores the result in the exchange. */
static void transfer_end_request(struct transfer *t, CURLcode code) {
  struct reply *reply = &t->exchange->reply;
  double connected = 0;
  t->client->curl.easy_getinfo(t->easy, CURLINFO_PRETRANSFER_TIME, &connected);
  reply->sent = connected > 0;
  reply->refused = code == CURLE_PEER_FAILED_VERIFICATION;
  if (code != CURLE_OK)
    transfer_explain(t, code);
  else if (!reply->ended)
    transfer_fail(
        t, error_set(&t->exchange->error, PPROFC_E_IO, "the reply ended within its headers"));
}

/* Ends a request. Returns true if the transfer continues because of a redirect. */
static bool transfer_end(struct transfer *t, CURLcode code) {
  struct exchange *exchange = t->exchange;
  struct reply *reply = &exchange->reply;
  t->client->curl.multi_remove_handle(t->client->multi, t->easy);
  t->running = false;
  exchange->final = t->url;
  pprofc_status status = transfer_check_body(t);
  if (status != PPROFC_OK) {
    transfer_fail(t, status);
    return false;
  }
  if (exchange->request) {
    transfer_end_request(t, code);
    return false;
  }
  if (reply_is_redirect(reply)) return transfer_follow(t);
  if (code != CURLE_OK && (reply->code == 0 || reply->code == 200)) {
    transfer_explain(t, code);
    return false;
  }
  status = reply_unpack(reply, t->client->options.mem, t->client->options.limits, &exchange->error);
  if (reply->code != 200) status = reply_error(reply, &exchange->error);
  transfer_fail(t, status);
  return false;
}

/* ---- parallel transfers ------------------------------ */

/* Waits until all transfers end, are cancelled, or exceed the budget's time limit. */
static void client_wait(struct client *client, size_t running) {
  while (running) {
    int active, left;
    CURLMsg *message;
    client->curl.multi_perform(client->multi, &active);
    while ((message = client->curl.multi_info_read(client->multi, &left))) {
      if (message->msg != CURLMSG_DONE) continue;
      /* Read the code before the handle is removed, because removing the handle frees the message.
       */
      CURLcode code = message->data.result;
      struct transfer *t = NULL;
      client->curl.easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &t);
      if (!transfer_end(t, code)) running--;
    }
    if (!running || budget_stopped(client->options.mem)) return;
    client->curl.multi_poll(client->multi, NULL, 0, POLL_MS, NULL);
  }
}

/* Cancels a transfer that still runs. Does not wait for the lookup of a host name. */
static void transfer_stop(struct transfer *t) {
#if LIBCURL_VERSION_NUM >= 0x075700
  (void)SET(CURLOPT_QUICK_EXIT, 1L);
#endif
  t->client->curl.multi_remove_handle(t->client->multi, t->easy);
  t->running = false;
  transfer_fail(t, error_set(&t->exchange->error, PPROFC_E_CANCELLED, "the request was cancelled"));
}

/* Sets the error of a request that the client could not start. */
static void client_refuse(const struct client *client, struct exchange *exchange) {
  exchange->status = client->status != PPROFC_OK ? client->status : PPROFC_E_NOMEM;
  exchange->error = client->error;
  if (client->status == PPROFC_OK) error_nomem(&exchange->error);
}

static bool client_begin(struct client *client, struct exchange *exchange, struct transfer *t) {
  uint64_t most = exchange->request ? exchange->request->most : client->options.limits->input_bytes;
  *t = (struct transfer){.client = client,
                         .exchange = exchange,
                         .url = *exchange->url,
                         .post = exchange->post,
                         .home = true,
                         .deadline = system_milliseconds() + exchange->limit_ms};
  exchange->status = PPROFC_OK;
  exchange->error = (pprofc_error){PPROFC_OK, PPROFC_NO_OFFSET, ""};
  exchange->final = *exchange->url;
  exchange->redirected = false;
  reply_init(&exchange->reply, client->options.mem,
             most > SIZE_MAX / 4 ? SIZE_MAX / 4 : (size_t)most);
  exchange->reply.getdate = client->curl.getdate;
  if (client->status == PPROFC_OK) t->easy = client->curl.easy_init();
  if (!t->easy) {
    client_refuse(client, exchange);
    return false;
  }
  return transfer_start(t);
}

void client_run(struct client *client, struct exchange *items, size_t count) {
  struct transfer *transfers = mem_zero_array(&mem_default, count, sizeof *transfers);
  size_t running = 0;
  for (size_t i = 0; i < count; i++) {
    if (transfers)
      running += client_begin(client, &items[i], &transfers[i]);
    else
      client_refuse(client, &items[i]);
  }
  client_wait(client, running);
  for (size_t i = 0; transfers && i < count; i++) {
    if (transfers[i].running) transfer_stop(&transfers[i]);
    if (transfers[i].easy) client->curl.easy_cleanup(transfers[i].easy);
    if (transfers[i].headers) client->curl.slist_free_all(transfers[i].headers);
  }
  mem_free(&mem_default, transfers, count, sizeof *transfers);
}

struct client *client_open(const struct client_options *options) {
  struct client *client = mem_zero_array(&mem_default, 1, sizeof *client);
  if (!client) return NULL;
  client->options = *options;
  proxy_from_environment(&client->proxies, options->any_proxy);
  client->status = libcurl_load(&client->curl, &client->error);
  if (client->status == PPROFC_OK) client->status = tls_check(&options->tls, &client->error);
  if (client->status == PPROFC_OK) client->multi = client->curl.multi_init();
  if (client->status == PPROFC_OK && !client->multi) client->status = error_nomem(&client->error);
  return client;
}

void client_close(struct client *client) {
  if (!client) return;
  if (client->multi) client->curl.multi_cleanup(client->multi);
  mem_free(&mem_default, client, 1, sizeof *client);
}

pprofc_status client_status(const struct client *client, pprofc_error *error) {
  if (error && client->status != PPROFC_OK) *error = client->error;
  return client->status;
}

#else

struct client {
  struct client_options options;
};

pprofc_status client_status(const struct client *client, pprofc_error *error) {
  return error_set(error, PPROFC_E_UNSUPPORTED,
                   "this %s was built without libcurl; install the package "
                   "libcurl4-openssl-dev and build it again",
                   client->options.program);
}

struct client *client_open(const struct client_options *options) {
  struct client *client = mem_zero_array(&mem_default, 1, sizeof *client);
  if (client) client->options = *options;
  return client;
}

void client_close(struct client *client) {
  mem_free(&mem_default, client, 1, sizeof *client);
}

void client_run(struct client *client, struct exchange *items, size_t count) {
  for (size_t i = 0; i < count; i++) {
    struct exchange *exchange = &items[i];
    exchange->final = *exchange->url;
    reply_init(&exchange->reply, client->options.mem, 1);
    exchange->status = client_status(client, &exchange->error);
  }
}

#endif
