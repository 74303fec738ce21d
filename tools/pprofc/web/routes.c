/* Lists the paths, and calls the handler of a request. Answers uploads of profiles, and requests
 * that change or describe the state of the server. */
#include "web/routes.h"

#include "destination.h"

/* Answers a request that changed something. A page without a script sends the parameter `view`, and
 * gets a redirect to that view. A script gets a reply that reports success. */
static struct web_reply *route_back(const struct web_question *q) {
  static const struct web_change without[] = {
      {"config", {"", 0}}, {"view", {"", 0}}, {"pin", {"", 0}}};
  const char *view = web_query_get(&q->query, "view");
  if (!web_view_find(str_of(view))) return reply_new(200, REPLY_TEXT);
  struct buffer query = buffer_make(&mem_default, (size_t)1 << 20);
  web_query_write(&query, &q->query, without, sizeof without / sizeof *without);
  struct web_reply *reply = query.failed ? NULL : reply_redirect(303, view, buffer_str(&query));
  buffer_free(&query);
  return reply;
}

typedef struct web_reply *(*route_fn)(struct web_question *q);

struct web_route {
  const char *path; /* path below /ui/ */
  unsigned methods;
  route_fn answer;
  const char *redirect; /* target of a permanent redirect (status 301), or NULL */
  bool upload;          /* true if the path accepts a long body */
  bool at_once;         /* true: the thread that handles connections computes the answer itself */
  /* true if the answer may be cached: it depends only on the query and on state_news.generation */
  bool keep;
};

static struct web_reply *route_save(struct web_question *q) {
  pprofc_error error;
  pprofc_report_options options = q->web->command->report;
  pprofc_status status = web_query_options(&q->query, &options, &error);
  if (status == PPROFC_OK)
    status =
        settings_change(q->web->settings, web_query_get(&q->query, "config"), &options, &error);
  return status == PPROFC_OK ? route_back(q) : route_failure(status, &error);
}

static struct web_reply *route_delete(struct web_question *q) {
  pprofc_error error;
  pprofc_status status =
      settings_change(q->web->settings, web_query_get(&q->query, "config"), NULL, &error);
  return status == PPROFC_OK ? route_back(q) : route_failure(status, &error);
}

/* Reads the body of an upload. The memory counts towards the budget. */
static pprofc_status upload_read(const struct web_question *q, struct buffer *data,
                                 pprofc_error *error) {
  int number = fd_read_all(q->body, data);
  if (data->failed) return error_nomem(error);
  return number ? error_set(error, PPROFC_E_IO, "cannot read the file") : PPROFC_OK;
}

static struct web_reply *route_upload(struct web_question *q) {
  pprofc_error error;
  unsigned id = 0;
  const pprofc_allocator *mem = budget_allocator(q->budget);
  struct buffer data = buffer_make(mem, (size_t)GUARD_UPLOAD_BYTES);
  pprofc_status status = q->body < 0
                             ? error_set(&error, PPROFC_E_INVALID, "the request has no file")
                             : upload_read(q, &data, &error);
  if (status == PPROFC_OK)
    status =
        state_drop(q->web->state, web_query_get(&q->query, "name"), buffer_str(&data), &id, &error);
  buffer_free(&data);
  if (status != PPROFC_OK) return route_failure(budget_status(mem, status, &error), &error);
  struct web_reply *reply = reply_new(200, REPLY_JSON);
  if (reply) buffer_printf(&reply->body, "{\"base\":\"%u\"}\n", id);
  return reply;
}

static struct web_reply *route_reload(struct web_question *q) {
  pprofc_error error;
  pprofc_status status = state_reload(q->web->state, &error);
  if (status != PPROFC_OK) return route_failure(status, &error);
  jobs_forget_answers(q->web->jobs);
  return route_back(q);
}

static struct web_reply *route_pin(struct web_question *q) {
  pprofc_error error;
  bool pinned = strcmp(q->route->path, "pin") == 0;
  uint64_t id = 0;
  bool number = str_parse_uint(str_of(web_query_get(&q->query, "pin")), 10, &id);
  pprofc_status status =
      state_pin(q->web->state, number && id <= UINT32_MAX ? (unsigned)id : 0, pinned, &error);
  return status == PPROFC_OK ? route_back(q) : route_failure(status, &error);
}

static struct web_reply *route_status(struct web_question *q) {
  struct state_news news;
  struct web_reply *reply = reply_new(200, REPLY_JSON);
  if (!reply) return NULL;
  state_news(q->web->state, &news);
  buffer_printf(&reply->body, "{\"generation\":%llu,\"tries\":%llu,\"pending\":\"",
                (unsigned long long)news.generation, (unsigned long long)news.changes);
  escape_json(&reply->body, str_of(news.pending));
  buffer_add_text(&reply->body, "\",\"broken\":\"");
  escape_json(&reply->body, str_of(news.broken));
  buffer_add_text(&reply->body, "\"}\n");
  return reply;
}

#define DOT_MILLISECONDS 10000
/* Interval in milliseconds at which the server checks whether a running graphviz must be stopped.
 */
#define DOT_LOOK_MS 100

/* Initializes the slots. Each slot permits one graphviz process. A lock and a condition variable
 * count the free slots, because macOS has no unnamed semaphores. */
void dot_slots_init(struct dot_slots *slots, unsigned count) {
  pthread_mutex_init(&slots->lock, NULL);
  pthread_cond_init(&slots->freed, NULL);
  slots->free = count ? count : 1;
}

/* Waits until another graphviz process may start. Returns false if the budget ends before that. */
static bool dot_enter(struct dot_slots *slots, const pprofc_allocator *mem) {
  bool entered = false;
  pthread_mutex_lock(&slots->lock);
  while (!entered && !budget_stopped(mem)) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += DOT_LOOK_MS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    if (!slots->free) pthread_cond_timedwait(&slots->freed, &slots->lock, &until);
    entered = slots->free != 0;
  }
  slots->free -= entered;
  pthread_mutex_unlock(&slots->lock);
  return entered;
}

static void dot_leave(struct dot_slots *slots) {
  pthread_mutex_lock(&slots->lock);
  slots->free++;
  pthread_cond_signal(&slots->freed);
  pthread_mutex_unlock(&slots->lock);
}

/* Removes the XML declaration and the document type from the start of the SVG. */
static pprofc_status dot_cut(struct buffer *svg, size_t from, pprofc_error *error) {
  pprofc_str text = str_slice(buffer_str(svg), from, svg->size);
  size_t at = str_find(text, STR("<svg"));
  if (at == text.size)
    return error_set(error, PPROFC_E_IO, "cannot draw the graph: dot wrote no picture");
  memmove(svg->data + from, text.data + at, text.size - at);
  svg->size -= at;
  return PPROFC_OK;
}

pprofc_status dot_draw(void *context, pprofc_str graph, struct buffer *svg, pprofc_error *error) {
  struct dot_slots *slots = context;
  size_t from = svg->size;
  if (!dot_enter(slots, svg->mem)) return error_nomem(error);
  pprofc_status status = graphviz_draw("svg", graph, DOT_MILLISECONDS, svg, error);
  dot_leave(slots);
  return status == PPROFC_OK ? dot_cut(svg, from, error) : status;
}

static const struct web_route routes[] = {
    {"", GUARD_GET, NULL, "flamegraph", false, true, false},
    {"flamegraph2", GUARD_GET, NULL, "flamegraph", false, true, false},
    {"flamegraphold", GUARD_GET, NULL, "flamegraph", false, true, false},
    {"flamedata", GUARD_GET, route_flamedata, NULL, false, false, true},
    {"download", GUARD_GET, route_download, NULL, false, false, false},
    {"saveconfig", GUARD_POST, route_save, NULL, false, false, false},
    {"deleteconfig", GUARD_POST | GUARD_DELETE, route_delete, NULL, false, false, false},
    {"upload", GUARD_POST, route_upload, NULL, true, false, false},
    {"reload", GUARD_POST, route_reload, NULL, false, false, false},
    {"pin", GUARD_POST, route_pin, NULL, false, false, false},
    {"unpin", GUARD_POST, route_pin, NULL, false, false, false},
    {"strip", GUARD_GET, route_strip, NULL, false, false, true},
    {"status", GUARD_GET, route_status, NULL, false, true, false},
};

static const struct web_route view_route = {"", GUARD_GET, route_view, NULL, false, false, true};

static bool routes_below(pprofc_str path, pprofc_str *name) {
  if (!str_starts(path, STR("/ui/"))) return false;
  *name = str_slice(path, 4, path.size);
  return true;
}

static const struct web_route *routes_find(pprofc_str name) {
  const struct web_route *route = STR_ROW(name, routes);
  if (route) return route;
  return web_view_find(name) ? &view_route : NULL;
}

unsigned routes_methods(pprofc_str path, bool *upload) {
  pprofc_str name;
  const struct web_route *route = routes_below(path, &name) ? routes_find(name) : NULL;
  *upload = route && route->upload;
  return route ? route->methods : GUARD_GET;
}

/* Decodes the parameters of the URL and of a form. */
static pprofc_status routes_parse(const struct http_request *request, struct web_question *q,
                                  pprofc_error *error) {
  struct buffer text = buffer_make(&mem_default, GUARD_HEAD_BYTES + GUARD_BODY_BYTES + 1);
  buffer_add_str(&text, request->query);
  buffer_add_char(&text, '&');
  buffer_add_str(&text, request->form);
  pprofc_status status = text.failed
                             ? error_nomem(error)
                             : web_query_parse(buffer_str(&text), &q->arena, &q->query, error);
  buffer_free(&text);
  return status;
}

static struct web_question *routes_question(struct web *web, const struct web_route *route,
                                            const struct http_request *request, pprofc_error *error,
                                            pprofc_status *status) {
  struct web_question *q = mem_zero_array(&mem_default, 1, sizeof *q);
  *status = PPROFC_E_NOMEM;
  error_nomem(error);
  if (!q) return NULL;
  *q = (struct web_question){.web = web, .route = route, .method = request->method, .body = -1};
  arena_init(&q->arena, &mem_default);
  *status = routes_parse(request, q, error);
  if (*status == PPROFC_OK && request->body >= 0) {
    q->body = dup(request->body);
    q->body_size = request->body_size;
    if (q->body < 0) *status = error_set(error, PPROFC_E_IO, "cannot keep the body");
  }
  if (*status == PPROFC_OK) return q;
  routes_forget(q);
  return NULL;
}

void routes_forget(void *question) {
  struct web_question *q = question;
  if (q->body >= 0) close(q->body);
  arena_free(&q->arena);
  mem_free(&mem_default, q, 1, sizeof *q);
}

struct web_reply *routes_run(void *question, struct budget *budget) {
  struct web_question *q = question;
  q->budget = budget;
  return q->route->answer(q);
}

struct web_reply *route_failure(pprofc_status status, const pprofc_error *error) {
  return reply_text(reply_status_of(status), error->message);
}

/* Writes the key of a request in the cache of answers: "GENERATION NAME QUERY". */
static bool routes_key(const struct web_question *q, pprofc_str name, struct buffer *key) {
  if (!q->route->keep) return true;
  buffer_printf(key, "%llu %llu ", (unsigned long long)state_epoch(q->web->state),
                (unsigned long long)settings_stamp(q->web->settings));
  buffer_add_str(key, name);
  buffer_add_char(key, ' ');
  web_query_write(key, &q->query, NULL, 0);
  return !key->failed;
}

static void routes_prepare(struct web *web, pprofc_str name, pprofc_str query) {
  const struct http_request request = {
      .method = GUARD_GET, .query = query, .form = STR(""), .body = -1};
  pprofc_error error;
  pprofc_status status;
  struct web_question *q = routes_question(web, routes_find(name), &request, &error, &status);
  if (!q) return;
  q->view = web_view_find(name);
  struct buffer key = buffer_make(&mem_default, 1 << 20);
  if (routes_key(q, name, &key))
    jobs_prepare(web->jobs, buffer_str(&key), q);
  else
    routes_forget(q);
  buffer_free(&key);
}

/* Starts to compute the data of the flame graph together with its page, because the browser
 * requests the data right after the page. The data takes longer to compute. */
static void routes_prepare_data(struct web *web, const struct web_query *query) {
  size_t count;
  const struct web_change *changes = view_flame_data(&count);
  struct buffer text = buffer_make(&mem_default, 1 << 20);
  web_query_write(&text, query, changes, count);
  if (!text.failed) routes_prepare(web, FLAME_DATA, buffer_str(&text));
  buffer_free(&text);
}

void routes_prepare_landing(struct web *web, pprofc_str query) {
  routes_prepare(web, FLAME_DATA, query);
  routes_prepare(web, FLAME_VIEW, query);
}

static struct web_reply *routes_ask(struct web *web, const struct web_route *route, pprofc_str name,
                                    struct http_exchange *exchange,
                                    const struct http_request *request) {
  pprofc_error error;
  pprofc_status status;
  struct web_question *q = routes_question(web, route, request, &error, &status);
  if (!q) return route_failure(status, &error);
  q->view = route == &view_route ? web_view_find(name) : NULL;
  if (route->at_once) {
    struct web_reply *reply = route->answer(q);
    routes_forget(q);
    return reply;
  }
  struct buffer key = buffer_make(&mem_default, 1 << 20);
  struct web_reply *reply = NULL;
  if (routes_key(q, name, &key)) {
    if (str_equal(name, FLAME_VIEW)) routes_prepare_data(web, &q->query);
    reply = jobs_ask(web->jobs, buffer_str(&key), q, exchange);
  } else {
    routes_forget(q);
    reply = reply_text(503, "out of memory");
  }
  buffer_free(&key);
  return reply;
}

/* Answers a request for an unknown address. The page has a link back to the profile. */
static struct web_reply *routes_unknown(void) {
  struct web_reply *reply = reply_new(404, REPLY_HTML);
  if (reply) web_unknown_page(&reply->body);
  if (!reply || !reply->body.failed) return reply;
  reply_release(reply);
  return NULL;
}

struct web_reply *routes_answer(void *context, struct http_exchange *exchange,
                                const struct http_request *request) {
  struct web *web = context;
  pprofc_str name;
  if (str_equal(request->path, STR("/ui"))) return reply_redirect(307, "ui/", request->query);
  if (!routes_below(request->path, &name)) return reply_redirect(307, "/ui", request->query);
  const struct web_route *route = routes_find(name);
  if (str_starts(name, STR("assets/"))) {
    const struct web_asset *asset = asset_find(str_slice(name, 7, name.size));
    return asset ? asset_reply(asset, request->gzip) : reply_text(404, "no such file");
  }
  if (!route) return routes_unknown();
  if (route->redirect) return reply_redirect(301, route->redirect, request->query);
  return routes_ask(web, route, name, exchange, request);
}

void routes_gone(void *context, struct http_exchange *exchange) {
  jobs_leave(((struct web *)context)->jobs, exchange);
}
