/* The methods of the Language Server Protocol: hints, lenses, hover, diagnostics. */
#include "lsp/lsp.h"

#include "core/log_guard.h"
#include "lsp/costs.h"
#include "lsp/document.h"
#include "rpc/rpc.h"

#include <stdlib.h>
#include <string.h>

#define LSP_DOCUMENTS   64
#define LSP_DIAGNOSTICS 10 /* hottest lines of a file */
#define QUICKFIX_LINES  50 /* without -nodecount */

struct lsp {
  struct costs costs;
  struct document *documents[LSP_DOCUMENTS];
  size_t count;
};

/* ---- documents --------------------------------------- */

static void lsp_free_document(struct document *d) {
  buffer_free(&d->uri);
  buffer_free(&d->first);
  buffer_free(&d->now);
  mem_free(&mem_default, d, 1, sizeof *d);
}

static struct document *lsp_find(const struct lsp *lsp, const struct node *params) {
  pprofc_str uri = node_text(node_get(params, "textDocument"), "uri");
  for (size_t i = 0; i < lsp->count; i++)
    if (str_equal(buffer_str(&lsp->documents[i]->uri), uri)) return lsp->documents[i];
  return NULL;
}

static void lsp_close(struct lsp *lsp, const struct node *params) {
  const struct document *d = lsp_find(lsp, params);
  for (size_t i = 0; d && i < lsp->count; i++)
    if (lsp->documents[i] == d) {
      lsp_free_document(lsp->documents[i]);
      lsp->documents[i] = lsp->documents[--lsp->count];
      return;
    }
}

static struct document *lsp_open(struct lsp *lsp, const struct node *params) {
  const struct node *item = node_get(params, "textDocument");
  struct buffer path;
  lsp_close(lsp, params);
  if (lsp->count == LSP_DOCUMENTS) lsp_free_document(lsp->documents[--lsp->count]);
  struct document *d = mem_zero_array(&mem_default, 1, sizeof *d);
  if (!d) return NULL;
  buffer_init(&d->uri, &mem_default, SIZE_MAX);
  buffer_init(&d->first, &mem_default, SIZE_MAX);
  buffer_init(&d->now, &mem_default, SIZE_MAX);
  buffer_init(&path, &mem_default, SIZE_MAX);
  buffer_add_str(&d->uri, node_text(item, "uri"));
  buffer_add_str(&d->first, node_text(item, "text"));
  buffer_add_str(&d->now, node_text(item, "text"));
  document_path(buffer_str(&d->uri), &path);
  d->file = costs_file(&lsp->costs, buffer_str(&path));
  buffer_free(&path);
  lsp->documents[lsp->count++] = d;
  return d;
}

/* Takes the whole new text of a document. */
static void lsp_change(struct document *d, const struct node *params) {
  const struct node *changes = node_get(params, "contentChanges");
  if (!d || !node_size(changes)) return;
  const struct node *last = node_at(changes, node_size(changes) - 1);
  if (node_get(last, "range")) return;
  buffer_clear(&d->now);
  buffer_add_str(&d->now, node_text(last, "text"));
}

/* ---- results ----------------------------------------- */

struct lsp_result {
  struct output out;
  struct json_writer json;
};

static void result_begin(struct lsp_result *r, struct buffer *to) {
  output_init(&r->out, rpc_append, to);
  json_init(&r->json, &r->out, &mem_default);
}

static void result_end(struct lsp_result *r, struct buffer *to) {
  if (!json_finish(&r->json) || output_flush(&r->out, NULL) != PPROFC_OK) to->failed = true;
}

static void result_position(struct json_writer *json, const char *key, size_t line, size_t column) {
  json_begin_object(json_key(json, key));
  json_uint(json_key(json, "line"), line);
  json_uint(json_key(json, "character"), column);
  json_end(json);
}

static void result_range(struct json_writer *json, const struct document *d, size_t line) {
  json_begin_object(json_key(json, "range"));
  result_position(json, "start", line, 0);
  result_position(json, "end", line, document_length(d, line));
  json_end(json);
}

static void result_costs(struct json_writer *json, const char *key, const struct lsp *lsp,
                         pprofc_str before, int64_t flat, int64_t cum) {
  struct buffer text;
  buffer_init(&text, &mem_default, SIZE_MAX);
  escape_line(&text, str_slice(before, 0, 120));
  if (before.size) buffer_add_text(&text, ": ");
  costs_put(&lsp->costs, &text, flat, cum);
  json_string(json_key(json, key), buffer_str(&text));
  buffer_free(&text);
}

/* Returns the line at which a node is shown, from 0; SIZE_MAX if its text changed. */
static size_t lsp_line_of(const struct document *d, const pprofc_graph_node *node) {
  if (!d->file.size || node->line < 1 || !str_equal(node->file, d->file)) return SIZE_MAX;
  return document_line(d, (size_t)node->line - 1);
}

/* ---- hints, lenses, hover ---------------------------- */

static void lsp_hints(const struct lsp *lsp, const struct document *d, const struct node *params,
                      struct json_writer *json) {
  int64_t from = node_integer(node_path(params, "range.start.line"));
  const struct node *end = node_path(params, "range.end.line");
  int64_t to = end ? node_integer(end) : INT64_MAX;
  for (size_t i = 0; i < lsp->costs.count; i++) {
    const pprofc_graph_node *n = &lsp->costs.nodes[i];
    size_t line = lsp_line_of(d, n);
    if (line == SIZE_MAX || (int64_t)line < from || (int64_t)line > to) continue;
    json_begin_object(json);
    result_position(json, "position", line, document_length(d, line));
    result_costs(json, "label", lsp, STR(""), n->flat, n->cum);
    json_bool(json_key(json, "paddingLeft"), true);
    json_end(json);
  }
}

/* True if the node is the first line of its function in the file. */
static bool lsp_is_first(const struct lsp *lsp, const pprofc_graph_node *node) {
  for (size_t i = 0; i < lsp->costs.count; i++) {
    const pprofc_graph_node *n = &lsp->costs.nodes[i];
    if (n->line > 0 && n->line < node->line && str_equal(n->function, node->function) &&
        str_equal(n->file, node->file))
      return false;
  }
  return true;
}

static void lsp_lenses(const struct lsp *lsp, const struct document *d, const struct node *params,
                       struct json_writer *json) {
  size_t count;
  const pprofc_graph_node *functions = pprofc_graph_nodes(lsp->costs.functions, &count);
  (void)params;
  for (size_t i = 0; i < lsp->costs.count; i++) {
    const pprofc_graph_node *n = &lsp->costs.nodes[i];
    size_t line = lsp_line_of(d, n), f = 0;
    if (line == SIZE_MAX || !lsp_is_first(lsp, n)) continue;
    while (f < count && !str_equal(functions[f].function, n->function)) f++;
    if (f == count) continue;
    json_begin_object(json);
    result_range(json, d, line);
    json_begin_object(json_key(json, "command"));
    result_costs(json, "title", lsp, n->function, functions[f].flat, functions[f].cum);
    json_text(json_key(json, "command"), "");
    json_end(json);
    json_end(json);
  }
}

static void lsp_put_hover(const struct lsp *lsp, const pprofc_graph_node *node,
                          struct buffer *text) {
  costs_put_name(text, node->function);
  buffer_add_text(text, ", this line: ");
  costs_put(&lsp->costs, text, node->flat, node->cum);
  buffer_add_text(text, "\n\n");
  costs_put_calls(&lsp->costs, text, node->function);
}

static void lsp_hover(const struct lsp *lsp, const struct document *d, const struct node *params,
                      struct rpc_answer *answer) {
  int64_t at = node_integer(node_path(params, "position.line"));
  size_t line = at >= 0 ? document_origin(d, (size_t)at) : SIZE_MAX;
  const pprofc_graph_node *best = NULL;
  for (size_t i = 0; i < lsp->costs.count && line != SIZE_MAX; i++) {
    const pprofc_graph_node *n = &lsp->costs.nodes[i];
    if ((uint64_t)n->line == line + 1 && str_equal(n->file, d->file) &&
        (!best || llabs(n->cum) > llabs(best->cum)))
      best = n;
  }
  if (!best) return;
  struct lsp_result r;
  struct buffer text;
  buffer_init(&text, &mem_default, SIZE_MAX);
  lsp_put_hover(lsp, best, &text);
  result_begin(&r, &answer->result);
  json_begin_object(&r.json);
  json_begin_object(json_key(&r.json, "contents"));
  json_text(json_key(&r.json, "kind"), "markdown");
  json_string(json_key(&r.json, "value"), buffer_str(&text));
  json_end(&r.json);
  json_end(&r.json);
  result_end(&r, &answer->result);
  buffer_free(&text);
}

/* Marks the hottest lines of a document. The nodes come largest first. */
static void lsp_diagnose(const struct lsp *lsp, struct rpc *rpc, const struct document *d) {
  struct lsp_result r;
  struct buffer params;
  size_t shown = 0;
  buffer_init(&params, &mem_default, SIZE_MAX);
  result_begin(&r, &params);
  json_begin_object(&r.json);
  json_string(json_key(&r.json, "uri"), buffer_str(&d->uri));
  json_begin_array(json_key(&r.json, "diagnostics"));
  for (size_t i = 0; i < lsp->costs.count && shown < LSP_DIAGNOSTICS; i++) {
    const pprofc_graph_node *n = &lsp->costs.nodes[i];
    size_t line = lsp_line_of(d, n);
    if (line == SIZE_MAX || !n->flat) continue;
    json_begin_object(&r.json);
    result_range(&r.json, d, line);
    json_int(json_key(&r.json, "severity"), 4);
    json_text(json_key(&r.json, "source"), "pprofc");
    result_costs(&r.json, "message", lsp, n->function, n->flat, n->cum);
    json_end(&r.json);
    shown++;
  }
  json_end(&r.json);
  json_end(&r.json);
  result_end(&r, &params);
  if (!params.failed) rpc_notify(rpc, "textDocument/publishDiagnostics", buffer_str(&params));
  buffer_free(&params);
}

/* ---- dispatch ---------------------------------------- */

static void lsp_list(const struct lsp *lsp, const struct rpc_request *request,
                     void (*fill)(const struct lsp *, const struct document *, const struct node *,
                                  struct json_writer *),
                     struct rpc_answer *answer) {
  const struct document *d = lsp_find(lsp, request->params);
  struct lsp_result r;
  result_begin(&r, &answer->result);
  json_begin_array(&r.json);
  if (d) fill(lsp, d, request->params, &r.json);
  json_end(&r.json);
  result_end(&r, &answer->result);
}

static void lsp_notified(struct lsp *lsp, struct rpc *rpc, const struct rpc_request *request) {
  pprofc_str method = request->method;
  struct document *d = NULL;
  if (str_equal(method, STR("exit"))) rpc_end(rpc);
  if (str_equal(method, STR("textDocument/didClose"))) lsp_close(lsp, request->params);
  if (str_equal(method, STR("textDocument/didOpen"))) d = lsp_open(lsp, request->params);
  if (str_equal(method, STR("textDocument/didChange"))) {
    d = lsp_find(lsp, request->params);
    lsp_change(d, request->params);
  }
  if (d) lsp_diagnose(lsp, rpc, d);
}

static const char lsp_capabilities[] =
    "{\"capabilities\":{\"textDocumentSync\":1,\"inlayHintProvider\":true,"
    "\"codeLensProvider\":{},\"hoverProvider\":true},"
    "\"serverInfo\":{\"name\":\"pprofc\",\"version\":\"" PPROFC_VERSION "\"}}";

static void lsp_handle(void *context, struct rpc *rpc, const struct rpc_request *request,
                       struct rpc_answer *answer) {
  struct lsp *lsp = context;
  pprofc_str method = request->method;
  if (!request->id.size) {
    lsp_notified(lsp, rpc, request);
  } else if (str_equal(method, STR("initialize"))) {
    buffer_add_text(&answer->result, lsp_capabilities);
  } else if (str_equal(method, STR("textDocument/inlayHint"))) {
    lsp_list(lsp, request, lsp_hints, answer);
  } else if (str_equal(method, STR("textDocument/codeLens"))) {
    lsp_list(lsp, request, lsp_lenses, answer);
  } else if (str_equal(method, STR("textDocument/hover"))) {
    const struct document *d = lsp_find(lsp, request->params);
    if (d) lsp_hover(lsp, d, request->params, answer);
  } else if (!str_equal(method, STR("shutdown"))) {
    rpc_fail(answer, RPC_METHOD_NOT_FOUND, "method not found");
  }
}

pprofc_status lsp_run(const struct command *command, const pprofc_profile *profile, int in, int out,
                      pprofc_error *error) {
  struct lsp *lsp = mem_zero_array(&mem_default, 1, sizeof *lsp);
  if (!lsp) return error_nomem(error);
  pprofc_status status = costs_read(&lsp->costs, profile, &command->report, error);
  if (!status) {
    const struct rpc_server server = {.framing = RPC_HEADERS, .context = lsp, .handle = lsp_handle};
    if (rpc_run(&server, in, out) != 0) status = error_nomem(error);
  }
  while (lsp->count) lsp_free_document(lsp->documents[--lsp->count]);
  costs_free(&lsp->costs);
  mem_free(&mem_default, lsp, 1, sizeof *lsp);
  return status;
}

/* ---- quickfix ---------------------------------------- */

pprofc_status quickfix_print(const struct command *command, const pprofc_profile *profile,
                             pprofc_write_fn write, void *context, pprofc_error *error) {
  struct costs costs;
  struct output out;
  struct log_guard guard;
  size_t left = command->report.nodecount > 0 ? (size_t)command->report.nodecount : QUICKFIX_LINES;
  pprofc_status status = costs_read(&costs, profile, &command->report, error);
  log_guard_output(&out, &guard, write, context);
  for (size_t i = 0; i < costs.count && left && !status; i++) {
    const pprofc_graph_node *n = &costs.nodes[i];
    struct buffer text;
    if (!n->line || !n->file.size || !n->flat) continue;
    left--;
    buffer_init(&text, &mem_default, SIZE_MAX);
    escape_line(&text, n->file);
    buffer_printf(&text, ":%lld:1: ", (long long)n->line);
    costs_put(&costs, &text, n->flat, n->cum);
    buffer_add_text(&text, " in ");
    escape_line(&text, n->function);
    buffer_add_char(&text, '\n');
    output_add_str(&out, buffer_str(&text));
    buffer_free(&text);
  }
  costs_free(&costs);
  return status ? status : output_flush(&out, error);
}
