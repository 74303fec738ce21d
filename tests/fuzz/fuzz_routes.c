/* Creates two random profiles and requests, and sends the requests to the routes of -http: pages,
 * data, downloads, uploads, saved views. Each request must get a reply. No name may end the data of
 * a page. */
#include "report_target.h"
#include "scratch.h"
#include "shape.h"
#include "steps.h"
#include "web/routes.h"

#include <fcntl.h>
#include <pthread.h>

struct http_exchange {
  pthread_mutex_t lock;
  pthread_cond_t answered;
  struct web_reply *reply;
};

static void keep_answer(void *asker, struct web_reply *reply) {
  struct http_exchange *exchange = asker;
  pthread_mutex_lock(&exchange->lock);
  exchange->reply = reply;
  pthread_cond_signal(&exchange->answered);
  pthread_mutex_unlock(&exchange->lock);
}

static struct web_reply *wait_for_answer(struct http_exchange *exchange) {
  pthread_mutex_lock(&exchange->lock);
  while (!exchange->reply) pthread_cond_wait(&exchange->answered, &exchange->lock);
  pthread_mutex_unlock(&exchange->lock);
  return exchange->reply;
}

static void check_answer(const struct web_reply *reply) {
  pprofc_str body = buffer_str(&reply->body);
  REQUIRE(reply->status >= 200 && reply->status < 600);
  if (strcmp(reply->type, REPLY_HTML) == 0) check_page(body);
  if (strcmp(reply->type, REPLY_JSON) == 0) check_json(body);
  if (strcmp(reply->type, REPLY_TEXT) == 0) check_text(body);
}

/* ---- requests ---------------------------------------- */

static void draw_path(struct shape *s, struct buffer *path) {
  static const char *const names[] = {"flamedata",    "download",       "download", "download",
                                      "status",       "reload",         "upload",   "saveconfig",
                                      "deleteconfig", "assets/app.css", "nowhere",  ""};
  size_t views = 0;
  while (web_view_at(views)) views++;
  bool view = shape_byte(s) & 1;
  buffer_add_text(path, "/ui/");
  buffer_add_text(path,
                  view ? web_view_at(shape_below(s, (unsigned)views))->path : SHAPE_OF(s, names));
}

static void draw_parameters(struct shape *s, struct buffer *text) {
  static const char *const parts[] = {"what=profile",
                                      "what=top",
                                      "what=csv",
                                      "what=folded",
                                      "what=speedscope",
                                      "what=flame",
                                      "what=json",
                                      "what=svg",
                                      "what=dot",
                                      "what=raw",
                                      "what=x",
                                      "rows=all",
                                      "side=base",
                                      "side=head",
                                      "side=diff",
                                      "side=x",
                                      "base=none",
                                      "base=1",
                                      "base=2",
                                      "base=9",
                                      "head=2",
                                      "head=99",
                                      "f=n1",
                                      "i=main",
                                      "sf=n1",
                                      "tf=k1",
                                      "g=lines",
                                      "g=files",
                                      "calltree=t",
                                      "rel=t",
                                      "unit=ms",
                                      "sort=cum",
                                      "p=n1",
                                      "sel=%22%3E",
                                      "f=%5B",
                                      "q=n",
                                      "si=1",
                                      "n=3",
                                      "config=a",
                                      "name=a%22%3C",
                                      "tagroot=k0",
                                      "view=flamegraph",
                                      "norm=t",
                                      "zoom=1",
                                      "zoom=99999",
                                      "inverted=t",
                                      "color=origin",
                                      "view=%2F%2Fx"};
  for (unsigned count = shape_below(s, 6); count; count--) {
    if (text->size) buffer_add_char(text, '&');
    buffer_add_text(text, SHAPE_OF(s, parts));
  }
}

static void ask(struct shape *s, struct web *web, const char *upload) {
  struct http_exchange exchange = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL};
  struct buffer path, query;
  bool has_upload = false;
  buffer_init(&path, &mem_default, 1 << 10);
  buffer_init(&query, &mem_default, 1 << 12);
  draw_path(s, &path);
  draw_parameters(s, &query);
  unsigned methods = routes_methods(buffer_str(&path), &has_upload);
  struct http_request request = {.method = methods & GUARD_GET ? GUARD_GET : GUARD_POST,
                                 .path = buffer_str(&path),
                                 .query = buffer_str(&query),
                                 .form = STR(""),
                                 .body = has_upload ? open(upload, O_RDONLY | O_CLOEXEC) : -1};
  struct web_reply *reply = routes_answer(web, &exchange, &request);
  if (!reply) reply = wait_for_answer(&exchange);
  check_answer(reply);
  reply_release(reply);
  if (request.body >= 0) close(request.body);
  buffer_free(&path);
  buffer_free(&query);
}

/* ---- the server without connections ------------------ */

static void serve(struct shape *s, struct command *command, const char *upload) {
  struct web web = {.command = command};
  pprofc_error error = {PPROFC_OK, PPROFC_NO_OFFSET, ""};
  char path[128];
  snprintf(web.settings, sizeof web.settings, "%s", scratch_path("settings.json", path));
  if (state_load(command, &web.state, &error) == PPROFC_OK) {
    struct jobs_settings settings = {.workers = 1,
                                     .waiting_most = 8,
                                     .parent = command->budget,
                                     .bytes = 64u << 20,
                                     .milliseconds = 8000,
                                     .run = routes_run,
                                     .forget = routes_forget,
                                     .answer = keep_answer};
    web.cache = settings.cache = cache_new(1 << 20);
    web.trees = trees_new(16u << 20);
    dot_slots_init(&web.dot, 1);
    web.jobs = jobs_start(&settings);
    REQUIRE(web.cache && web.trees && web.jobs);
    for (unsigned left = 1 + shape_below(s, 4); left; left--) ask(s, &web, upload);
    jobs_stop(web.jobs);
  } else {
    REQUIRE(error.message[0]);
  }
  jobs_free(web.jobs);
  cache_free(web.cache);
  trees_free(web.trees);
  state_free(web.state);
}

static void write_profile(struct shape *s, const char *name, char path[128]) {
  pprofc_str bytes = shape_write(s);
  scratch_write(name, bytes.data, bytes.size, path);
  buffer_free(&s->out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static struct command_flags flags; /* static, because the struct is too large for the stack */
  struct shape s;
  struct command command;
  struct flags_parsed parsed;
  pprofc_error error;
  char head[128], base[128], option[160];
  setenv("PATH", "/nowhere", 1); /* hide graphviz */
  scratch_clear();
  shape_open(&s, data, size);
  bool compared = shape_byte(&s) & 1;
  struct shape again = s;
  again.random++;
  write_profile(&s, "head.pb", head);
  write_profile(&again, "base.pb", base);
  snprintf(option, sizeof option, "-diff_base=%s", base);
  char *arguments[] = {(char[]){"pprofc"},          (char[]){"-http="},
                       (char[]){"-symbolize=none"}, compared ? option : head,
                       compared ? head : NULL,      NULL};
  if (!flags.table.flag_count) command_flags_init(&flags);
  REQUIRE(command_parse(&flags, &command, compared ? 5 : 4, arguments, &parsed, &error) ==
          PPROFC_OK);
  command.limits = fuzz_limits();
  command.budget = budget_new(&mem_default, command.limits.memory_bytes);
  REQUIRE(command.budget);
  serve(&s, &command, base);
  budget_release(command.budget);
  command_free(&command);
  return 0;
}
