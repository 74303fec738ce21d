/* Implements the methods of the Language Server Protocol, such as inlay hints and hover. */
#include "lsp/lsp.h"
#include "actions.h"
#include "http/url.h"
#include "profile/profile.h"
#include "rpc/rpc.h"

/* ---- open documents ---------------------------------- */

struct document {
  /* URI of the document, its text when the editor opened it, and its current text */
  struct buffer uri, first, now;
  size_t first_lines, now_lines; /* number of lines in `first`, and in `now` */
  size_t same_begin,
      same_end;         /* number of lines equal in `first` and `now`: at the start, at the end */
  size_t *starts;       /* offset of each line in the current text */
  size_t capacity;      /* allocated length of `starts` */
  pprofc_str file;      /* name of the document's file in the profile, or empty */
  struct follow follow; /* changes between the profiled version of the file and the text `first` */
};

static size_t document_lines(pprofc_str text) {
  size_t count = 1;
  for (size_t i = 0; i < text.size; i++) count += text.data[i] == '\n';
  return count;
}

static size_t document_same_begin(pprofc_str a, pprofc_str b) {
  size_t lines = 0, i = 0;
  for (; i < a.size && i < b.size && a.data[i] == b.data[i]; i++) lines += a.data[i] == '\n';
  return i == a.size && i == b.size ? lines + 1 : lines;
}

/* True if a line starts `size` bytes before the end of the text. */
static bool document_line_begins(pprofc_str text, size_t size) {
  return size == text.size || text.data[text.size - 1 - size] == '\n';
}

static size_t document_same_end(pprofc_str a, pprofc_str b) {
  size_t lines = 0, i = 0;
  for (; i < a.size && i < b.size && a.data[a.size - 1 - i] == b.data[b.size - 1 - i]; i++)
    lines += a.data[a.size - 1 - i] == '\n';
  return lines + (document_line_begins(a, i) && document_line_begins(b, i));
}

/* Counts the lines of the texts `first` and `now`, and finds the lines that are equal in both.
 * Returns false when out of memory. */
static bool document_measure(struct document *d) {
  pprofc_str first = buffer_str(&d->first), now = buffer_str(&d->now);
  d->first_lines = document_lines(first);
  d->now_lines = document_lines(now);
  d->same_begin = document_same_begin(first, now);
  d->same_end = document_same_end(first, now);
  if (!ARRAY_RESERVE(&mem_default, d->starts, d->capacity, d->now_lines)) return false;
  size_t line = 0;
  d->starts[line++] = 0;
  for (size_t i = 0; i < now.size; i++)
    if (now.data[i] == '\n') d->starts[line++] = i + 1;
  return true;
}

/* Converts a line number in one text to the number of the same line in another text. The texts have
 * `count` and `other` lines. Returns SIZE_MAX if the line changed. */
static size_t document_map(const struct document *d, size_t count, size_t other, size_t line) {
  if (line >= count) return SIZE_MAX;
  if (line < d->same_begin) return line;
  return count - line <= d->same_end ? other - (count - line) : SIZE_MAX;
}

static size_t document_length(const struct document *d, size_t line) {
  size_t units = 0;
  pprofc_str now = buffer_str(&d->now), rest, text;
  if (line >= d->now_lines) return 0;
  rest = str_slice(now, d->starts[line], now.size);
  if (!str_next_line(&rest, &text)) return 0;
  for (size_t at = 0; at < text.size;) units += utf8_next(text, &at) > 0xFFFF ? 2 : 1;
  return units;
}

#define LSP_NOT_INITIALIZED (-32002)

#define LSP_DOCUMENTS   64
#define LSP_DIAGNOSTICS 10 /* maximum number of diagnostics per file */
#define QUICKFIX_LINES  50 /* default number of lines of -quickfix */

struct lsp {
  const struct command *command;
  struct costs costs;
  struct lsp_page page;
  bool shows; /* true if the client supports window/showDocument */
  bool initialized, shut_down;
  const char *ref; /* commit of the profile, or "" */
  int64_t time;    /* time of the profile in nanoseconds since 1970; 0 if unknown */
  struct document *documents[LSP_DOCUMENTS];
  size_t count;
};

/* ---- documents --------------------------------------- */

static void lsp_free_document(struct document *d) {
  buffer_free(&d->uri);
  buffer_free(&d->first);
  buffer_free(&d->now);
  follow_free(&d->follow);
  ARRAY_FREE(&mem_default, d->starts, d->capacity);
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

/* Finds the document's file name in the profile. Compares names with the document's current path,
 * and if no name matches, with its path in the profile's commit. */
static void lsp_find_file(const struct lsp *lsp, struct document *d, pprofc_str uri) {
  struct arena arena = arena_make(&mem_default);
  pprofc_str path = str_starts(uri, STR("file://")) ? str_slice(uri, 7, uri.size) : uri;
  pprofc_str plain = url_unescape(&arena, path, false);
  pprofc_str ended = arena_str(&arena, plain.data ? plain : path);
  if (ended.data) {
    follow_read(&d->follow, ended.data, lsp->ref, lsp->time);
    d->file = costs_file(&lsp->costs, ended);
    if (!d->file.size) d->file = costs_file(&lsp->costs, buffer_str(&d->follow.base));
  }
  arena_free(&arena);
}

static struct document *lsp_open(struct lsp *lsp, const struct node *params) {
  const struct node *item = node_get(params, "textDocument");
  lsp_close(lsp, params);
  if (lsp->count == LSP_DOCUMENTS) lsp_free_document(lsp->documents[--lsp->count]);
  struct document *d = mem_zero_array(&mem_default, 1, sizeof *d);
  if (!d) return NULL;
  buffer_init(&d->uri, &mem_default, SIZE_MAX);
  buffer_init(&d->first, &mem_default, SIZE_MAX);
  buffer_init(&d->now, &mem_default, SIZE_MAX);
  buffer_add_str(&d->uri, node_text(item, "uri"));
  buffer_add_str(&d->first, node_text(item, "text"));
  buffer_add_str(&d->now, node_text(item, "text"));
  follow_init(&d->follow);
  if (!document_measure(d)) {
    lsp_free_document(d);
    return NULL;
  }
  lsp_find_file(lsp, d, node_text(item, "uri"));
  lsp->documents[lsp->count++] = d;
  return d;
}

static void lsp_change(struct document *d, const struct node *params) {
  const struct node *changes = node_get(params, "contentChanges");
  if (!d || !node_size(changes)) return;
  const struct node *last = node_at(changes, node_size(changes) - 1);
  if (node_get(last, "range")) return;
  buffer_clear(&d->now);
  buffer_add_str(&d->now, node_text(last, "text"));
  /* When out of memory, use an empty document, which shows no costs. */
  if (document_measure(d)) return;
  buffer_clear(&d->now);
  d->now_lines = d->same_begin = d->same_end = 0;
}

extern const unsigned char asset_results_template[];
extern const size_t asset_results_template_size;

/* Appends the section `part` of results.template, filled in with the values of `fill`. Then clears
 * the values. */
static void result_put(struct buffer *to, const char *part, struct fill *fill) {
  const pprofc_str template = {(const char *)asset_results_template, asset_results_template_size};
  fill_words(fill, "version", PPROFC_VERSION);
  rpc_put_part(to, template, part, fill);
  fill_free(fill);
}

/* Adds a line with its cost to `fill`. If `before` is not empty, the text is "BEFORE: COST". */
static void result_item(struct fill *fill, const struct lsp *lsp, const struct document *d,
                        size_t line, pprofc_str before, const struct cost *cost) {
  struct buffer text = buffer_make(&mem_default, SIZE_MAX);
  escape_line(&text, str_slice(before, 0, 120));
  if (before.size) buffer_add_text(&text, ": ");
  costs_put(&lsp->costs, &text, cost);
  fill_pack(fill, "items:{line:i end:i", (int64_t)line, (int64_t)document_length(d, line));
  escape_json(fill_html(fill, "header"), buffer_str(&lsp->costs.header));
  escape_json(fill_html(fill, "costs"), buffer_str(&text));
  escape_json(fill_html(fill, "function"), cost->function);
  fill_end(fill);
  buffer_free(&text);
}

/* Returns the line of the document on which a cost is shown. Lines start at 0. Returns SIZE_MAX if
 * the text of the line changed. */
static size_t lsp_line_of(const struct document *d, const struct cost *cost) {
  if (!d->file.size || !str_equal(cost->file, d->file)) return SIZE_MAX;
  size_t opened = follow_line(&d->follow, (size_t)cost->line - 1, false);
  return document_map(d, d->first_lines, d->now_lines, opened);
}

static void lsp_hints(const struct lsp *lsp, const struct document *d, const struct node *params,
                      struct fill *fill) {
  int64_t from = node_integer(node_path(params, "range.start.line"));
  const struct node *end = node_path(params, "range.end.line");
  int64_t to = end ? node_integer(end) : INT64_MAX;
  for (size_t i = 0; i < lsp->costs.count; i++) {
    const struct cost *n = &lsp->costs.items[i];
    size_t line = lsp_line_of(d, n);
    if (line == SIZE_MAX || (int64_t)line < from || (int64_t)line > to) continue;
    result_item(fill, lsp, d, line, STR(""), n);
  }
}

static void lsp_lenses(const struct lsp *lsp, const struct document *d, const struct node *params,
                       struct fill *fill) {
  (void)params;
  for (size_t i = 0; i < lsp->costs.count; i++) {
    const struct cost *n = &lsp->costs.items[i];
    size_t line = lsp_line_of(d, n);
    if (line == SIZE_MAX || !n->first) continue;
    struct cost function = costs_function(&lsp->costs, n->function);
    if (function.function.size) result_item(fill, lsp, d, line, n->function, &function);
  }
}

/* Appends the cost of a line, and the calls to and from its function. In a comparison, also appends
 * the header of the verdict table as a code block. */
static void lsp_put_hover(const struct lsp *lsp, const struct cost *cost, struct buffer *text) {
  pprofc_str rest = buffer_str(&lsp->costs.header), line;
  costs_put_name(text, cost->function);
  buffer_add_text(text, ", this line: ");
  costs_put(&lsp->costs, text, cost);
  buffer_add_text(text, "\n\n");
  costs_put_calls(&lsp->costs, text, cost->function);
  buffer_add_char(text, '\n');
  while (str_next_line(&rest, &line)) buffer_printf(text, "    %.*s\n", STR_ARG(line));
}

static void lsp_hover(const struct lsp *lsp, const struct document *d, const struct node *params,
                      struct rpc_answer *answer) {
  int64_t at = node_integer(node_path(params, "position.line"));
  size_t line = at >= 0 ? document_map(d, d->now_lines, d->first_lines, (size_t)at) : SIZE_MAX;
  if (line != SIZE_MAX) line = follow_line(&d->follow, line, true);
  const struct cost *best = NULL;
  for (size_t i = 0; i < lsp->costs.count && line != SIZE_MAX; i++) {
    const struct cost *n = &lsp->costs.items[i];
    if ((uint64_t)n->line == line + 1 && str_equal(n->file, d->file) &&
        (!best || costs_total(n) > costs_total(best)))
      best = n;
  }
  if (!best) return;
  struct buffer text = buffer_make(&mem_default, SIZE_MAX);
  struct fill fill = fill_make(&mem_default);
  lsp_put_hover(lsp, best, &text);
  escape_json(fill_html(&fill, "text"), buffer_str(&text));
  result_put(&answer->result, "hover", &fill);
  buffer_free(&text);
}

/* Adds diagnostics to the lines with the largest costs. The costs are sorted, largest first. */
static void lsp_diagnose(const struct lsp *lsp, struct rpc *rpc, const struct document *d) {
  size_t shown = 0;
  struct buffer params = buffer_make(&mem_default, SIZE_MAX);
  struct fill fill = fill_make(&mem_default);
  escape_json(fill_html(&fill, "uri"), buffer_str(&d->uri));
  for (size_t i = 0; i < lsp->costs.count && shown < LSP_DIAGNOSTICS; i++) {
    const struct cost *n = &lsp->costs.items[i];
    size_t line = lsp_line_of(d, n);
    if (line == SIZE_MAX || costs_own(n) == 0) continue;
    result_item(&fill, lsp, d, line, n->function, n);
    shown++;
  }
  result_put(&params, "diagnostics", &fill);
  if (!params.failed) rpc_notify(rpc, "textDocument/publishDiagnostics", buffer_str(&params));
  buffer_free(&params);
}

static void lsp_initialize(struct lsp *lsp, const struct rpc_request *request) {
  const struct node *support =
      node_path(request->params, "capabilities.window.showDocument.support");
  lsp->initialized = true;
  lsp->shows = node_is(support, NODE_TRUE);
}

/* Requests that the editor shows the page with the flame graph. If the editor does not support this
 * request, shows the user the path of the page. */
static void lsp_show(const struct lsp *lsp, struct rpc *rpc, pprofc_str address) {
  bool shows = lsp->shows && address.size;
  struct buffer params = buffer_make(&mem_default, SIZE_MAX);
  struct fill fill = fill_make(&mem_default);
  escape_json(fill_html(&fill, "path"), str_of(lsp->page.path));
  escape_json(fill_html(&fill, "address"), address);
  result_put(&params, shows ? "show" : "message", &fill);
  if (!params.failed && shows) rpc_ask(rpc, "window/showDocument", buffer_str(&params));
  if (!params.failed && !shows) rpc_notify(rpc, "window/showMessage", buffer_str(&params));
  buffer_free(&params);
}

/* Shows the user the path of the page with the flame graph if the editor failed to show the
 * page. */
static void lsp_respond(void *context, struct rpc *rpc, const struct node *message) {
  const struct lsp *lsp = context;
  if (*lsp->page.folder && !node_is(node_path(message, "result.success"), NODE_TRUE))
    lsp_show(lsp, rpc, STR(""));
}

/* Shows the page of the flame graph with the requested function selected. The result is the page's
 * URL. */
static void lsp_execute(struct lsp *lsp, struct rpc *rpc, const struct rpc_request *request,
                        struct rpc_answer *answer) {
  const struct node *argument = node_at(node_get(request->params, "arguments"), 0);
  pprofc_error error;
  if (!str_equal(node_text(request->params, "command"), STR("pprofc.openPage")) ||
      !node_is(argument, NODE_STRING) ||
      !costs_function(&lsp->costs, argument->text).function.size) {
    rpc_fail(answer, RPC_INVALID_PARAMS, "pprofc.openPage needs the name of a function");
    return;
  }
  struct buffer address = buffer_make(&mem_default, SIZE_MAX);
  if (page_address(&lsp->page, lsp->command, &lsp->costs, argument->text, &address, &error)) {
    rpc_fail(answer, RPC_INTERNAL_ERROR, error.message);
  } else {
    lsp_show(lsp, rpc, buffer_str(&address));
    rpc_put_string(&answer->result, buffer_str(&address));
  }
  buffer_free(&address);
}

/* ---- dispatch ---------------------------------------- */

typedef void (*lsp_fill_fn)(const struct lsp *lsp, const struct document *d,
                            const struct node *params, struct fill *fill);

static void lsp_list(const struct lsp *lsp, const struct rpc_request *request, const char *part,
                     lsp_fill_fn add, struct rpc_answer *answer) {
  const struct document *d = lsp_find(lsp, request->params);
  struct fill fill = fill_make(&mem_default);
  if (d && add) add(lsp, d, request->params, &fill);
  result_put(&answer->result, part, &fill);
}

static void lsp_notified(struct lsp *lsp, struct rpc *rpc, const struct rpc_request *request) {
  pprofc_str method = request->method;
  struct document *d = NULL;
  if (str_equal(method, STR("exit"))) rpc_end(rpc);
  if (!lsp->initialized || lsp->shut_down) return;
  if (str_equal(method, STR("textDocument/didClose"))) lsp_close(lsp, request->params);
  if (str_equal(method, STR("textDocument/didOpen"))) d = lsp_open(lsp, request->params);
  if (str_equal(method, STR("textDocument/didChange"))) {
    d = lsp_find(lsp, request->params);
    lsp_change(d, request->params);
  }
  if (d) lsp_diagnose(lsp, rpc, d);
}

/* Returns false and adds an error if the request comes before initialize or after shutdown. */
static bool lsp_is_ready(const struct lsp *lsp, pprofc_str method, struct rpc_answer *answer) {
  if (lsp->shut_down)
    rpc_fail(answer, RPC_INVALID_REQUEST, "the server is shut down");
  else if (!lsp->initialized && !str_equal(method, STR("initialize")))
    rpc_fail(answer, LSP_NOT_INITIALIZED, "initialize comes first");
  return !answer->code;
}

static void lsp_handle(void *context, struct rpc *rpc, const struct rpc_request *request,
                       struct rpc_answer *answer) {
  struct lsp *lsp = context;
  pprofc_str method = request->method;
  if (!request->id.size) {
    lsp_notified(lsp, rpc, request);
  } else if (!lsp_is_ready(lsp, method, answer)) {
    return;
  } else if (str_equal(method, STR("initialize"))) {
    lsp_initialize(lsp, request);
    lsp_list(lsp, request, "initialize", NULL, answer);
  } else if (str_equal(method, STR("textDocument/inlayHint"))) {
    lsp_list(lsp, request, "hints", lsp_hints, answer);
  } else if (str_equal(method, STR("textDocument/codeLens"))) {
    lsp_list(lsp, request, "lenses", lsp_lenses, answer);
  } else if (str_equal(method, STR("textDocument/hover"))) {
    const struct document *d = lsp_find(lsp, request->params);
    if (d) lsp_hover(lsp, d, request->params, answer);
  } else if (str_equal(method, STR("workspace/executeCommand"))) {
    lsp_execute(lsp, rpc, request, answer);
  } else if (str_equal(method, STR("shutdown"))) {
    lsp->shut_down = true;
  } else {
    rpc_fail(answer, RPC_METHOD_NOT_FOUND, "method not found");
  }
}

/* Checks that the commit of -source_diff exists in the repository of the working directory. */
static pprofc_status lsp_check_commit(const char *ref, pprofc_error *error) {
  struct revisions revisions;
  if (!*ref) return PPROFC_OK;
  pprofc_status status = revisions_open_at(&revisions, ".", ref, 0, &mem_default, error);
  revisions_free(&revisions);
  return status;
}

pprofc_status lsp_run(const struct command *command, int in, int out, pprofc_error *error) {
  struct lsp *lsp = mem_zero_array(&mem_default, 1, sizeof *lsp);
  if (!lsp) return error_nomem(error);
  lsp->command = command;
  lsp->ref = command->report.source_diff ? command->report.source_diff : "";
  pprofc_status status = lsp_check_commit(lsp->ref, error);
  if (!status) status = costs_read(&lsp->costs, command, error);
  if (!status) {
    lsp->time = command->bases.count ? 0 : lsp->costs.profile->time_nanos;
    const struct rpc_server server = {
        .framing = RPC_HEADERS, .context = lsp, .handle = lsp_handle, .respond = lsp_respond};
    if (rpc_run(&server, in, out) != 0) status = error_nomem(error);
  }
  while (lsp->count) lsp_free_document(lsp->documents[--lsp->count]);
  page_remove(&lsp->page);
  costs_free(&lsp->costs);
  mem_free(&mem_default, lsp, 1, sizeof *lsp);
  return status;
}

pprofc_status quickfix_print(const struct command *command, pprofc_write_fn write, void *context,
                             pprofc_error *error) {
  struct costs costs;
  struct output out;
  struct log_guard guard;
  size_t left = command->report.nodecount > 0 ? (size_t)command->report.nodecount : QUICKFIX_LINES;
  pprofc_status status = costs_read(&costs, command, error);
  log_guard_output(&out, &guard, write, context);
  for (size_t i = 0; i < costs.count && left && !status; i++) {
    const struct cost *n = &costs.items[i];
    if (costs_own(n) == 0) continue;
    left--;
    struct buffer text = buffer_make(&mem_default, SIZE_MAX);
    escape_line(&text, n->file);
    buffer_printf(&text, ":%lld:1: ", (long long)n->line);
    costs_put(&costs, &text, n);
    buffer_add_text(&text, " in ");
    escape_line(&text, n->function);
    buffer_add_char(&text, '\n');
    output_add_str(&out, buffer_str(&text));
    buffer_free(&text);
  }
  costs_free(&costs);
  return status ? status : output_flush(&out, error);
}
