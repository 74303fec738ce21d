/* Writes a report to a file, standard output or a viewer. Writes a file completely or not at all.
 * Never writes binary output to a terminal. */
#include "destination.h"

#include "noise/noise.h"

#define ORIGIN_RULES_MOST (1u << 20)

/* Context of a write callback. Stores the first write error. */
struct sink {
  pprofc_write_fn write;
  void *context;
  const char *path; /* path of the file; NULL: standard output */
  int failed;       /* errno of the first failed write, or 0 */
};

static int sink_write(void *context, const void *data, size_t size) {
  struct sink *sink = context;
  if (sink->write(sink->context, data, size) == 0) return 0;
  sink->failed = errno;
  return -1;
}

struct rendering {
  const struct command *command;
  const pprofc_profile *profile;
};

static pprofc_status render_report(const void *context, pprofc_write_fn write, void *to,
                                   pprofc_error *error) {
  const struct rendering *r = context;
  if (r->command->verdicts) return noise_write(r->command, write, to, error);
  if (r->command->format->graphviz)
    return graphviz_report(r->command, r->profile, write, to, error);
  return pprofc_report(r->profile, &r->command->report, write, to, error);
}

/* Finds how -budget can shorten this report. Returns false if the report cannot be shortened. */
static bool brief_kind_of(const struct command *command, struct brief *kind) {
  pprofc_str name = str_of(command->format->name);
  bool rows = STR_ANY(str_equal, name, "top", "text", "tree", "peek", "list", "tags");
  *kind = (struct brief){.kind = rows ? BRIEF_ROWS : BRIEF_LINES};
  if (str_equal(name, STR("json"))) kind->kind = BRIEF_JSON;
  if (kind->kind != BRIEF_LINES) return true;
  return !destination_is_binary(command) &&
         STR_ANY(str_equal, name, "comments", "disasm", "flame", "folded", "raw", "traces");
}

static pprofc_status render_brief(const struct rendering *rendering, pprofc_write_fn write,
                                  void *context, pprofc_error *error) {
  const struct command *command = rendering->command;
  struct brief kind;
  if (!command->brief_bytes) return render_report(rendering, write, context, error);
  if (!brief_kind_of(command, &kind))
    return error_set(error, PPROFC_E_INVALID, "-budget cuts no report of the format %s",
                     command->format->name);
  return brief_report(&kind, command->brief_bytes, command->brief_more, render_report, rendering,
                      write, context, error);
}

pprofc_status destination_render(const struct command *command, const pprofc_profile *profile,
                                 pprofc_write_fn write, void *context, pprofc_error *error) {
  const struct rendering rendering = {command, profile};
  struct time_zone zone;
  pprofc_status status = PPROFC_OK;
  if (!time_zone_enter(&zone))
    status = error_nomem(error);
  else
    status = render_brief(&rendering, write, context, error);
  time_zone_leave(&zone);
  return budget_status(budget_allocator(command->budget), status, error);
}

/* Creates the report and writes it to the sink. If a write fails, the error names the output and
 * the reason. */
static pprofc_status render(const struct command *command, const pprofc_profile *profile,
                            struct sink *sink, pprofc_error *error) {
  pprofc_status status = destination_render(command, profile, sink_write, sink, error);
  if (!sink->failed) return status;
  if (sink->path) return error_file(error, "write", sink->path, sink->failed);
  return error_set(error, PPROFC_E_IO, "cannot write standard output: %s",
                   ERRNO_TEXT(sink->failed));
}

static pprofc_status destination_write(const void *context, pprofc_write_fn write, void *to,
                                       pprofc_error *error) {
  const struct rendering *r = context;
  return destination_render(r->command, r->profile, write, to, error);
}

static pprofc_status to_file(const struct command *command, const pprofc_profile *profile,
                             const char *path, pprofc_error *error) {
  const struct rendering rendering = {command, profile};
  pprofc_status status = save_file(path, destination_write, &rendering, error);
  if (status == PPROFC_OK) message_note("Generating report in %s", path);
  return status;
}

pprofc_status destination_number(const char *extension, char *path, size_t size,
                                 pprofc_error *error) {
  for (int number = 1; number < 10000; number++) {
    snprintf(path, size, "profile%03d.%s", number, extension);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0) {
      close(fd);
      return PPROFC_OK;
    }
    if (errno != EEXIST) break;
  }
  return error_file(error, "create", path, errno);
}

static pprofc_status to_numbered_file(const struct command *command, const pprofc_profile *profile,
                                      pprofc_error *error) {
  char path[64];
  pprofc_status status = destination_number(command->format->extension, path, sizeof path, error);
  if (status != PPROFC_OK) return status;
  status = to_file(command, profile, path, error);
  if (status != PPROFC_OK) unlink(path);
  return status;
}

static pprofc_status to_viewer(const struct command *command, const pprofc_profile *profile,
                               pprofc_error *error) {
  struct viewer_file file;
  pprofc_status status = viewer_create(&file, command->format->extension, error);
  if (status != PPROFC_OK) return status;
  struct sink sink = {fd_write, &file.fd, file.path, 0};
  status = render(command, profile, &sink, error);
  if (status == PPROFC_OK) status = viewer_show(&file, command->format->viewer, error);
  viewer_remove(&file);
  return status;
}

bool destination_is_binary(const struct command *command) {
  const pprofc_format_info *format = command->format;
  const char *variant = command->report.argument;
  return format->binary &&
         !(format->variants && variant && strcmp(variant, format->variants[0]) != 0);
}

pprofc_status destination_report(const struct command *command, const pprofc_profile *profile,
                                 pprofc_error *error) {
  if (*command->output) return to_file(command, profile, command->output, error);
  if (command->format->viewer) return to_viewer(command, profile, error);
  if (destination_is_binary(command) && isatty(STDOUT_FILENO))
    return to_numbered_file(command, profile, error);
  int fd = STDOUT_FILENO;
  struct sink sink = {fd_write, &fd, NULL, 0};
  return render(command, profile, &sink, error);
}

pprofc_status destination_read_rules(pprofc_report_options *options, struct buffer *text,
                                     pprofc_error *error) {
  buffer_init(text, &mem_default, ORIGIN_RULES_MOST);
  if (!options->origin_rules || !*options->origin_rules) return PPROFC_OK;
  pprofc_status status = file_read(options->origin_rules, text, error);
  buffer_add_char(text, '\0');
  if (!status && text->failed) status = error_nomem(error);
  if (status)
    error_prefix(error, "-origin_rules: ");
  else
    options->origin_rules = text->data;
  return status;
}
