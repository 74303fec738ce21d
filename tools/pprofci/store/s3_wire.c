/* Sends one signed request, with retries. */
#include "store/store.h"

#include "run/files.h"

#define S3_TRIES   5
#define S3_TIMEOUT 300 /* time limit of a request in seconds */
#define S3_PART    ((size_t)64 << 20)
/* Minimum size in bytes of a part of a multipart upload, because S3 rejects smaller parts. */
#define S3_MIN ((size_t)5 << 20)

static bool s3_is_name(pprofc_str name) {
  return name.size >= 3 && name.size <= 63 && *name.data != '.' && *name.data != '-' &&
         text_is_of(name, "abcdefghijklmnopqrstuvwxyz0123456789-.");
}

static void s3_read_where(struct s3_wire *w, const char *where) {
  pprofc_str rest = str_of(where + sizeof "s3://" - 1);
  size_t slash = str_find_char(rest, '/');
  pprofc_str bucket = str_slice(rest, 0, slash), prefix = str_slice(rest, slash + 1, rest.size);
  if (!s3_is_name(bucket)) ci_fail("'%s' is not s3://BUCKET/PREFIX", where);
  while (prefix.size && prefix.data[prefix.size - 1] == '/') prefix.size--;
  w->bucket = text_keep(w->arena, bucket);
  w->prefix = prefix.size ? text_printf(w->arena, "%.*s/", STR_ARG(prefix)) : "";
}

static void s3_check_server(const struct s3_wire *w, const char *given) {
  bool secure = strcmp(w->scheme, "https") == 0;
  bool known = secure || strcmp(w->scheme, "http") == 0;
  if (!known || !*w->host || strpbrk(w->host, "@?#\r\n "))
    ci_fail("AWS_ENDPOINT_URL: '%s' is not an http:// or https:// address of a server", given);
  if (!secure && !url_is_local(str_of(w->host)))
    ci_fail("AWS_ENDPOINT_URL: '%s' is not https: others could read and change what is stored",
            given);
}

/* Parses the address of a server, such as "https://minio.example:9000". */
static void s3_read_server(struct s3_wire *w) {
  const char *given = ci_variable("AWS_ENDPOINT_URL_S3", ci_variable("AWS_ENDPOINT_URL", ""));
  pprofc_str rest = str_of(given);
  w->scheme = "https";
  w->host = text_printf(w->arena, "s3.%s.amazonaws.com", w->scope.region);
  if (*given) {
    size_t colon = str_find(rest, STR("://"));
    w->scheme = text_keep(w->arena, str_slice(rest, 0, colon));
    rest = str_slice(rest, colon + 3, rest.size);
    w->host = text_keep(w->arena, str_slice(rest, 0, str_find_char(rest, '/')));
  }
  s3_check_server(w, given);
  const char *style = ci_variable("PPROFCI_S3_STYLE", "");
  /* Put a bucket whose name has dots into the path, because the certificate for *.s3.amazonaws.com
   * does not match a host name with such a bucket. */
  w->in_path = *given || strchr(w->bucket, '.');
  if (strcmp(style, "path") == 0)
    w->in_path = true;
  else if (strcmp(style, "virtual") == 0)
    w->in_path = false;
  else if (*style)
    ci_fail("PPROFCI_S3_STYLE must be path or virtual, not '%s'", style);
}

static void s3_read_credentials(struct s3_wire *w) {
  w->scope = (struct sigv4_scope){
      .id = ci_variable("AWS_ACCESS_KEY_ID", ""),
      .secret = ci_variable("AWS_SECRET_ACCESS_KEY", ""),
      .region = ci_variable("AWS_REGION", ci_variable("AWS_DEFAULT_REGION", "us-east-1")),
      .service = "s3"};
  w->token = ci_variable("AWS_SESSION_TOKEN", "");
  const char *const texts[] = {w->scope.id, w->scope.secret, w->scope.region, w->token};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if (strpbrk(texts[i], "\r\n \t")) ci_fail("a variable AWS_... of the credentials has blanks");
  if (!*w->scope.id) ci_fail("AWS_ACCESS_KEY_ID is not set");
  if (!*w->scope.secret) ci_fail("AWS_SECRET_ACCESS_KEY is not set");
}

static void s3_read_part(struct s3_wire *w) {
  int64_t bytes = (int64_t)S3_PART;
  const char *text = ci_variable("PPROFCI_S3_PART", "");
  if (*text && (!str_parse_int(str_of(text), 10, &bytes) || bytes < (int64_t)S3_MIN))
    ci_fail("PPROFCI_S3_PART: '%s' is not %zu bytes or more", text, S3_MIN);
  w->part = (size_t)bytes;
}

struct s3_wire *s3_wire_open(struct arena *arena, const char *where) {
  struct s3_wire *w = arena_zero_array(arena, 1, sizeof *w);
  w->arena = arena;
  s3_read_where(w, where);
  s3_read_credentials(w);
  s3_read_server(w);
  s3_read_part(w);
  ci_need(request_open(&w->client, &ci_error));
  return w;
}

static const char *s3_path(const struct s3_wire *w, const struct s3_request *request,
                           struct arena *arena) {
  const char *key = request->key ? text_printf(arena, "%s%s", w->prefix, request->key) : "";
  key = text_url(arena, str_of(key), "/");
  if (!w->in_path) return text_printf(arena, "/%s", key);
  return text_printf(arena, "/%s%s%s", w->bucket, request->key ? "/" : "", key);
}

/* Returns the signature of a request. `payload` is the hash of its body. */
static const char *s3_sign(const struct s3_wire *w, const struct s3_request *request,
                           const char *host, const char *path, const char *payload,
                           struct arena *arena) {
  struct buffer signature = ci_buffer();
  struct sigv4_header headers[5] = {{"host", host}};
  size_t count = 1;
  if (request->once) headers[count++] = (struct sigv4_header){"if-none-match", "*"};
  headers[count++] = (struct sigv4_header){"x-amz-content-sha256", payload};
  headers[count++] = (struct sigv4_header){"x-amz-date", w->scope.time};
  if (*w->token) headers[count++] = (struct sigv4_header){"x-amz-security-token", w->token};
  const struct sigv4_request what = {.method = request->method,
                                     .path = path,
                                     .query = request->query,
                                     .headers = headers,
                                     .header_count = count,
                                     .payload = payload};
  sigv4_sign(&signature, &w->scope, &what);
  return buffer_take(&signature, arena).data;
}

static pprofc_status s3_send_once(struct s3_wire *w, const struct s3_request *request,
                                  struct reply *reply, pprofc_error *error) {
  struct arena arena = ci_arena();
  char payload[SHA256_HEX + 1];
  const char *headers[9];
  size_t count = 0;
  sigv4_set_time(&w->scope, (int64_t)time(NULL));
  sha256_hex_of(request->body, payload);
  const char *path = s3_path(w, request, &arena), *host = w->host;
  if (!w->in_path) host = text_printf(&arena, "%s.%s", w->bucket, w->host);
  const char *url = text_printf(&arena, "%s://%s%s%s%s", w->scheme, host, path,
                                *request->query ? "?" : "", request->query);
  headers[count++] =
      text_printf(&arena, "Authorization: %s", s3_sign(w, request, host, path, payload, &arena));
  headers[count++] = text_printf(&arena, "x-amz-date: %s", w->scope.time);
  headers[count++] = text_printf(&arena, "x-amz-content-sha256: %s", payload);
  headers[count++] = "Expect:";
  headers[count++] = "Content-Type: application/octet-stream";
  if (request->once) headers[count++] = "If-None-Match: *";
  if (*w->token) headers[count++] = text_printf(&arena, "x-amz-security-token: %s", w->token);
  /* Send Content-Length, except for GET and HEAD, which have no body. */
  if (!request->body.size && !strchr("GH", *request->method))
    headers[count++] = "Content-Length: 0";
  headers[count] = NULL;
  pprofc_status status = request_send(w->client, request->method, url, headers, request->body,
                                      S3_TIMEOUT, reply, error);
  arena_free(&arena);
  return status;
}

/* Fails if a reply may be incomplete. A complete reply has a length or is sent in chunks, and its
 * XML document ends with its root element. Also fails for a reply with status 200 that contains an
 * error. */
static pprofc_status s3_check_whole(const struct s3_request *request, const struct reply *reply,
                                    pprofc_error *error) {
  char end[64];
  bool bare = reply->code == 204 || reply->code == 304 || strcmp(request->method, "HEAD") == 0;
  pprofc_str body = str_trim(buffer_str(&reply->body));
  if (!bare && !reply->framed)
    return error_set(error, PPROFC_E_IO, "the reply has neither a length nor chunks");
  if (reply->code != 200 || !request->root) return PPROFC_OK;
  pprofc_str failed = xml_first(xml_first(body, "Error"), "Code");
  if (failed.size)
    return error_set(error, PPROFC_E_IO, "200 %.*s", STR_ARG(str_slice(failed, 0, 100)));
  snprintf(end, sizeof end, "</%s>", request->root);
  if (str_ends(body, str_of(end))) return PPROFC_OK;
  return error_set(error, PPROFC_E_IO, "the reply does not end with %s", end);
}

static bool s3_is_passing(pprofc_status status, const struct reply *reply) {
  if (status != PPROFC_OK) return status == PPROFC_E_IO && !reply->refused;
  return reply->code == 409 || retry_helps(reply->code);
}

/* Returns Retry-After in milliseconds, at most ten seconds, or -1. */
static int64_t s3_wait_ms(const struct reply *reply) {
  if (reply->retry_after <= 0) return -1;
  return 1000 * (reply->retry_after < 10 ? reply->retry_after : 10);
}

pprofc_status s3_wire_send(struct s3_wire *w, const struct s3_request *request, struct reply *reply,
                           pprofc_error *error) {
  struct retry retry = {.most = S3_TRIES, .first_ms = 200, .left_ms = INT64_MAX};
  pprofc_status status;
  request_reply_init(reply);
  reply->body.ceiling = (size_t)2 << 30;
  do {
    status = s3_send_once(w, request, reply, error);
    if (status == PPROFC_OK) status = s3_check_whole(request, reply, error);
  } while (s3_is_passing(status, reply) && retry_wait(&retry, s3_wait_ms(reply)));
  if (status != PPROFC_OK)
    error_prefix(error, "%s s3://%s/%s%s: ", request->method, w->bucket, w->prefix,
                 request->key ? request->key : "");
  return status;
}

static const struct {
  const char *code, *hint;
} s3_hints[] = {
    {"SignatureDoesNotMatch", "is AWS_SECRET_ACCESS_KEY right?"},
    {"InvalidAccessKeyId", "is AWS_ACCESS_KEY_ID right?"},
    {"ExpiredToken", "the credentials are no longer valid"},
    {"InvalidToken", "is AWS_SESSION_TOKEN right?"},
    {"AccessDenied", "the credentials may not do this"},
    {"PermanentRedirect", "the bucket is in another region: set AWS_REGION"},
    {"AuthorizationHeaderMalformed", "is AWS_REGION right?"},
    {"NoSuchBucket", "the bucket does not exist"},
    {"SlowDown", "the server limited the rate of requests five times"},
};

/* Appends the difference between this machine's clock and the server's clock. */
static void s3_put_skew(struct buffer *out, const struct reply *reply) {
  int64_t seconds = reply->date ? (int64_t)time(NULL) - reply->date : 0;
  if (seconds > 0)
    buffer_printf(out, " (the clock of this machine is %lld seconds fast)", (long long)seconds);
  else if (seconds < 0)
    buffer_printf(out, " (the clock of this machine is %lld seconds slow)", (long long)-seconds);
}

static void s3_put_hint(struct buffer *out, const struct reply *reply, pprofc_str code) {
  if (str_equal(code, STR("RequestTimeTooSkewed"))) {
    s3_put_skew(out, reply);
    return;
  }
  for (size_t i = 0; i < sizeof s3_hints / sizeof *s3_hints; i++)
    if (str_equal(code, str_of(s3_hints[i].code))) {
      buffer_printf(out, " (%s)", s3_hints[i].hint);
      return;
    }
  if (reply->code == 301 || reply->code == 307)
    buffer_add_text(out, " (the bucket is elsewhere: set AWS_REGION or AWS_ENDPOINT_URL)");
}

pprofc_status s3_wire_fail(const struct s3_wire *w, const struct s3_request *request,
                           const struct reply *reply, pprofc_error *error) {
  struct buffer text = ci_buffer();
  pprofc_str body = buffer_str(&reply->body), code = xml_first(body, "Code");
  buffer_printf(&text, "%s s3://%s/%s%s: %d", request->method, w->bucket, w->prefix,
                request->key ? request->key : "", reply->code);
  if (code.size) buffer_printf(&text, " %.*s", STR_ARG(str_slice(code, 0, 100)));
  s3_put_hint(&text, reply, code);
  bool absent = reply->code == 404 && !str_equal(code, STR("NoSuchBucket"));
  pprofc_status status = absent ? PPROFC_E_NO_MATCH : PPROFC_E_IO;
  error_set(error, status, "%.*s", STR_ARG(buffer_str(&text)));
  buffer_free(&text);
  return status;
}

bool xml_next(pprofc_str *rest, const char *name, pprofc_str *content) {
  char open[64], close[64];
  snprintf(open, sizeof open, "<%s>", name);
  snprintf(close, sizeof close, "</%s>", name);
  size_t begin = str_find(*rest, str_of(open));
  if (begin == rest->size) return false;
  pprofc_str after = str_slice(*rest, begin + strlen(open), rest->size);
  size_t end = str_find(after, str_of(close));
  if (end == after.size) return false;
  *content = str_slice(after, 0, end);
  *rest = str_slice(after, end + strlen(close), after.size);
  return true;
}

pprofc_str xml_first(pprofc_str text, const char *name) {
  pprofc_str content;
  return xml_next(&text, name, &content) ? content : STR("");
}
