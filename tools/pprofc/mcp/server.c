/* Implements the Model Context Protocol. In revision 2026-07-28 each request names its revision. In
 * revisions 2025-11-25 and 2025-06-18 a session begins with the method initialize. */
#include "actions.h"
#include "mcp/mcp.h"

#define META_VERSION      "io.modelcontextprotocol/protocolVersion"
#define META_CAPABILITIES "io.modelcontextprotocol/clientCapabilities"
#define VERSION_NOW       "2026-07-28"

#define MCP_NOT_INITIALIZED     (-32002)
#define MCP_UNSUPPORTED_VERSION (-32022)

static const char *const handshakes[] = {"2025-11-25", "2025-06-18", NULL};

/* Formats the result of an answer with the section `part` of answers.template. `modern` selects
 * MCP's revision 2026-07-28. */
static void answer_fill(struct rpc_answer *answer, const char *part, struct fill *fill,
                        bool modern) {
  fill_pack(fill, "modern:b version:s", modern, PPROFC_VERSION);
  answer_put(&answer->result, part, fill);
  fill_free(fill);
}

static void answer_plain(struct rpc_answer *answer, const char *part, bool modern) {
  struct fill fill = fill_make(&mem_default);
  answer_fill(answer, part, &fill, modern);
}

static void method_list(const struct rpc_request *request, bool modern, struct rpc_answer *answer) {
  if (node_get(request->params, "cursor"))
    rpc_fail(answer, RPC_INVALID_PARAMS, "unknown cursor: the list has one page");
  else
    answer_plain(answer, "list", modern);
}

struct data_parts {
  const struct buffer *parts[2];
};

/* Writes an answer's text, which comes from files. Escapes "</data" in the text, because the tags
 * <data> and </data> enclose the text. */
static pprofc_status data_render(const void *context, pprofc_write_fn write, void *to,
                                 pprofc_error *error) {
  const struct data_parts *d = context;
  int failed = 0;
  for (size_t p = 0; p < 2; p++) {
    pprofc_str rest = buffer_str(d->parts[p]);
    while (rest.size) {
      size_t mark = str_find(rest, STR("</data"));
      failed |= write(to, rest.data, mark);
      if (mark < rest.size) failed |= write(to, "<_data", 6);
      rest = str_slice(rest, mark + strlen("</data"), rest.size);
    }
  }
  return failed ? error_nomem(error) : PPROFC_OK;
}

/* Appends the text of the answer between <data> tags. Shortens the text to leave room for the
 * suggested next calls. */
static void put_answer_data(struct buffer *to, const struct call *call) {
  const struct brief kind = {.kind = BRIEF_LINES};
  const struct data_parts parts = {{&call->head, &call->text}};
  pprofc_error error;
  size_t used = strlen("<data>\n</data>\n");
  for (size_t i = 0; i < call->next_count; i++) used += call->next[i].size + strlen("next: \n");
  buffer_add_text(to, "<data>\n");
  if (brief_report(&kind, call->most - used, "a larger \"budget\"", data_render, &parts,
                   buffer_write, to, &error) != PPROFC_OK)
    to->failed = true;
  buffer_add_text(to, "</data>\n");
}

static void put_result(struct rpc_answer *to, struct call *call, bool modern, pprofc_status status,
                       const pprofc_error *error) {
  struct buffer answer = buffer_make(&mem_default, SIZE_MAX);
  struct fill fill = fill_make(&mem_default);
  if (status) {
    buffer_clear(&call->head);
    buffer_clear(&call->text);
    escape_terminal(&call->text, str_of(error->message), false);
    buffer_add_char(&call->text, '\n');
    call->next_count = 0;
    call_next(call, "open", NULL);
  }
  put_answer_data(&answer, call);
  escape_json(fill_html(&fill, "answer"), buffer_str(&answer));
  for (size_t i = 0; i < call->next_count; i++) {
    fill_begin(&fill, "next");
    escape_json(fill_html(&fill, "call"), buffer_str(&call->next[i]));
    fill_end(&fill);
  }
  fill_flag(&fill, "failed", status != PPROFC_OK);
  answer_fill(to, "call", &fill, modern);
  to->result.failed |= answer.failed || call->head.failed || call->text.failed;
  buffer_free(&answer);
}

/* Sends a progress message at the start of a call, if the client sent a progress token. */
static void send_progress(struct rpc *rpc, const struct rpc_request *request,
                          const struct node *schema) {
  const struct node *meta = node_get(request->params, "_meta");
  pprofc_str token = rpc_id(node_get(meta, "progressToken"), request->arena);
  if (!token.size) return;
  struct buffer text = buffer_make(&mem_default, SIZE_MAX);
  struct fill fill = fill_make(&mem_default);
  buffer_add_str(fill_html(&fill, "token"), token);
  fill_str(&fill, "title", node_text(schema, "title"));
  answer_put(&text, "progress", &fill);
  rpc_notify(rpc, "notifications/progress", buffer_str(&text));
  fill_free(&fill);
  buffer_free(&text);
}

static size_t call_bytes(struct call *call) {
  int64_t most = call_number(call, "budget", CALL_BUDGET);
  if (most < CALL_BUDGET_LEAST) most = CALL_BUDGET_LEAST;
  return (size_t)(most > CALL_BUDGET_MOST ? CALL_BUDGET_MOST : most);
}

void mcp_set_running(struct mcp *mcp, struct budget *budget) {
  pthread_mutex_lock(&mcp->lock);
  mcp->running = budget;
  pthread_mutex_unlock(&mcp->lock);
}

static pprofc_status run_tool(struct mcp *mcp, tool_fn run, const struct node *schema,
                              struct call *call, pprofc_error *error) {
  call->budget = budget_new(budget_allocator(mcp->budget), mcp->command->limits.memory_bytes);
  if (!call->budget) return error_nomem(error);
  budget_set_time(call->budget, CALL_TIME);
  mcp_set_running(mcp, call->budget);
  mcp->profiles.calls++;
  call->most = call_bytes(call);
  pprofc_status status = tool_check(schema, call->arguments, error);
  if (!status) status = run(call, error);
  status = budget_status(budget_allocator(call->budget), status, error);
  mcp_set_running(mcp, NULL);
  budget_release(call->budget);
  return status;
}

/* Stores the suggested next call, so that the server can compute the call's results in advance. */
static void mcp_expect_next(struct call *call) {
  pprofc_str next = buffer_str(&call->next[0]);
  text_free(call->mcp->coming);
  call->mcp->coming = NULL;
  if (!call->next_count) return;
  while (next.size && *next.data != '{') next = str_slice(next, 1, next.size);
  call->mcp->coming = text_copy(next);
}

static void method_call(struct mcp *mcp, struct rpc *rpc, const struct rpc_request *request,
                        bool modern, struct rpc_answer *answer) {
  struct call call = {.mcp = mcp, .arena = request->arena, .most = CALL_BUDGET};
  pprofc_error error = {.message = ""};
  const struct node *schema = NULL;
  tool_fn run = tool_find(&call, node_get(request->params, "name"), &schema);
  call.arguments = node_get(request->params, "arguments");
  if (!run || (call.arguments && !node_is(call.arguments, NODE_OBJECT))) {
    rpc_fail(answer, RPC_INVALID_PARAMS, run ? "the arguments are not an object" : "unknown tool");
    return;
  }
  buffer_init(&call.head, &mem_default, SIZE_MAX);
  buffer_init(&call.text, &mem_default, SIZE_MAX);
  for (size_t i = 0; i < CALL_NEXT; i++) buffer_init(&call.next[i], &mem_default, SIZE_MAX);
  send_progress(rpc, request, schema);
  pprofc_status status = run_tool(mcp, run, schema, &call, &error);
  put_result(answer, &call, modern, status, &error);
  mcp_expect_next(&call);
  buffer_free(&call.head);
  buffer_free(&call.text);
  for (size_t i = 0; i < CALL_NEXT; i++) buffer_free(&call.next[i]);
}

static void method_initialize(struct mcp *mcp, const struct rpc_request *request,
                              struct rpc_answer *answer) {
  pprofc_str wanted = node_text(request->params, "protocolVersion");
  if (!wanted.size) {
    rpc_fail(answer, RPC_INVALID_PARAMS, "initialize has no protocolVersion");
    return;
  }
  int known = str_index(wanted, handshakes);
  mcp->initialized = true;
  struct fill fill = fill_make(&mem_default);
  fill_words(&fill, "protocol", handshakes[known < 0 ? 0 : known]);
  answer_fill(answer, "initialize", &fill, false);
}

/* Sets an error which says that the server does not support the version in the request's _meta. */
static void fail_version(pprofc_str version, struct rpc_answer *answer) {
  rpc_fail(answer, MCP_UNSUPPORTED_VERSION, "Unsupported protocol version");
  struct fill fill = fill_make(&mem_default);
  for (size_t i = 0; handshakes[i]; i++) {
    fill_pack(&fill, "handshakes:{version:s}", handshakes[i]);
  }
  escape_json(fill_html(&fill, "requested"), version);
  answer_put(&answer->data, "versions", &fill);
  fill_free(&fill);
}

/* True if the request has the form of MCP's revision 2026-07-28. */
static bool is_modern(const struct rpc_request *request) {
  const struct node *meta = node_get(request->params, "_meta");
  return node_find(meta, STR(META_VERSION)) != NULL ||
         str_equal(request->method, STR("server/discover"));
}

/* Checks the member _meta of a request of MCP's revision 2026-07-28. This member must name this
 * revision and the capabilities of the client. */
static bool check_modern(const struct rpc_request *request, struct rpc_answer *answer) {
  const struct node *meta = node_get(request->params, "_meta");
  const struct node *version = node_find(meta, STR(META_VERSION));
  if (!node_is(version, NODE_STRING))
    rpc_fail(answer, RPC_INVALID_PARAMS, "_meta has no " META_VERSION);
  else if (!str_equal(version->text, STR(VERSION_NOW)))
    fail_version(version->text, answer);
  else if (!node_is(node_find(meta, STR(META_CAPABILITIES)), NODE_OBJECT))
    rpc_fail(answer, RPC_INVALID_PARAMS, "_meta has no " META_CAPABILITIES);
  return !answer->code;
}

/* Answers the method ping, which only the older revisions of the protocol have. */
static bool mcp_ping(bool modern, const struct rpc_request *request, struct rpc_answer *answer) {
  if (modern || !str_equal(request->method, STR("ping"))) return false;
  buffer_add_text(&answer->result, "{}");
  return true;
}

static void mcp_handle(void *context, struct rpc *rpc, const struct rpc_request *request,
                       struct rpc_answer *answer) {
  struct mcp *mcp = context;
  pprofc_str method = request->method;
  bool modern = is_modern(request);
  if (!request->id.size)
    return; /* A notification gets no answer. The reading thread has already handled it. */
  if (modern && !check_modern(request, answer)) return;
  if (mcp_ping(modern, request, answer)) return;
  if (!modern && str_equal(method, STR("initialize")))
    method_initialize(mcp, request, answer);
  else if (!modern && !mcp->initialized)
    rpc_fail(answer, MCP_NOT_INITIALIZED,
             "initialize comes first, or _meta with " META_VERSION " in each request");
  else if (str_equal(method, STR("server/discover")))
    answer_plain(answer, "discover", true);
  else if (str_equal(method, STR("tools/list")))
    method_list(request, modern, answer);
  else if (str_equal(method, STR("tools/call")))
    method_call(mcp, rpc, request, modern, answer);
  else
    rpc_fail(answer, RPC_METHOD_NOT_FOUND, "method not found");
}

static pprofc_str mcp_cancels(const struct node *message, struct arena *arena) {
  if (!str_equal(node_text(message, "method"), STR("notifications/cancelled"))) return STR("");
  return rpc_id(node_path(message, "params.requestId"), arena);
}

static void mcp_stop(void *context) {
  struct mcp *mcp = context;
  pthread_mutex_lock(&mcp->lock);
  if (mcp->running) budget_cancel(mcp->running);
  pthread_mutex_unlock(&mcp->lock);
}

/* Opens the view of the suggested next call. Returns false if that call needs no view. */
static bool idle_open(struct call *call) {
  struct mcp *mcp = call->mcp;
  struct node *arguments = NULL;
  struct profile_view *view;
  pprofc_error error;
  if (!mcp->coming) return false;
  bool made =
      json_tree_parse(call->arena, NULL, str_of(mcp->coming), &arguments, &error) == PPROFC_OK;
  call->arguments = arguments;
  made = made && node_get(arguments, "profile") && view_of_call(call, &view, &error) == PPROFC_OK;
  text_free(mcp->coming);
  mcp->coming = NULL;
  return made;
}

/* Computes results of views in advance. Runs while no request waits. */
static bool mcp_idle(void *context) {
  struct mcp *mcp = context;
  struct arena arena;
  struct call call = {.mcp = mcp, .arena = &arena};
  call.budget = budget_new(budget_allocator(mcp->budget), mcp->command->limits.memory_bytes);
  if (!call.budget) return false;
  arena_init(&arena, &mem_default);
  bool more = idle_open(&call) || view_warm(&call);
  mcp_set_running(mcp, NULL);
  arena_free(&arena);
  budget_release(call.budget);
  return more;
}

int mcp_serve(const struct command *command, int in, int out, pprofc_error *error) {
  struct mcp *mcp = mem_zero_array(&mem_default, 1, sizeof *mcp);
  struct budget *budget = budget_new(&mem_default, command->limits.memory_bytes);
  int code = 2;
  pprofc_status status = mcp && budget ? PPROFC_OK : error_nomem(error);
  if (!status) {
    mcp->command = command;
    pthread_mutex_init(&mcp->lock, NULL);
    mcp->budget = budget;
    mcp->profiles = (struct profiles){.command = command, .files = &mcp->files, .budget = budget};
    status = files_open(&mcp->files, command->sources, command->source_count, error);
  }
  if (!status) {
    const struct rpc_server server = {.framing = RPC_LINES,
                                      .context = mcp,
                                      .handle = mcp_handle,
                                      .cancels = mcp_cancels,
                                      .stop = mcp_stop,
                                      .idle = mcp_idle};
    code = rpc_run(&server, in, out);
  }
  if (mcp) {
    profiles_free(&mcp->profiles);
    text_free(mcp->coming);
    files_close(&mcp->files);
  }
  budget_release(budget);
  mem_free(&mem_default, mcp, 1, sizeof *mcp);
  return code;
}

int mcp_run(const struct command *command) {
  pprofc_error error = {.message = ""};
  int code = mcp_serve(command, STDIN_FILENO, STDOUT_FILENO, &error);
  if (code && *error.message) message_error("pprofc: %s", error.message);
  return code;
}
