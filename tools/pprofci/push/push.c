/* `pprofci push`: sends profiles to Pyroscope with labels of the change, and prints links to
 * them. */
#include "push/push.h"

#include "commands.h"
#include "common/terminal.h"
#include "core/array.h"

enum { GROUP_WHERE, GROUP_LABELS };

static const struct flag_group groups[] = {
    {"Where", NULL}, {"Labels", "Labels of the change default to the environment of the job."}};

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
    {.name = "to",
     .kind = FLAG_STRING,
     .offset = FIELD(to),
     .argument = "URL",
     .help = "the address of the server, without a path"},
    {.name = "protocol",
     .kind = FLAG_STRING,
     .offset = FIELD(format),
     .argument = "NAME",
     .initial = "push",
     .choices = formats,
     .help = "push (push.v1 of Pyroscope), ingest (a form, for older servers) or otlp "
             "(OpenTelemetry over HTTP, to any collector of profiles)"},
    {.name = "links",
     .kind = FLAG_STRING,
     .offset = FIELD(links),
     .argument = "FILE",
     .help = "write the links to this file, for `pprofci run -links`"},
    {.name = "service",
     .kind = FLAG_STRING,
     .offset = FIELD(service),
     .group = GROUP_LABELS,
     .argument = "NAME",
     .help = "the label service_name"},
    {.name = "side",
     .kind = FLAG_STRING,
     .offset = FIELD(side),
     .group = GROUP_LABELS,
     .argument = "NAME",
     .choices = sides,
     .help = "base or head; default: from folders of these names"},
    {.name = "benchmark",
     .kind = FLAG_STRING,
     .offset = FIELD(benchmark),
     .group = GROUP_LABELS,
     .argument = "NAME",
     .help = "the label benchmark"},
    {.name = "repository",
     .kind = FLAG_STRING,
     .offset = FIELD(repository),
     .group = GROUP_LABELS,
     .argument = "NAME",
     .help = "the label repository"},
    {.name = "sha",
     .kind = FLAG_STRING,
     .offset = FIELD(sha),
     .group = GROUP_LABELS,
     .argument = "COMMIT",
     .help = "the label sha"},
    {.name = "pr",
     .kind = FLAG_INT,
     .offset = FIELD(pr),
     .group = GROUP_LABELS,
     .argument = "N",
     .help = "the label pull_request"},
    {.name = "label",
     .kind = FLAG_STRING,
     .group = GROUP_LABELS,
     .argument = "NAME=VALUE",
     .help = "additional label; may be repeated",
     .call = add_push_label},
};

static const char *const usage[] = {"-to URL -service NAME [flags] FILE | DIR ...", NULL};

static const char *const details[] = {
    "Sends cpu, heap, goroutine, mutex and block profiles to Pyroscope, with the labels "
    "service_name, ci, repository, sha, pull_request, benchmark and side. Prints a link to the "
    "query of each kind, and to the difference if both sides were sent. A DIR of `pprofci capture` "
    "is sent without the warm-up. OTLP takes profiles of any kind, with the labels as resource "
    "attributes, and prints no links.",
    NULL};

static const struct flag_note examples[] = {
    {"pprofci push -to https://pyroscope.example.com -service shop set/", "a set, in a job"},
    {NULL, NULL}};

static const struct flag_note environment[] = {
    {"PYROSCOPE_TOKEN", "identifies you; it is sent over https or to this machine only"},
    {"PYROSCOPE_USER", "with it: basic authentication, the token is the password"},
    {"PYROSCOPE_TENANT", "the header X-Scope-OrgID"},
    {"OTEL_EXPORTER_OTLP_HEADERS", "headers of OTLP: NAME=VALUE,NAME=VALUE"},
    {NULL, NULL}};

static const struct flag_note statuses[] = {
    {"0", "everything was sent"}, {"1", "failed"}, {NULL, NULL}};

const struct flag_table push_table = {
    .program = "pprofci push",
    .summary = "sends profiles to Pyroscope or by OTLP, with labels of the change",
    .usage = usage,
    .details = details,
    .groups = groups,
    .group_count = sizeof groups / sizeof *groups,
    .flags = flags,
    .flag_count = sizeof flags / sizeof *flags,
    .examples = examples,
    .environment = environment,
    .statuses = statuses,
};

static bool push_is_word(const char *text, const char *const *words) {
  for (; *words; words++)
    if (strcmp(text, *words) == 0) return true;
  return false;
}

static pprofc_status push_check(const struct push_options *options, pprofc_error *error) {
  if (!*options->to) return error_set(error, PPROFC_E_INVALID, "-to is needed");
  if (!*options->service) return error_set(error, PPROFC_E_INVALID, "-service is needed");
  if (strpbrk(options->service, "{}=,"))
    return error_set(error, PPROFC_E_INVALID, "-service has one of the characters {}=,");
  if (options->pr < 0) return error_set(error, PPROFC_E_INVALID, "-pr is a number from 1");
  if (!push_is_word(options->format, formats))
    return error_set(error, PPROFC_E_INVALID, "-protocol is push, ingest or otlp, not '%s'",
                     options->format);
  if (*options->links && strcmp(options->format, "otlp") == 0)
    return error_set(error, PPROFC_E_INVALID, "-links needs Pyroscope, not -protocol otlp");
  if (*options->side && !push_is_word(options->side, sides))
    return error_set(error, PPROFC_E_INVALID, "-side is base or head, not '%s'", options->side);
  return PPROFC_OK;
}

static pprofc_status push_options_read(struct push_options *options, int argc, char **argv,
                                       struct flags_parsed *parsed, pprofc_error *error) {
  pprofc_status status = flags_defaults(&push_table, options, error);
  if (status == PPROFC_OK) status = flags_parse(&push_table, options, argc, argv, parsed, error);
  if (status != PPROFC_OK || parsed->help) return status;
  status = push_check(options, error);
  if (status == PPROFC_OK && parsed->rest == argc)
    status = error_set(error, PPROFC_E_INVALID, "no FILE and no DIR is given");
  return status;
}

/* ---- the command ------------------------------------- */

/* Returns the Content-Type of the protocol. */
static const char *push_type(const struct push *push) {
  static const char *const types[] = {"application/proto",
                                      "multipart/form-data; boundary=pprofci-3b7c2e5f9d8a4160",
                                      "application/x-protobuf"};
  size_t i = 0;
  while (formats[i + 1] && strcmp(formats[i], push->options->format) != 0) i++;
  return types[i];
}

static pprofc_status push_all(struct push *push, char *const *sources, size_t count,
                              pprofc_error *error) {
  pprofc_status status = remote_open(&push->remote, push_type(push), true, error);
  if (status == PPROFC_OK && push_is_otlp(push)) status = push_otlp_headers(push, error);
  if (status == PPROFC_OK) status = push_read_labels(push, error);
  if (status == PPROFC_OK) status = push_load(push, sources, count, error);
  for (size_t i = 0; i < push->count && status == PPROFC_OK; i++)
    status = push_send(push, &push->items[i], error);
  if (status == PPROFC_OK)
    message_note("Pushed %zu profiles to %s", push->count, push->options->to);
  return status == PPROFC_OK && !push_is_otlp(push) ? push_put_links(push, error) : status;
}

int push_main(int argc, char **argv) {
  static struct push push; /* large */
  struct push_options options = {.to = ""};
  struct flags_parsed parsed = {0};
  pprofc_error error;
  pprofc_status status = push_options_read(&options, argc, argv, &parsed, &error);
  if (status == PPROFC_OK && parsed.help) return command_help(&push_table);
  if (status != PPROFC_OK) return command_misused(&push_table, &parsed, error.message);
  push.options = &options;
  status = push_all(&push, argv + parsed.rest, (size_t)(argc - parsed.rest), &error);
  ARRAY_FREE(&mem_default, push.items, push.capacity);
  remote_close(&push.remote);
  return status == PPROFC_OK ? EXIT_PASSED : command_fail(error.message);
}
