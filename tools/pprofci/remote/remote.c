/* Implements credentials, addresses, retries, and messages about refused requests. */
#include "remote/remote.h"

#include "commands.h"
#include "core/json_tree.h"
#include "otlp_export.pb-c.h"

#define TRIES    4
#define SAID_MAX 300

const struct remote_kind remote_kinds[REMOTE_KINDS] = {
    {"cpu", "profile", true, "process_cpu", "process_cpu:cpu:nanoseconds:cpu:nanoseconds", "cpu"},
    {"heap", "heap?gc=1", false, "memory", "memory:inuse_space:bytes:space:bytes", "inuse_space"},
    {"goroutine", "goroutine", false, "goroutines", "goroutines:goroutine:count:goroutine:count",
     "goroutine"},
    {"mutex", "mutex", true, "mutex", "mutex:delay:nanoseconds:contentions:count", "delay"},
    {"block", "block", true, "block", "block:delay:nanoseconds:contentions:count", "delay"},
};

void remote_add(struct remote_client *remote, const char *name, const char *value,
                const char *where) {
  struct buffer line = ci_buffer();
  buffer_printf(&line, "%s: %s", name, value);
  ci_need(headers_add(&remote->headers, buffer_take(&line, &remote->arena), where, &ci_error));
}

void remote_add_secret(struct remote_client *remote, const char *secret) {
  if (!*secret) return;
  if (remote->secret_count == REMOTE_SECRETS) ci_fail("too many headers with secrets");
  remote->secrets[remote->secret_count++] = secret;
}

static void remote_add_basic(struct remote_client *remote, const char *user, const char *password) {
  struct buffer plain = ci_buffer(), line = ci_buffer();
  buffer_printf(&plain, "%s:%s", user, password);
  buffer_add_text(&line, "Basic ");
  base64_put(&line, (const uint8_t *)plain.data, plain.size);
  buffer_free(&plain);
  const char *basic = buffer_take(&line, &remote->arena).data;
  remote_add(remote, "Authorization", basic, "PYROSCOPE_USER");
}

static void remote_identify(struct remote_client *remote) {
  const char *token = ci_variable("PYROSCOPE_TOKEN", ""), *user = ci_variable("PYROSCOPE_USER", "");
  const char *tenant = ci_variable("PYROSCOPE_TENANT", "");
  char bearer[4096];
  remote_add_secret(remote, token);
  if (*tenant) remote_add(remote, "X-Scope-OrgID", tenant, "PYROSCOPE_TENANT");
  if (!*token) return;
  if (*user) {
    remote_add_basic(remote, user, token);
    return;
  }
  if (snprintf(bearer, sizeof bearer, "Bearer %s", token) >= (int)sizeof bearer)
    ci_fail("PYROSCOPE_TOKEN has invalid characters");
  remote_add(remote, "Authorization", bearer, "PYROSCOPE_TOKEN");
}

void remote_open(struct remote_client *remote, const char *type, bool is_pyroscope) {
  *remote = (struct remote_client){.arena = ci_arena(), .is_pyroscope = is_pyroscope};
  headers_init(&remote->headers, &remote->arena);
  pprofc_limits_init(&remote->limits);
  if (is_pyroscope) remote_identify(remote);
  if (type) remote_add(remote, "Content-Type", type, "Content-Type");
  struct client_options options = {.mem = &mem_default,
                                   .limits = &remote->limits,
                                   .tls = {"", "", ""},
                                   .headers = &remote->headers,
                                   .program = "pprofci"};
  remote->client = client_open(&options);
  if (!remote->client) ci_fail("out of memory");
}

void remote_close(struct remote_client *remote) {
  client_close(remote->client);
  headers_free(&remote->headers);
  arena_free(&remote->arena);
}

void remote_put_server(struct buffer *out, const char *server) {
  pprofc_str typed = str_of(server);
  if (str_find(typed, STR("://")) == typed.size) buffer_add_text(out, "http://");
  while (str_ends(typed, STR("/"))) typed.size--;
  buffer_add_str(out, typed);
}

void remote_address(struct remote_client *remote, const char *server, const char *path,
                    struct url *url) {
  struct buffer text = ci_buffer();
  remote_put_server(&text, server);
  buffer_add_text(&text, path);
  pprofc_str whole = buffer_take(&text, &remote->arena);
  if (url_parse(&remote->arena, whole, url) != PPROFC_OK || !url->host.size)
    ci_fail("the address of the server is not a URL");
  if (url->has_user && remote->is_pyroscope)
    ci_fail("the address of the server has a user name in it; set PYROSCOPE_USER instead");
  if (remote->secret_count && !str_equal(url->scheme, STR("https")) && !url_is_local(url->host))
    ci_fail("the address of the server is not https: the token would be sent unencrypted");
}

/* Returns the message of a google.rpc.Status, which OTLP servers send, or "". */
static pprofc_str remote_status_message(struct arena *arena, pprofc_str body) {
  OtlpExport__Status *status =
      otlp_export__status__unpack(NULL, body.size, (const uint8_t *)body.data);
  pprofc_str message = status ? arena_str(arena, str_of(status->message)) : STR("");
  otlp_export__status__free_unpacked(status, NULL);
  return utf8_valid(message) ? message : STR("");
}

/* Returns the message of a reply. The message is a member of its JSON, its google.rpc.Status, or
 * its first line of plain text. */
static pprofc_str remote_said(struct arena *arena, const struct reply *reply) {
  struct node *root = NULL;
  pprofc_str body = str_trim(reply_content(reply)), line = STR("");
  if (str_starts(body, STR("{"))) {
    if (json_tree_parse(arena, NULL, body, &root, NULL) == PPROFC_OK)
      line = node_text(root, "message");
  } else if (reply->plain_text) {
    str_next_line(&body, &line);
  } else {
    line = remote_status_message(arena, body);
  }
  return str_slice(line, 0, SAID_MAX);
}

bool remote_has_secret(const struct remote_client *remote, pprofc_str said) {
  for (size_t i = 0; i < remote->secret_count; i++)
    if (str_find(said, str_of(remote->secrets[i])) < said.size) return true;
  return false;
}

void remote_fail(const struct remote_client *remote, const struct exchange *exchange,
                 const char *shown) {
  static const struct {
    int code;
    const char *hint;
  } hints[] = {
      {401, " (PYROSCOPE_TOKEN, and with basic authentication PYROSCOPE_USER, identify you)"},
      {404, " (is this the address of the server, without a path?)"},
      {413, " (the profile is larger than the server takes)"}};
  struct arena arena = ci_arena();
  const char *hint = "";
  pprofc_str said = exchange->reply.code ? remote_said(&arena, &exchange->reply) : STR("");
  if (remote_has_secret(remote, said)) said = STR("");
  for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
    if (hints[i].code == exchange->reply.code) hint = hints[i].hint;
  ci_fail("%s: %.600s%s%.*s%s", shown, exchange->error.message, said.size ? ": " : "",
          STR_ARG(said), hint);
}

/* True if the server is busy or silent, so that the request may be repeated. A repetition is safe,
 * because the server counts a repeated profile id only once. */
static bool remote_may_try(const struct exchange *exchange) {
  int code = exchange->reply.code;
  return exchange->status == PPROFC_E_IO && (!code || retry_helps(code));
}

void remote_post(struct remote_client *remote, const struct url *url, pprofc_str body,
                 int64_t limit_ms, struct reply *reply, const char *shown) {
  struct retry retry = {.most = TRIES, .first_ms = 1000, .left_ms = INT64_MAX};
  for (;;) {
    struct exchange exchange = {.url = url,
                                .post = true,
                                .body = body,
                                .own_host = true,
                                .limit_ms = limit_ms,
                                .arena = &remote->arena};
    client_run(remote->client, &exchange, 1);
    if (exchange.status == PPROFC_OK) {
      *reply = exchange.reply;
      return;
    }
    bool again = remote_may_try(&exchange) && retry_wait(&retry, -1);
    if (!again && exchange.status == PPROFC_E_NOMEM) ci_fail("out of memory");
    if (!again) remote_fail(remote, &exchange, shown);
    reply_free(&exchange.reply);
  }
}
