/* Implements `pprofci push`: sends profiles with labels to Pyroscope, and prints links to the
 * queries that show them. */
#include "push/push.h"

#include "core/json_write.h"
#include "run/files.h"

struct push_link {
  const char *name, *url;
};

/* Links to the queries of all pushed profiles: base and head of each profile type, and their
 * differences. */
struct push_links {
  struct push *push;
  long long from, until; /* range of the profiles' times, in seconds since 1970 */
  struct push_link items[REMOTE_KINDS * 4];
  size_t count;
};

/* Escapes a label value for a query, by the rules of Go's string literals. */
static void links_put_quoted(struct buffer *out, pprofc_str value) {
  buffer_add_char(out, '"');
  for (size_t i = 0; i < value.size; i++) {
    if (value.data[i] == '"' || value.data[i] == '\\') buffer_add_char(out, '\\');
    if (value.data[i] == '\n')
      buffer_add_text(out, "\\n");
    else
      buffer_add_char(out, value.data[i]);
  }
  buffer_add_char(out, '"');
}

/* Returns a query, encoded for a URL:
 * process_cpu:...{service_name="shop",sha="...",side="head"}. */
static const char *links_query(struct push *push, const struct push_item *item) {
  struct buffer query = ci_buffer();
  buffer_printf(&query, "%s{service_name=", item->type);
  links_put_quoted(&query, str_of(push->options->service));
  for (size_t i = 0; i < push->label_count; i++) {
    buffer_printf(&query, ",%.*s=", STR_ARG(push->labels[i].name));
    links_put_quoted(&query, push->labels[i].value);
  }
  if (*item->side) {
    buffer_add_text(&query, ",side=");
    links_put_quoted(&query, str_of(item->side));
  }
  buffer_add_char(&query, '}');
  return text_url(&push->remote.arena, buffer_take(&query, &push->remote.arena), "");
}

static const struct push_item *links_find(const struct push *push, size_t kind, const char *side) {
  for (size_t i = 0; i < push->count; i++)
    if (push->items[i].kind == kind && strcmp(push->items[i].side, side) == 0)
      return &push->items[i];
  return NULL;
}

/* Finds the range of the profiles' times, with a minute more at both ends. */
static void links_find_times(struct push_links *l) {
  l->from = l->until = (long long)time(NULL);
  for (size_t i = 0; i < l->push->count; i++) {
    long long at = l->push->items[i].time_nanos / 1000000000;
    if (at > 0 && at < l->from) l->from = at;
  }
  l->from -= 60;
  l->until += 60;
}

static void links_add(struct push_links *l, size_t kind, const char *what, const char *path) {
  struct arena *arena = &l->push->remote.arena;
  struct buffer url = ci_buffer();
  remote_put_server(&url, l->push->options->to);
  buffer_add_text(&url, path);
  l->items[l->count++] = (struct push_link){
      text_printf(arena, "%s%s%s", remote_kinds[kind].name, *what ? " " : "", what),
      buffer_take(&url, arena).data};
}

static void links_add_side(struct push_links *l, const struct push_item *item) {
  const char *query = links_query(l->push, item);
  links_add(l, item->kind, item->side,
            text_printf(&l->push->remote.arena, "/?query=%s&from=%lld&until=%lld", query, l->from,
                        l->until));
}

static void links_add_difference(struct push_links *l, const struct push_item *base,
                                 const struct push_item *head) {
  const char *left = links_query(l->push, base), *right = links_query(l->push, head);
  links_add(l, base->kind, "difference",
            text_printf(&l->push->remote.arena,
                        "/comparison-diff?leftQuery=%s&rightQuery=%s&leftFrom=%lld&leftUntil=%lld"
                        "&rightFrom=%lld&rightUntil=%lld",
                        left, right, l->from, l->until, l->from, l->until));
}

static void links_make(struct push_links *l) {
  static const char *const sides[] = {"", "base", "head"};
  links_find_times(l);
  for (size_t k = 0; k < REMOTE_KINDS; k++) {
    const struct push_item *found[3];
    for (size_t i = 0; i < 3; i++) {
      found[i] = links_find(l->push, k, sides[i]);
      if (found[i]) links_add_side(l, found[i]);
    }
    if (found[1] && found[2]) links_add_difference(l, found[1], found[2]);
  }
}

static pprofc_status links_save(const void *context, struct output *out, pprofc_error *error) {
  const struct push_links *l = context;
  struct json_writer json;
  (void)error;
  json_init(&json, out, &ci_mem);
  json_pack(&json, "{version:1 links:[");
  for (size_t i = 0; i < l->count; i++) {
    json_pack(&json, "{name:s url:s}", l->items[i].name, l->items[i].url);
  }
  json_end(&json);
  (void)json_finish_file(&json);
  return PPROFC_OK;
}

/* Prints a link to each query and difference, and writes these links to the file of -links. */
static void push_put_links(struct push *push, struct output *out) {
  struct push_links links = {.push = push};
  links_make(&links);
  for (size_t i = 0; i < links.count; i++)
    output_printf(out, "%s: %s\n", links.items[i].name, links.items[i].url);
  if (*push->options->links)
    ci_need(save_printed(push->options->links, links_save, &links, &ci_error));
}

enum { GROUP_WHERE, GROUP_LABELS };

static const struct flag_group groups[] = {
    {"Where", NULL},
    {"Labels",
     "By default, pprofci takes the values of these labels from variables of the CI job."}};

static const char *const formats[] = {"push", "ingest", "otlp", NULL};
static const char *const sides[] = {"base", "head", NULL};

static const char *add_push_label(void *options, const struct flag *flag, const char *text) {
  struct push_options *o = options;
  const char *equals = strchr(text, '=');
  (void)flag;
  if (!equals || equals == text || !equals[1]) return "must be NAME=VALUE";
  if (o->label_count == LABELS_MAX) return "too many";
  o->labels[o->label_count++] = text;
  return NULL;
}

#define FIELD(name) offsetof(struct push_options, name)

static const struct flag flags[] = {
    FLAG(STRING, 0, "to", to, "URL", NULL, "address of the server, without a path"),
    FLAG_WORDS(STRING, 0, "protocol", format, "NAME", "push", formats,
               "protocol of the requests:\n"
               "push: push.v1 of Pyroscope\n"
               "ingest: /ingest of older Pyroscope servers\n"
               "otlp: OpenTelemetry over HTTP, for any collector of profiles"),
    FLAG(STRING, 0, "links", links, "FILE", NULL,
         "write links to the views of the sent profiles to this file, for `pprofci run -links`"),
    FLAG(STRING, GROUP_LABELS, "service", service, "NAME", NULL, "value of the label service_name"),
    FLAG_WORDS(STRING, GROUP_LABELS, "side", side, "NAME", NULL, sides,
               "value of the label side: base or head; default: the name of the profile's folder"),
    FLAG(STRING, GROUP_LABELS, "benchmark", benchmark, "NAME", NULL,
         "value of the label benchmark"),
    FLAG(STRING, GROUP_LABELS, "repository", repository, "NAME", NULL,
         "value of the label repository"),
    FLAG(STRING, GROUP_LABELS, "sha", sha, "COMMIT", NULL,
         "value of the label sha: the commit's id"),
    FLAG(INT, GROUP_LABELS, "pr", pr, "N", NULL, "value of the label pull_request: its number"),
    FLAG_CALLS(STRING, GROUP_LABELS, 0, "label", "NAME=VALUE", add_push_label,
               "additional label of the profiles. May be repeated"),
};

static const char *const usage[] = {"-to URL -service NAME [flags] FILE | DIR ...", NULL};

static const char *const details[] = {
    "Sends cpu, heap, goroutine, mutex and block profiles to Pyroscope, with the labels "
    "service_name, ci, repository, sha, pull_request, benchmark and side. Prints a link to each "
    "kind of profile on the server, and to the difference of base and head. The command does not "
    "send folders named warmup. With -protocol otlp, it sends profiles of any kind, with the "
    "labels as resource attributes, and prints no links.",
    NULL};

static const struct flag_note examples[] = {
    {"pprofci push -to https://pyroscope.example.com -service shop set/",
     "sends a folder of profiles, in a CI job"},
    {NULL, NULL}};

static const struct flag_note environment[] = {
    {"PYROSCOPE_TOKEN", "token that identifies you to Pyroscope; pprofci sends it only over https, "
                        "or to a server on this machine"},
    {"PYROSCOPE_USER", "user for basic authentication; the token is the password"},
    {"PYROSCOPE_TENANT", "value of the header X-Scope-OrgID, which names your tenant"},
    {"OTEL_EXPORTER_OTLP_HEADERS",
     "headers of requests with -protocol otlp: NAME=VALUE,NAME=VALUE"},
    {NULL, NULL}};

static const struct flag_note statuses[] = {
    {"0", "all profiles were sent"}, {"1", "failed"}, {NULL, NULL}};

const struct flag_table push_table = {
    FLAG_TABLE("pprofci push", "sends profiles to Pyroscope or by OTLP, with labels of the change"),
    .examples = examples, .environment = environment};

static void push_check(void *given_options, const struct command_line *line) {
  const struct push_options *options = given_options;
  if (!*options->to) ci_fail("-to is needed");
  if (!*options->service) ci_fail("-service is needed");
  if (strpbrk(options->service, "{}=,")) ci_fail("-service must not contain {, }, = or a comma");
  if (options->pr < 0) ci_fail("-pr must be at least 1");
  if (str_index(str_of(options->format), formats) < 0)
    ci_fail("-protocol must be push, ingest or otlp, not '%s'", options->format);
  if (*options->links && strcmp(options->format, "otlp") == 0)
    ci_fail("-links needs Pyroscope, not -protocol otlp");
  if (*options->side && str_index(str_of(options->side), sides) < 0)
    ci_fail("-side must be base or head, not '%s'", options->side);
  if (!line->count) ci_fail("nothing to push: pass a FILE or DIR");
}

static const char *push_type(const struct push *push) {
  static const char *const types[] = {"application/proto",
                                      "multipart/form-data; boundary=pprofci-3b7c2e5f9d8a4160",
                                      "application/x-protobuf"};
  return types[str_index(str_of(push->options->format), formats)];
}

static void push_all(struct push *push, const struct command_line *line) {
  remote_open(&push->remote, push_type(push), true);
  if (push_is_otlp(push)) push_otlp_headers(push);
  push_read_labels(push);
  push_load(push, line->words, line->count);
  for (size_t i = 0; i < push->count; i++) push_send(push, &push->items[i]);
  message_note("Pushed %zu profiles to %s", push->count, push->options->to);
  if (!push_is_otlp(push)) push_put_links(push, line->out);
}

static int push_run(void *options, const struct command_line *line) {
  static struct push push; /* static, because the struct is too large for the stack */
  push.options = options;
  push_all(&push, line);
  remote_close(&push.remote);
  return EXIT_PASSED;
}

COMMAND(push, struct push_options, COMMAND_WORDS, push_check, push_run, false);
