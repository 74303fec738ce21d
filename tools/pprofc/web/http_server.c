/* Serves HTTP with libmicrohttpd. One thread handles all connections. Another thread watches for
 * slow clients. */
#include "web/http_server.h"

#include "core/library.h"

#ifndef HAVE_LIBMICROHTTPD

pprofc_status http_server_start(const struct http_settings *settings, struct http_server **server,
                                pprofc_error *error) {
  (void)settings;
  (void)server;
  return error_set(error, PPROFC_E_UNSUPPORTED,
                   "-http needs libmicrohttpd, which this program was built without; install the "
                   "package libmicrohttpd-dev and build again");
}

void http_server_stop(struct http_server *server) {
  (void)server;
}

void http_answer(struct http_exchange *exchange, struct web_reply *reply) {
  (void)exchange;
  reply_release(reply);
}

#else

#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* Maximum number of connections. If there are SERVER_CROWD or more, the server closes the
 * connections that have been idle longest. Slow clients then cannot block other clients. */
#define SERVER_CONNECTIONS 512u
#define SERVER_CROWD       256u
#define SERVER_PER_ADDRESS 16u
/* Time limit in seconds. A client must send its headers, or read more of a reply, within this time.
 */
#define SERVER_IDLE_S      10u
#define SERVER_BODY_MS     60000 /* time limit in milliseconds for a client to send a body */
/* Interval in milliseconds between checks for slow clients. */
#define SERVER_LOOK_MS     100

#if MHD_VERSION >= 0x00097002
typedef enum MHD_Result mhd_result;
#else
typedef int mhd_result;
#endif

#define SERVER_FUNCTIONS(X)                                                                        \
  X(MHD_, start_daemon)                                                                            \
  X(MHD_, stop_daemon)                                                                             \
  X(MHD_, queue_response)                                                                          \
  X(MHD_, create_response_from_buffer_with_free_callback_cls)                                      \
  X(MHD_, add_response_header)                                                                     \
  X(MHD_, destroy_response)                                                                        \
  X(MHD_, get_connection_values_n)                                                                 \
  X(MHD_, get_connection_info)                                                                     \
  X(MHD_, suspend_connection)                                                                      \
  X(MHD_, resume_connection)

static struct libmicrohttpd { SERVER_FUNCTIONS(LIBRARY_FIELD) } mhd;

static pprofc_status server_load(struct libmicrohttpd *library, pprofc_error *error) {
  const struct library_function functions[] = {SERVER_FUNCTIONS(LIBRARY_ENTRY)};
  return library_load(library_names(LIBRARY_MICROHTTPD, SYSTEM_HERE), functions,
                      sizeof functions / sizeof *functions, error);
}

struct http_connection {
  struct http_connection *next, **link;
  int fd;
  int64_t since;                 /* time when the wait for a request began, in milliseconds */
  int64_t body_since;            /* start of the wait for a body in milliseconds; 0: no wait */
  bool busy;                     /* true while the server computes an answer */
  struct http_exchange *waiting; /* exchange while another thread computes its answer, else NULL */
};

struct http_server {
  struct MHD_Daemon *daemon;
  struct http_settings settings;
  pthread_mutex_t lock; /* lock for the list of connections */
  struct http_connection *connections;
  size_t connection_count;
  pthread_t watcher;
  atomic_bool stopping;
};

struct http_exchange {
  struct http_server *server;
  struct MHD_Connection *connection;
  struct http_connection *of;
  char *target; /* request target as the client sent it */
  struct buffer form;
  bool begun;
  struct http_request request;
  struct web_reply *reply;
};

static void server_open_connection(struct http_server *s, struct MHD_Connection *connection,
                                   void **context) {
  struct http_connection *c = mem_zero_array(&mem_default, 1, sizeof *c);
  const union MHD_ConnectionInfo *info =
      mhd.get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  *context = c;
  if (!c) return;
  c->fd = info ? info->connect_fd : -1;
  c->since = system_milliseconds();
  pthread_mutex_lock(&s->lock);
  c->next = s->connections;
  c->link = &s->connections;
  if (c->next) c->next->link = &c->next;
  s->connections = c;
  s->connection_count++;
  pthread_mutex_unlock(&s->lock);
}

static void server_close_connection(struct http_server *s, void **context) {
  struct http_connection *c = *context;
  if (!c) return;
  pthread_mutex_lock(&s->lock);
  *c->link = c->next;
  if (c->next) c->next->link = c->link;
  s->connection_count--;
  pthread_mutex_unlock(&s->lock);
  mem_free(&mem_default, c, 1, sizeof *c);
  *context = NULL;
}

static void server_notify(void *server, struct MHD_Connection *connection, void **context,
                          enum MHD_ConnectionNotificationCode code) {
  if (code == MHD_CONNECTION_NOTIFY_STARTED)
    server_open_connection(server, connection, context);
  else
    server_close_connection(server, context);
}

/* Closes the connections of slow clients. The caller must hold the lock, so that no other thread
 * closes a socket and reuses its number. */
static void server_close_slow(struct http_server *s, int64_t now) {
  for (struct http_connection *c = s->connections; c; c = c->next) {
    bool late = c->body_since && now - c->body_since > SERVER_BODY_MS;
    bool idle = !c->busy && now - c->since > SERVER_IDLE_S * 1000;
    if (late || idle) shutdown(c->fd, SHUT_RDWR);
  }
}

/* If there are SERVER_CROWD connections or more, closes the connection that has been idle longest.
 * Also closes the connections that have been idle for about as long. */
static void server_thin_out(struct http_server *s, int64_t now) {
  int64_t oldest = now;
  if (s->connection_count < SERVER_CROWD) return;
  for (struct http_connection *c = s->connections; c; c = c->next)
    if (!c->busy && c->since < oldest) oldest = c->since;
  if (oldest + 3 * SERVER_LOOK_MS > now) return;
  for (struct http_connection *c = s->connections; c; c = c->next)
    if (!c->busy && c->since <= oldest + 2 * SERVER_LOOK_MS) shutdown(c->fd, SHUT_RDWR);
}

/* Calls `gone` for each client that closed its connection before its answer was ready. */
static void server_find_gone(struct http_server *s) {
  for (struct http_connection *c = s->connections; c; c = c->next) {
    struct pollfd state = {c->fd, POLLRDHUP, 0};
    if (!c->waiting || poll(&state, 1, 0) <= 0) continue;
    struct http_exchange *exchange = c->waiting;
    c->waiting = NULL;
    s->settings.handler.gone(s->settings.handler.context, exchange);
  }
}

static void *server_watch(void *server) {
  struct http_server *s = server;
  while (!atomic_load(&s->stopping)) {
    pthread_mutex_lock(&s->lock);
    server_find_gone(s);
    server_close_slow(s, system_milliseconds());
    server_thin_out(s, system_milliseconds());
    pthread_mutex_unlock(&s->lock);
    nanosleep(&(struct timespec){0, SERVER_LOOK_MS * 1000000L}, NULL);
  }
  return NULL;
}

#define SERVER_REFUSED 403 /* HTTP status of a rejection */

/* Security headers of every reply. Pages run no inline script and load nothing from other sites.
 * Other sites cannot embed a page in a frame. They can embed only the reply with the status
 * SERVER_REFUSED. */
static const struct {
  /* name and value of a header, and its value in a rejection (NULL: omitted) */
  const char *name, *value, *refused;
} server_headers[] = {
    {"Content-Security-Policy",
     "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
     "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
     "default-src 'none'; base-uri 'none'; form-action 'none'"},
    {"X-Content-Type-Options", "nosniff", "nosniff"},
    {"Referrer-Policy", "no-referrer", "no-referrer"},
    {"Cross-Origin-Resource-Policy", "same-origin", "same-origin"},
    {"Cross-Origin-Opener-Policy", "same-origin", "same-origin"},
    {"X-Frame-Options", "DENY", NULL},
};

static void server_release_reply(void *reply) {
  reply_release(reply);
}

static bool server_add_own_headers(struct MHD_Response *response, bool refused) {
  bool ok = true;
  for (size_t i = 0; i < sizeof server_headers / sizeof *server_headers; i++) {
    const char *value = refused ? server_headers[i].refused : server_headers[i].value;
    if (value) ok = ok && mhd.add_response_header(response, server_headers[i].name, value);
  }
  return ok;
}

static bool server_add_headers(struct MHD_Response *response, const struct web_reply *reply) {
  bool cached = false, ok = server_add_own_headers(response, reply->status == SERVER_REFUSED);
  for (size_t i = 0; i < reply->header_count; i++) {
    cached = cached || strcmp(reply->headers[i].name, "Cache-Control") == 0;
    ok = ok && mhd.add_response_header(response, reply->headers[i].name, reply->headers[i].value);
  }
  if (!cached) ok = ok && mhd.add_response_header(response, "Cache-Control", "no-store");
  return ok && mhd.add_response_header(response, "Content-Type", reply->type);
}

static mhd_result server_send(struct MHD_Connection *connection, struct web_reply *reply) {
  static char nothing[1];
  if (!reply) return MHD_NO; /* out of memory: close the connection */
  void *data = reply->body.size ? reply->body.data : nothing;
  struct MHD_Response *response = mhd.create_response_from_buffer_with_free_callback_cls(
      reply->body.size, data, server_release_reply, reply);
  if (!response) {
    reply_release(reply);
    return MHD_NO;
  }
  mhd_result result = MHD_NO;
  if (server_add_headers(response, reply))
    result = mhd.queue_response(connection, reply->status, response);
  mhd.destroy_response(response);
  return result;
}

void http_answer(struct http_exchange *exchange, struct web_reply *reply) {
  struct http_server *s = exchange->server;
  pthread_mutex_lock(&s->lock);
  exchange->reply = reply ? reply : reply_text(503, "out of memory");
  if (exchange->of) exchange->of->waiting = NULL;
  pthread_mutex_unlock(&s->lock);
  mhd.resume_connection(exchange->connection);
}

struct server_head {
  struct guard_header headers[GUARD_HEADERS_MAX + 1];
  size_t count;
};

static mhd_result server_take_header(void *head, enum MHD_ValueKind kind, const char *name,
                                     size_t name_size, const char *value, size_t value_size) {
  struct server_head *h = head;
  (void)kind;
  if (h->count <= GUARD_HEADERS_MAX)
    h->headers[h->count++] = (struct guard_header){{name, name_size}, {value, value_size}};
  return MHD_YES;
}

static bool server_from_loopback(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      mhd.get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  if (!info || !info->client_addr) return false;
  if (info->client_addr->sa_family == AF_INET) {
    struct sockaddr_in address;
    memcpy(&address, info->client_addr, sizeof address);
    return ntohl(address.sin_addr.s_addr) >> 24 == 127;
  }
  struct sockaddr_in6 address;
  if (info->client_addr->sa_family != AF_INET6) return false;
  memcpy(&address, info->client_addr, sizeof address);
  return IN6_IS_ADDR_LOOPBACK(&address.sin6_addr) ||
         (IN6_IS_ADDR_V4MAPPED(&address.sin6_addr) && address.sin6_addr.s6_addr[12] == 127);
}

/* Formats the value of the Allow header, a list of methods. */
static void server_write_methods(unsigned allowed, char *out, size_t size) {
  static const struct {
    unsigned method;
    const char *names;
  } methods[] = {{GUARD_GET, "GET, HEAD"}, {GUARD_POST, "POST"}, {GUARD_DELETE, "DELETE"}};
  size_t used = 0;
  *out = '\0';
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    if (!(allowed & methods[i].method)) continue;
    int more = snprintf(out + used, size - used, used ? ", %s" : "%s", methods[i].names);
    used += (size_t)more;
  }
}

static struct web_reply *server_refuse(const struct guard_decision *d) {
  char methods[64];
  struct web_reply *reply = reply_text(d->status, d->why);
  server_write_methods(d->allowed, methods, sizeof methods);
  if (reply && d->status == 405 && *methods) reply_add_header(reply, "Allow", str_of(methods));
  return reply;
}

/* Answers a URL that has the correct token. Sets a cookie with the token, and redirects to the URL
 * without the token. */
static struct web_reply *server_enter(const struct guard *g, const struct guard_decision *d) {
  char cookie[128];
  struct buffer query;
  pprofc_str rest = d->query, pair;
  buffer_init(&query, &mem_default, 2 * GUARD_HEAD_BYTES);
  while (str_next(&rest, '&', &pair)) {
    if (str_starts(pair, STR("token=")) || !pair.size) continue;
    if (query.size) buffer_add_char(&query, '&');
    buffer_add_str(&query, pair);
  }
  snprintf(cookie, sizeof cookie, "pprofc_%u=%.*s; HttpOnly; SameSite=Strict; Path=/", g->port,
           STR_ARG(g->token));
  char *path = query.failed ? NULL : text_copy(d->path);
  struct web_reply *reply = path ? reply_redirect(302, path, buffer_str(&query)) : NULL;
  if (reply) reply_add_header(reply, "Set-Cookie", str_of(cookie));
  text_free(path);
  buffer_free(&query);
  return reply;
}

/* Opens an unnamed temporary file for the body of an upload. */
static bool server_open_body(struct http_exchange *exchange) {
  FILE *file = tmpfile();
  exchange->request.body = file ? dup(fileno(file)) : -1;
  if (file) fclose(file);
  return exchange->request.body >= 0;
}

static mhd_result server_begin(struct http_exchange *e, const char *method) {
  struct http_server *s = e->server;
  struct server_head head = {.count = 0};
  mhd.get_connection_values_n(e->connection, MHD_HEADER_KIND, server_take_header, &head);
  struct guard_request request = {.method = str_of(method),
                                  .target = str_of(e->target),
                                  .headers = head.headers,
                                  .header_count = head.count,
                                  .from_loopback = server_from_loopback(e->connection)};
  struct guard_decision d = guard_decide(s->settings.guard, &request);
  if (d.answer == GUARD_REFUSE) return server_send(e->connection, server_refuse(&d));
  if (d.answer == GUARD_ENTER)
    return server_send(e->connection, server_enter(s->settings.guard, &d));
  e->request.method = d.method;
  e->request.path = d.path;
  e->request.query = d.query;
  for (size_t i = 0; i < head.count; i++)
    if (str_equal_any_case(head.headers[i].name, STR("accept-encoding")))
      e->request.gzip = str_find(head.headers[i].value, STR("gzip")) < head.headers[i].value.size;
  bool upload = false;
  s->settings.guard->methods(d.path, &upload);
  if (d.method != GUARD_GET && upload && !server_open_body(e))
    return server_send(e->connection, reply_text(503, "cannot keep the body"));
  pthread_mutex_lock(&s->lock);
  if (e->of) {
    e->of->busy = true;
    e->of->body_since = d.method == GUARD_GET ? 0 : system_milliseconds();
  }
  pthread_mutex_unlock(&s->lock);
  return MHD_YES;
}

/* Appends received bytes to the request's body. An upload goes to its file, and a form to memory.
 * The caller has checked the length. */
static mhd_result server_take_body(struct http_exchange *e, const char *data, size_t *size) {
  if (e->request.body < 0) buffer_add(&e->form, data, *size);
  for (size_t written = 0; e->request.body >= 0 && written < *size;) {
    ssize_t more = write(e->request.body, data + written, *size - written);
    if (more < 0 && errno == EINTR) continue;
    if (more <= 0) return MHD_NO;
    written += (size_t)more;
    e->request.body_size += (uint64_t)more;
  }
  *size = 0;
  return MHD_YES;
}

static mhd_result server_ask(struct http_exchange *e) {
  struct http_server *s = e->server;
  e->request.form = e->form.failed ? STR("") : buffer_str(&e->form);
  if (e->request.body >= 0) lseek(e->request.body, 0, SEEK_SET);
  mhd.suspend_connection(e->connection);
  pthread_mutex_lock(&s->lock);
  if (e->of) {
    e->of->body_since = 0;
    e->of->waiting = e;
  }
  pthread_mutex_unlock(&s->lock);
  struct web_reply *reply = s->settings.handler.answer(s->settings.handler.context, e, &e->request);
  if (reply) http_answer(e, reply);
  return MHD_YES;
}

static mhd_result server_access(void *server, struct MHD_Connection *connection, const char *url,
                                const char *method, const char *version, const char *data,
                                size_t *size, void **context) {
  struct http_exchange *e = *context;
  (void)url;
  (void)version;
  if (!e) return MHD_NO;
  if (!e->begun) {
    const union MHD_ConnectionInfo *info =
        mhd.get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    e->begun = true;
    e->server = server;
    e->connection = connection;
    e->of = info ? info->socket_context : NULL;
    return server_begin(e, method);
  }
  if (e->reply) {
    struct web_reply *reply = e->reply;
    e->reply = NULL;
    return server_send(connection, reply);
  }
  return *size ? server_take_body(e, data, size) : server_ask(e);
}

/* Creates the exchange. libmicrohttpd calls this function when a request's target has arrived. */
static void *server_log(void *server, const char *target, struct MHD_Connection *connection) {
  struct http_exchange *e = mem_zero_array(&mem_default, 1, sizeof *e);
  (void)server;
  (void)connection;
  if (!e) return NULL;
  e->request.body = -1;
  buffer_init(&e->form, &mem_default, GUARD_BODY_BYTES);
  e->target = text_copy(str_of(target));
  if (e->target) return e;
  mem_free(&mem_default, e, 1, sizeof *e);
  return NULL;
}

static void server_completed(void *server, struct MHD_Connection *connection, void **context,
                             enum MHD_RequestTerminationCode how) {
  struct http_server *s = server;
  struct http_exchange *e = *context;
  (void)connection;
  (void)how;
  if (!e) return;
  pthread_mutex_lock(&s->lock);
  if (e->of) {
    e->of->busy = false;
    e->of->body_since = 0;
    e->of->waiting = NULL;
    e->of->since = system_milliseconds();
  }
  pthread_mutex_unlock(&s->lock);
  reply_release(e->reply);
  if (e->request.body >= 0) close(e->request.body);
  text_free(e->target);
  buffer_free(&e->form);
  mem_free(&mem_default, e, 1, sizeof *e);
  *context = NULL;
}

static struct MHD_Daemon *server_daemon(struct http_server *s) {
  unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_ITC | MHD_ALLOW_SUSPEND_RESUME;
  unsigned per_address = s->settings.per_address ? SERVER_PER_ADDRESS : 0;
  return mhd.start_daemon(
      flags, 0, NULL, NULL, server_access, s, MHD_OPTION_LISTEN_SOCKET, s->settings.listening,
      MHD_OPTION_CONNECTION_LIMIT, SERVER_CONNECTIONS, MHD_OPTION_PER_IP_CONNECTION_LIMIT,
      per_address, MHD_OPTION_CONNECTION_TIMEOUT, SERVER_IDLE_S, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
      (size_t)48 << 10, MHD_OPTION_NOTIFY_CONNECTION, server_notify, s, MHD_OPTION_NOTIFY_COMPLETED,
      server_completed, s, MHD_OPTION_URI_LOG_CALLBACK, server_log, s, MHD_OPTION_END);
}

pprofc_status http_server_start(const struct http_settings *settings, struct http_server **server,
                                pprofc_error *error) {
  pprofc_status status = server_load(&mhd, error);
  if (status != PPROFC_OK) return status;
  struct http_server *s = mem_zero_array(&mem_default, 1, sizeof *s);
  if (!s) return error_nomem(error);
  s->settings = *settings;
  pthread_mutex_init(&s->lock, NULL);
  bool watched = pthread_create(&s->watcher, NULL, server_watch, s) == 0;
  s->daemon = watched ? server_daemon(s) : NULL;
  if (s->daemon) {
    *server = s;
    return PPROFC_OK;
  }
  atomic_store(&s->stopping, true);
  if (watched) pthread_join(s->watcher, NULL);
  pthread_mutex_destroy(&s->lock);
  mem_free(&mem_default, s, 1, sizeof *s);
  return error_set(error, PPROFC_E_IO, "cannot start the server: %s", ERRNO_TEXT(errno));
}

void http_server_stop(struct http_server *s) {
  atomic_store(&s->stopping, true);
  pthread_join(s->watcher, NULL);
  mhd.stop_daemon(s->daemon);
  pthread_mutex_destroy(&s->lock);
  mem_free(&mem_default, s, 1, sizeof *s);
}

#endif
