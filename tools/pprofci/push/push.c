/* Implements `pprofci push`: sends profiles with labels of the change to Pyroscope, and prints
 * links to the profiles. */
#include "push/push.h"

#include "commands.h"
#include "common/terminal.h"
#include "core/array.h"

enum { GROUP_WHERE, GROUP_LABELS };

static const struct flag_group groups[] = {
    {"Where", NULL},
    {"Labels", "By default, the labels of the change come from the environment of the CI job."}};

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
    FLAG(STRING, 0, "to", to, "URL", NULL, "the address of the server, without a path"),
    FLAG_WORDS(STRING, 0, "protocol", format, "NAME", "push", formats,
               "push (push.v1 of Pyroscope), ingest (a form, for older servers) or otlp "
               "(OpenTelemetry over HTTP, to any collector of profiles)"),
    FLAG(STRING, 0, "links", links, "FILE", NULL,
         "write the links to this file, for `pprofci run -links`"),
    FLAG(STRING, GROUP_LABELS, "service", service, "NAME", NULL, "the label service_name"),
    FLAG_WORDS(STRING, GROUP_LABELS, "side", side, "NAME", NULL, sides,
               "base or head; default: from folders of these names"),
    FLAG(STRING, GROUP_LABELS, "benchmark", benchmark, "NAME", NULL, "the label benchmark"),
    FLAG(STRING, GROUP_LABELS, "repository", repository, "NAME", NULL, "the label repository"),
    FLAG(STRING, GROUP_LABELS, "sha", sha, "COMMIT", NULL, "the label sha"),
    FLAG(INT, GROUP_LABELS, "pr", pr, "N", NULL, "the label pull_request"),
    FLAG_CALLS(STRING, GROUP_LABELS, 0, "label", "NAME=VALUE", add_push_label,
               "additional label; may be repeated"),
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
    {"PYROSCOPE_USER", "user for basic authentication; the token is the password"},
    {"PYROSCOPE_TENANT", "the header X-Scope-OrgID"},
    {"OTEL_EXPORTER_OTLP_HEADERS", "headers of OTLP: NAME=VALUE,NAME=VALUE"},
    {NULL, NULL}};

static const struct flag_note statuses[] = {
    {"0", "everything was sent"}, {"1", "failed"}, {NULL, NULL}};

const struct flag_table push_table = {
    FLAG_TABLE("pprofci push", "sends profiles to Pyroscope or by OTLP, with labels of the change"),
    .examples = examples, .environment = environment};

static bool push_is_word(const char *text, const char *const *words) {
  for (; *words; words++)
    if (strcmp(text, *words) == 0) return true;
  return false;
}

static pprofc_status push_check(void *given_options, const struct command_line *line,
                                pprofc_error *error) {
  const struct push_options *options = given_options;
  if (!*options->to) return error_set(error, PPROFC_E_INVALID, "-to is needed");
  if (!*options->service) return error_set(error, PPROFC_E_INVALID, "-service is needed");
  if (strpbrk(options->service, "{}=,"))
    return error_set(error, PPROFC_E_INVALID, "-service must not contain {, }, = or a comma");
  if (options->pr < 0) return error_set(error, PPROFC_E_INVALID, "-pr must be at least 1");
  if (!push_is_word(options->format, formats))
    return error_set(error, PPROFC_E_INVALID, "-protocol must be push, ingest or otlp, not '%s'",
                     options->format);
  if (*options->links && strcmp(options->format, "otlp") == 0)
    return error_set(error, PPROFC_E_INVALID, "-links needs Pyroscope, not -protocol otlp");
  if (*options->side && !push_is_word(options->side, sides))
    return error_set(error, PPROFC_E_INVALID, "-side must be base or head, not '%s'",
                     options->side);
  if (!line->count)
    return error_set(error, PPROFC_E_INVALID, "nothing to push: pass a FILE or DIR");
  return PPROFC_OK;
}

/* Returns the Content-Type of the protocol. */
static const char *push_type(const struct push *push) {
  static const char *const types[] = {"application/proto",
                                      "multipart/form-data; boundary=pprofci-3b7c2e5f9d8a4160",
                                      "application/x-protobuf"};
  size_t i = 0;
  while (formats[i + 1] && strcmp(formats[i], push->options->format) != 0) i++;
  return types[i];
}

static pprofc_status push_all(struct push *push, const struct command_line *line,
                              pprofc_error *error) {
  pprofc_status status = remote_open(&push->remote, push_type(push), true, error);
  if (status == PPROFC_OK && push_is_otlp(push)) status = push_otlp_headers(push, error);
  if (status == PPROFC_OK) status = push_read_labels(push, error);
  if (status == PPROFC_OK) status = push_load(push, line->words, line->count, error);
  for (size_t i = 0; i < push->count && status == PPROFC_OK; i++)
    status = push_send(push, &push->items[i], error);
  if (status == PPROFC_OK)
    message_note("Pushed %zu profiles to %s", push->count, push->options->to);
  return status == PPROFC_OK && !push_is_otlp(push) ? push_put_links(push, line->out, error)
                                                    : status;
}

static pprofc_status push_run(void *options, const struct command_line *line, int *code,
                              pprofc_error *error) {
  static struct push push; /* static, because the struct is too large for the stack */
  (void)code;
  push.options = options;
  pprofc_status status = push_all(&push, line, error);
  ARRAY_FREE(&mem_default, push.items, push.capacity);
  remote_close(&push.remote);
  return status;
}

static struct push_options given;
const struct ci_command push_command = {&push_table, &given,   sizeof given, COMMAND_WORDS,
                                        push_check,  push_run, NULL};
