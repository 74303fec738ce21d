/* Serves JSON-RPC 2.0 over two descriptors. Requests are answered one after the other. */
#ifndef PPROFC_RPC_RPC_H
#define PPROFC_RPC_RPC_H

#include "core/buffer.h"
#include "core/fill.h"
#include "core/json_tree.h"
#include "core/json_write.h"

/* Maximum length of a message in bytes. A longer one is skipped and answered with an error. */
#define RPC_MESSAGE_MAX ((size_t)4 << 20)

#define RPC_PARSE_ERROR      (-32700)
#define RPC_INVALID_REQUEST  (-32600)
#define RPC_METHOD_NOT_FOUND (-32601)
#define RPC_INVALID_PARAMS   (-32602)
#define RPC_INTERNAL_ERROR   (-32603)

/* Form of messages: a line each (MCP), or a header with the length (LSP). */
enum rpc_framing { RPC_LINES, RPC_HEADERS };

/* A request or a notification. */
struct rpc_request {
  pprofc_str id; /* id of the request, as JSON; empty for a notification */
  pprofc_str method;
  const struct node *params; /* parameters; NULL if there are no parameters */
  struct arena *arena;       /* arena of the request */
};

/* The answer to a request. */
struct rpc_answer {
  struct buffer result; /* result of the request, as JSON */
  struct buffer data;   /* JSON member "data" of an error, or empty */
  int code;             /* code of the error; 0 without an error */
  char message[1024];
};

struct rpc;

struct rpc_server {
  enum rpc_framing framing;
  void *context;
  /* Answers a request. For a notification the answer is dropped. */
  void (*handle)(void *context, struct rpc *rpc, const struct rpc_request *request,
                 struct rpc_answer *answer);
  /* Returns the id, as JSON, of the request that a message cancels; empty for other messages. The
   * reading thread calls it. */
  pprofc_str (*cancels)(const struct node *message, struct arena *arena);
  /* Stops the running request. The reading thread calls it. */
  void (*stop)(void *context);
  /* Does a piece of work while no message waits; false if nothing is left to do. May be NULL. */
  bool (*idle)(void *context);
  /* Takes the response of the client to a request of rpc_ask; NULL to ignore responses. */
  void (*respond)(void *context, struct rpc *rpc, const struct node *message);
};

/* Answers messages until the end of the input or rpc_end. Returns 0, or 2 when out of memory. */
int rpc_run(const struct rpc_server *server, int in, int out);

/* Ends the loop after this request. */
void rpc_end(struct rpc *rpc);

/* Sends a notification; `params` is JSON. */
void rpc_notify(struct rpc *rpc, const char *method, pprofc_str params);

/* Sends a request to the client; `params` is JSON. */
void rpc_ask(struct rpc *rpc, const char *method, pprofc_str params);

/* Sets the error of an answer. */
void rpc_fail(struct rpc_answer *answer, int code, const char *message);

/* Appends a part of a template (core/template.h), without its line breaks. */
void rpc_put_part(struct buffer *out, pprofc_str template, const char *part,
                  const struct fill *fill);

/* Appends a JSON string. */
void rpc_put_string(struct buffer *out, pprofc_str text);

/* Returns a value as JSON if it can be an id, a string or an integer; else an empty text. */
pprofc_str rpc_id(const struct node *node, struct arena *arena);

#endif
