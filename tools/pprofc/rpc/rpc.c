/* Runs a JSON-RPC server: reads and checks messages, calls the handler, and answers. A thread
 * splits the input into messages, so that a message can cancel a running request. */
#include "rpc/rpc.h"

#include "core/template.h"

#include <poll.h>
#include <pthread.h>

/* Maximum number of stored ids of cancelled requests. Older ids are dropped. */
#define CANCELLED_MAX 64
#define ID_MAX        128

/* If no message arrives for this time in milliseconds, the server computes results in advance. */
#define RPC_QUIET 200

struct rpc {
  const struct rpc_server *server;
  int out;
  bool ended;
  pthread_mutex_t lock;
  char running[ID_MAX]; /* id of the current request, or "" */
  char cancelled[CANCELLED_MAX][ID_MAX];
  size_t next_cancelled;
  size_t asked; /* number of requests that rpc_ask has sent */
};

void rpc_put_string(struct buffer *out, pprofc_str text) {
  buffer_add_char(out, '"');
  escape_json(out, text);
  buffer_add_char(out, '"');
}

pprofc_str rpc_id(const struct node *node, struct arena *arena) {
  struct buffer text;
  int64_t number;
  if (node_is(node, NODE_NUMBER) && node_to_integer(node, &number)) return node->text;
  if (!node_is(node, NODE_STRING)) return STR("");
  buffer_init(&text, arena->mem, SIZE_MAX);
  rpc_put_string(&text, node->text);
  pprofc_str kept = buffer_keep(&text, arena);
  buffer_free(&text);
  return kept.data ? kept : STR("");
}

/* Stores the id of a request that the message cancels, and stops this request if it is running. The
 * reading thread calls this function. */
static void rpc_look(struct rpc *rpc, pprofc_str message) {
  struct node *root;
  pprofc_error error;
  if (!rpc->server->cancels || str_find(message, STR("ancel")) == message.size) return;
  struct arena arena = arena_make(&mem_default);
  pprofc_str id = STR("");
  if (json_tree_parse(&arena, NULL, message, &root, &error) == PPROFC_OK)
    id = rpc->server->cancels(root, &arena);
  if (id.size && id.size < ID_MAX) {
    pthread_mutex_lock(&rpc->lock);
    bool runs = str_equal(id, str_of(rpc->running));
    char *slot = rpc->cancelled[rpc->next_cancelled++ % CANCELLED_MAX];
    snprintf(slot, ID_MAX, "%.*s", STR_ARG(id));
    if (runs) rpc->server->stop(rpc->server->context);
    pthread_mutex_unlock(&rpc->lock);
  }
  arena_free(&arena);
}

/* ---- the queue of messages --------------------------- */

/* Limits of the queue: number of bytes, and number of messages. While the queue is full, the server
 * reads no input. */
#define INBOX_WAITING_BYTES ((size_t)16 << 20)
#define INBOX_WAITING       4096

struct inbox_message {
  struct inbox_message *next;
  size_t size, capacity;
  bool too_long;
  char data[];
};

struct inbox {
  int fd;
  struct rpc *rpc;
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  struct inbox_message *first, **last;
  size_t count, bytes;
  bool ended, stopped; /* ended: the input ended; stopped: inbox_stop was called */
  char chunk[65536];
  size_t at, size; /* unprocessed bytes in `chunk`: offset of the first byte, and number of bytes */
};

static void inbox_free(struct inbox_message *message) {
  if (message) mem_free(&mem_default, message, 1, sizeof *message + message->capacity);
}

static bool inbox_is_stopped(struct inbox *r) {
  pthread_mutex_lock(&r->lock);
  bool stopped = r->stopped;
  pthread_mutex_unlock(&r->lock);
  return stopped;
}

static bool inbox_fill(struct inbox *r) {
  for (;;) {
    struct pollfd ready = {.fd = r->fd, .events = POLLIN};
    if (inbox_is_stopped(r)) return false;
    int count = poll(&ready, 1, 200);
    if (count == 0 || (count < 0 && errno == EINTR)) continue;
    ssize_t size = read(r->fd, r->chunk, sizeof r->chunk);
    if (size < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    r->at = 0;
    r->size = size > 0 ? (size_t)size : 0;
    return size > 0;
  }
}

/* Appends up to `most` bytes of the input to `to`. With `line`, stops after a newline, and does not
 * append the newline. If `to` would exceed RPC_MESSAGE_MAX, drops bytes and sets *too_long. Returns
 * false at the end of the input. */
static bool inbox_take(struct inbox *r, struct buffer *to, size_t most, bool line, bool *too_long) {
  while (most) {
    if (r->at == r->size && !inbox_fill(r)) return false;
    pprofc_str rest = {r->chunk + r->at, r->size - r->at};
    if (rest.size > most) rest.size = most;
    size_t end = line ? str_find_char(rest, '\n') : rest.size;
    bool found = end < rest.size;
    if (to->size + end > RPC_MESSAGE_MAX)
      *too_long = true;
    else
      buffer_add(to, rest.data, end);
    r->at += end + found;
    most -= end;
    if (found) return true;
  }
  return true;
}

/* Reads the headers of a message. Returns the length of the body, or SIZE_MAX at the end of the
 * input. */
static size_t inbox_headers(struct inbox *r, struct buffer *line) {
  size_t length = 0;
  bool too_long = false;
  for (;;) {
    buffer_clear(line);
    if (!inbox_take(r, line, SIZE_MAX, true, &too_long)) return SIZE_MAX;
    pprofc_str text = str_trim(buffer_str(line));
    if (!text.size) return length;
    size_t colon = str_find_char(text, ':');
    uint64_t number;
    pprofc_str value = str_trim(str_slice(text, colon + 1, text.size));
    if (str_equal(str_slice(text, 0, colon), STR("Content-Length")) &&
        str_parse_uint(value, 10, &number) && number < SIZE_MAX / 2)
      length = (size_t)number;
  }
}

static bool inbox_message(struct inbox *r, struct buffer *text, bool *too_long) {
  *too_long = false;
  buffer_clear(text);
  if (r->rpc->server->framing == RPC_LINES)
    return inbox_take(r, text, SIZE_MAX, true, too_long) || text->size || *too_long;
  size_t length = inbox_headers(r, text);
  buffer_clear(text);
  if (length == SIZE_MAX) return false;
  return inbox_take(r, text, length, false, too_long);
}

/* Waits until the queue has space, and appends a message. Returns false when out of memory. */
static bool inbox_put(struct inbox *r, pprofc_str text, bool too_long) {
  struct inbox_message *m = mem_array(&mem_default, 1, sizeof *m + text.size);
  if (!m) return false;
  *m = (struct inbox_message){.size = text.size, .capacity = text.size, .too_long = too_long};
  if (text.size) memcpy(m->data, text.data, text.size);
  pthread_mutex_lock(&r->lock);
  while (!r->stopped && r->count && (r->count >= INBOX_WAITING || r->bytes >= INBOX_WAITING_BYTES))
    pthread_cond_wait(&r->changed, &r->lock);
  *r->last = m;
  r->last = &m->next;
  r->count++;
  r->bytes += m->size;
  pthread_cond_broadcast(&r->changed);
  pthread_mutex_unlock(&r->lock);
  return true;
}

static void *inbox_main(void *context) {
  struct inbox *r = context;
  bool too_long, good = true;
  struct buffer text = buffer_make(&mem_default, RPC_MESSAGE_MAX + sizeof r->chunk);
  while (good && inbox_message(r, &text, &too_long)) {
    pprofc_str whole = str_trim(buffer_str(&text));
    if (text.failed || too_long) whole.size = 0;
    if (!whole.size && !too_long && !text.failed) continue;
    if (whole.size) rpc_look(r->rpc, whole);
    good = inbox_put(r, whole, too_long || text.failed);
    text.failed = false;
  }
  buffer_free(&text);
  pthread_mutex_lock(&r->lock);
  r->ended = true;
  pthread_cond_broadcast(&r->changed);
  pthread_mutex_unlock(&r->lock);
  return NULL;
}

static bool inbox_start(struct inbox *r) {
  r->last = &r->first;
  pthread_mutex_init(&r->lock, NULL);
  pthread_cond_init(&r->changed, NULL);
  return pthread_create(&r->thread, NULL, inbox_main, r) == 0;
}

/* Waits up to `milliseconds`. True if no message arrives in this time and the input is open. */
static bool inbox_is_quiet(struct inbox *r, long milliseconds) {
  struct timespec end;
  int passed = 0;
  clock_gettime(CLOCK_REALTIME, &end);
  end.tv_nsec += milliseconds * 1000000;
  end.tv_sec += end.tv_nsec / 1000000000;
  end.tv_nsec %= 1000000000;
  pthread_mutex_lock(&r->lock);
  while (!r->first && !r->ended && !passed)
    passed = pthread_cond_timedwait(&r->changed, &r->lock, &end);
  bool quiet = !r->first && !r->ended;
  pthread_mutex_unlock(&r->lock);
  return quiet;
}

/* Waits for the next message. Returns NULL at the end of the input. The caller frees the message
 * with inbox_free. */
static struct inbox_message *inbox_next(struct inbox *r) {
  pthread_mutex_lock(&r->lock);
  while (!r->first && !r->ended) pthread_cond_wait(&r->changed, &r->lock);
  struct inbox_message *m = r->first;
  if (m) {
    r->first = m->next;
    if (!r->first) r->last = &r->first;
    r->count--;
    r->bytes -= m->size;
    pthread_cond_broadcast(&r->changed);
  }
  pthread_mutex_unlock(&r->lock);
  return m;
}

/* Drops the messages in the queue and ends the thread. */
static void inbox_stop(struct inbox *r) {
  struct inbox_message *m;
  pthread_mutex_lock(&r->lock);
  r->stopped = true;
  pthread_cond_broadcast(&r->changed);
  pthread_mutex_unlock(&r->lock);
  pthread_join(r->thread, NULL);
  while ((m = inbox_next(r))) inbox_free(m);
  pthread_cond_destroy(&r->changed);
  pthread_mutex_destroy(&r->lock);
}

/* ---- requests ---------------------------------------- */

void rpc_end(struct rpc *rpc) {
  rpc->ended = true;
}

void rpc_fail(struct rpc_answer *answer, int code, const char *message) {
  answer->code = code;
  snprintf(answer->message, sizeof answer->message, "%s", message);
}

void rpc_put_part(struct buffer *out, pprofc_str template, const char *part,
                  const struct fill *fill) {
  struct buffer text = buffer_make(&mem_default, SIZE_MAX);
  template_put(&text, template, part, fill);
  pprofc_str rest = buffer_str(&text), line;
  while (str_next_line(&rest, &line)) buffer_add_str(out, line);
  out->failed |= text.failed;
  buffer_free(&text);
}

/* True if the request was cancelled. If so, removes its id from the stored ids. */
static bool rpc_take_cancelled(struct rpc *rpc, pprofc_str id) {
  bool found = false;
  for (size_t i = 0; i < CANCELLED_MAX; i++)
    if (id.size && str_equal(str_of(rpc->cancelled[i]), id)) {
      rpc->cancelled[i][0] = '\0';
      found = true;
    }
  return found;
}

/* Stores the id of the current request. Returns false if the request is already cancelled. */
static bool rpc_begin(struct rpc *rpc, pprofc_str id) {
  pthread_mutex_lock(&rpc->lock);
  bool cancelled = rpc_take_cancelled(rpc, id);
  size_t size = id.size < ID_MAX ? id.size : 0;
  snprintf(rpc->running, ID_MAX, "%.*s", (int)size, id.data);
  pthread_mutex_unlock(&rpc->lock);
  return !cancelled;
}

/* Ends the current request. Returns false if it was cancelled and needs no answer. */
static bool rpc_finish(struct rpc *rpc, pprofc_str id) {
  pthread_mutex_lock(&rpc->lock);
  rpc->running[0] = '\0';
  bool cancelled = rpc_take_cancelled(rpc, id);
  pthread_mutex_unlock(&rpc->lock);
  return !cancelled;
}

static void rpc_send(struct rpc *rpc, const struct buffer *text) {
  char header[64];
  if (text->failed) return;
  if (rpc->server->framing == RPC_HEADERS) {
    int size = snprintf(header, sizeof header, "Content-Length: %zu\r\n\r\n", text->size);
    if (fd_write(&rpc->out, header, (size_t)size) != 0) rpc->ended = true;
  }
  if (fd_write(&rpc->out, text->data, text->size) != 0) rpc->ended = true;
}

/* Adds the last brace to a message, and with RPC_LINES a newline. Sends the message and frees its
 * text. */
static void rpc_close(struct rpc *rpc, struct buffer *text) {
  buffer_add_text(text, rpc->server->framing == RPC_LINES ? "}\n" : "}");
  rpc_send(rpc, text);
  buffer_free(text);
}

static void rpc_put_error(struct buffer *text, const struct rpc_answer *answer) {
  buffer_printf(text, "\"error\":{\"code\":%d,\"message\":", answer->code);
  rpc_put_string(text, str_of(answer->message));
  if (answer->data.size) {
    buffer_add_text(text, ",\"data\":");
    buffer_add_str(text, buffer_str(&answer->data));
  }
  buffer_add_char(text, '}');
}

static void rpc_reply(struct rpc *rpc, pprofc_str id, struct rpc_answer *answer) {
  if (answer->result.failed || answer->data.failed)
    rpc_fail(answer, RPC_INTERNAL_ERROR, "out of memory");
  struct buffer text = buffer_make(&mem_default, SIZE_MAX);
  buffer_add_text(&text, "{\"jsonrpc\":\"2.0\",\"id\":");
  buffer_add_str(&text, id.size ? id : STR("null"));
  buffer_add_char(&text, ',');
  if (answer->code) {
    rpc_put_error(&text, answer);
  } else {
    buffer_add_text(&text, "\"result\":");
    buffer_add_str(&text, answer->result.size ? buffer_str(&answer->result) : STR("null"));
  }
  rpc_close(rpc, &text);
}

static void rpc_call(struct rpc *rpc, size_t id, const char *method, pprofc_str params) {
  struct buffer text = buffer_make(&mem_default, SIZE_MAX);
  buffer_add_text(&text, "{\"jsonrpc\":\"2.0\",");
  if (id) buffer_printf(&text, "\"id\":%zu,", id);
  buffer_printf(&text, "\"method\":\"%s\",\"params\":", method);
  buffer_add_str(&text, params);
  rpc_close(rpc, &text);
}

void rpc_notify(struct rpc *rpc, const char *method, pprofc_str params) {
  rpc_call(rpc, 0, method, params);
}

void rpc_ask(struct rpc *rpc, const char *method, pprofc_str params) {
  rpc_call(rpc, ++rpc->asked, method, params);
}

/* Checks a message. Returns true for a valid request or notification. Sets *ignored for a response.
 * For any other message, sets the error in `answer`. */
static bool rpc_check(const struct node *root, struct rpc_request *request,
                      struct rpc_answer *answer, bool *ignored) {
  const struct node *id = node_get(root, "id"), *method = node_get(root, "method");
  request->id = rpc_id(id, request->arena);
  *ignored = !method && node_is(root, NODE_OBJECT) &&
             (node_get(root, "result") || node_get(root, "error"));
  if (*ignored) return false;
  if (!node_is(root, NODE_OBJECT) || !str_equal(node_text(root, "jsonrpc"), STR("2.0")))
    rpc_fail(answer, RPC_INVALID_REQUEST, "the message is not a JSON-RPC 2.0 request");
  else if (!node_is(method, NODE_STRING))
    rpc_fail(answer, RPC_INVALID_REQUEST, "the request has no method");
  else if (id && !request->id.size)
    rpc_fail(answer, RPC_INVALID_REQUEST, "the id is neither a string nor an integer");
  else
    request->method = method->text;
  request->params = node_get(root, "params");
  return !answer->code;
}

static void rpc_parse(struct arena *arena, const struct inbox_message *message, struct node **root,
                      struct rpc_answer *answer) {
  pprofc_error error;
  *root = NULL;
  if (message->too_long) {
    rpc_fail(answer, RPC_INVALID_REQUEST, "the message is longer than 4 MiB");
    return;
  }
  pprofc_str text = {message->data, message->size};
  if (json_tree_parse(arena, "message", text, root, &error) != PPROFC_OK)
    rpc_fail(answer, RPC_PARSE_ERROR, error.message);
}

static void rpc_message(struct rpc *rpc, const struct inbox_message *message) {
  struct arena arena;
  struct node *root;
  struct rpc_answer answer = {.code = 0};
  struct rpc_request request = {.id = STR(""), .arena = &arena};
  bool ignored = false, answered = true;
  arena_init(&arena, &mem_default);
  buffer_init(&answer.result, &mem_default, SIZE_MAX);
  buffer_init(&answer.data, &mem_default, SIZE_MAX);
  rpc_parse(&arena, message, &root, &answer);
  if (!answer.code && rpc_check(root, &request, &answer, &ignored)) {
    answered = rpc_begin(rpc, request.id);
    if (answered) rpc->server->handle(rpc->server->context, rpc, &request, &answer);
    answered = rpc_finish(rpc, request.id) && answered && request.id.size;
  }
  if (ignored && rpc->server->respond) rpc->server->respond(rpc->server->context, rpc, root);
  if (answered && !ignored) rpc_reply(rpc, request.id, &answer);
  buffer_free(&answer.result);
  buffer_free(&answer.data);
  arena_free(&arena);
}

/* Waits for the next message and returns it. Meanwhile computes results in advance. Returns NULL at
 * the end of the input. */
static struct inbox_message *rpc_next(struct rpc *rpc, struct inbox *inbox) {
  const struct rpc_server *server = rpc->server;
  if (server->idle && !rpc->ended && inbox_is_quiet(inbox, RPC_QUIET))
    while (server->idle(server->context) && inbox_is_quiet(inbox, 0)) continue;
  return rpc->ended ? NULL : inbox_next(inbox);
}

int rpc_run(const struct rpc_server *server, int in, int out) {
  struct rpc *rpc = mem_zero_array(&mem_default, 1, sizeof *rpc);
  struct inbox *inbox = mem_zero_array(&mem_default, 1, sizeof *inbox);
  bool started = false;
  if (rpc && inbox) {
    rpc->server = server;
    rpc->out = out;
    pthread_mutex_init(&rpc->lock, NULL);
    inbox->fd = in;
    inbox->rpc = rpc;
    started = inbox_start(inbox);
  }
  for (struct inbox_message *m; started && (m = rpc_next(rpc, inbox));) {
    rpc_message(rpc, m);
    inbox_free(m);
  }
  if (started) {
    inbox_stop(inbox);
    pthread_mutex_destroy(&rpc->lock);
  }
  mem_free(&mem_default, inbox, 1, sizeof *inbox);
  mem_free(&mem_default, rpc, 1, sizeof *rpc);
  return started ? 0 : 2;
}
