/* Runs a JSON-RPC server: reads and checks messages, calls the handler, and answers. */
#include "rpc/rpc.h"

#include "core/escape.h"
#include "core/outfile.h"
#include "core/template.h"
#include "rpc/inbox.h"

#include <stdio.h>

/* Maximum number of stored ids of requests that were cancelled before their start. Older ids are
 * dropped. */
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

void rpc_end(struct rpc *rpc) {
  rpc->ended = true;
}

void rpc_fail(struct rpc_answer *answer, int code, const char *message) {
  answer->code = code;
  snprintf(answer->message, sizeof answer->message, "%s", message);
}

void rpc_put_string(struct buffer *out, pprofc_str text) {
  buffer_add_char(out, '"');
  escape_json(out, text);
  buffer_add_char(out, '"');
}

void rpc_put_part(struct buffer *out, pprofc_str template, const char *part,
                  const struct fill *fill) {
  struct buffer text;
  buffer_init(&text, &mem_default, SIZE_MAX);
  template_put(&text, template, part, fill);
  pprofc_str rest = buffer_str(&text), line;
  while (str_next_line(&rest, &line)) buffer_add_str(out, line);
  out->failed |= text.failed;
  buffer_free(&text);
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

/* Stores the id of a cancelled request. The reading thread calls this function. */
static void rpc_look(void *context, pprofc_str message) {
  struct rpc *rpc = context;
  struct arena arena;
  struct node *root;
  pprofc_error error;
  if (!rpc->server->cancels || str_find(message, STR("ancel")) == message.size) return;
  arena_init(&arena, &mem_default);
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

/* True if the request was cancelled before its start. Forgets the id. */
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

/* Completes the text of a message, sends it and frees it. With one message per line, the text ends
 * with a newline. */
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
  struct buffer text;
  if (answer->result.failed || answer->data.failed)
    rpc_fail(answer, RPC_INTERNAL_ERROR, "out of memory");
  buffer_init(&text, &mem_default, SIZE_MAX);
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
  struct buffer text;
  buffer_init(&text, &mem_default, SIZE_MAX);
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

/* Checks a message. Returns false if it is a response or invalid, with the answer's error. */
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

/* Works in advance while no message waits. Returns the next message; NULL: end of the input. */
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
    inbox->framing = server->framing;
    inbox->look = rpc_look;
    inbox->context = rpc;
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
