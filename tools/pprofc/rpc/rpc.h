/* Serves JSON-RPC 2.0 on two descriptors. Answers one request at a time. */
#ifndef PPROFC_RPC_RPC_H
#define PPROFC_RPC_RPC_H

#include "common/base.h"
#include "core/json_tree.h"
#include "core/template.h"

/* Maximum length of a message in bytes. The answer to a longer message is an error. */
#define RPC_MESSAGE_MAX ((size_t)4 << 20)

#define RPC_PARSE_ERROR      (-32700)
#define RPC_INVALID_REQUEST  (-32600)
#define RPC_METHOD_NOT_FOUND (-32601)
#define RPC_INVALID_PARAMS   (-32602)
#define RPC_INTERNAL_ERROR   (-32603)

/* Format of messages. RPC_LINES: one message per line (MCP). RPC_HEADERS: a header contains the
 * message's length (LSP). */
enum rpc_framing { RPC_LINES, RPC_HEADERS };

/* A request or a notification. */
struct rpc_request {
  pprofc_str id; /* id as JSON; empty for a notification */
  pprofc_str method;
  const struct node *params; /* parameters, or NULL */
  struct arena *arena;       /* memory that stays valid until the request is answered */
};

struct rpc_answer {
  struct buffer result; /* result as JSON */
  struct buffer data;   /* member "data" of the error as JSON, or empty */
  int code;             /* error code; 0 without an error */
  char message[1024];
};

struct rpc;

struct rpc_server {
  enum rpc_framing framing;
  void *context;
  /* Handles a request or a notification. rpc_run sends the answer to a request. */
  void (*handle)(void *context, struct rpc *rpc, const struct rpc_request *request,
                 struct rpc_answer *answer);
  /* Returns the JSON id of the request that a message cancels, or "". Runs in the reading thread.
   */
  pprofc_str (*cancels)(const struct node *message, struct arena *arena);
  /* Stops the current request. The reading thread calls this function. */
  void (*stop)(void *context);
  /* Computes a result in advance while there is no message. Returns false if there is nothing to
   * do. NULL means that the server computes nothing in advance. */
  bool (*idle)(void *context);
  /* Receives the client's response to rpc_ask. NULL: ignore responses. */
  void (*respond)(void *context, struct rpc *rpc, const struct node *message);
};

/* Answers messages until the input ends or rpc_end is called. Returns 0, or 2 when out of memory.
 */
int rpc_run(const struct rpc_server *server, int in, int out);

void rpc_end(struct rpc *rpc);

/* Sends a notification; `params` is JSON. */
void rpc_notify(struct rpc *rpc, const char *method, pprofc_str params);

/* Sends a request to the client; `params` is JSON. */
void rpc_ask(struct rpc *rpc, const char *method, pprofc_str params);

void rpc_fail(struct rpc_answer *answer, int code, const char *message);

/* Appends a section of a template (core/template.h) on one line. */
void rpc_put_part(struct buffer *out, pprofc_str template, const char *part,
                  const struct fill *fill);

void rpc_put_string(struct buffer *out, pprofc_str text);

/* Returns the JSON text of an id, which is a string or an integer. Returns an empty text for any
 * other value. */
pprofc_str rpc_id(const struct node *node, struct arena *arena);

#endif
