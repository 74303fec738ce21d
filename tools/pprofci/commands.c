/* Prints errors, hints and help for all commands of pprofci. */
#include "commands.h"

#include <stdarg.h>

int command_fail(const char *message) {
  message_error("pprofci: %s", message);
  return EXIT_FAILED;
}

int command_misused(const struct flag_table *table, const char *message) {
  static const char undefined[] = "flag provided but not defined: ";
  if (str_starts(str_of(message), str_of(undefined)))
    message_error("pprofci: unknown option %s", message + sizeof undefined - 1);
  else if (str_ends(str_of(message), STR(")")))
    command_fail(message);
  else
    message_error("pprofci: %s (see %s -help)", message, table->program);
  return EXIT_FAILED;
}

int command_help(const struct flag_table *table) {
  pprofc_status status;
  pprofc_error error;
  about_print(table, true, NULL, &status, &error);
  return status == PPROFC_OK ? EXIT_PASSED : command_fail(error.message);
}

/* The report that the command prints to standard output. Static, because the struct is too large
 * for the stack. */
static struct {
  struct output out;
  struct log_guard guard;
  struct brief brief;
  bool open;
  uint64_t budget;              /* maximum size of the report in bytes; 0: no limit */
  char more[BRIEF_COMMAND + 8]; /* command that prints the omitted rows */
} report;

static void command_begin_report(const struct ci_command *command, int argc, char **argv) {
  static int fd = STDOUT_FILENO;
  const struct flag *budget =
      command->has_budget ? flags_find(command->table, STR("budget")) : NULL;
  const struct flag *json = flags_find(command->table, STR("json"));
  const char *options = command->options;
  char words[BRIEF_COMMAND];
  log_guard_init(&report.guard, fd_write, &fd);
  output_init(&report.out, log_guard_write, &report.guard);
  report.open = true;
  report.budget = 0;
  if (budget) memcpy(&report.budget, options + budget->offset, sizeof report.budget);
  if (!report.budget) return;
  bool is_json = json && json->kind == FLAG_BOOL && *(const bool *)(options + json->offset);
  brief_command(argc, argv, report.budget, words);
  snprintf(report.more, sizeof report.more, *words ? "pprofci %s" : "%s", words);
  brief_init(&report.brief, &mem_default, is_json ? BRIEF_JSON : BRIEF_ROWS, (size_t)report.budget,
             report.more);
  output_init(&report.out, brief_write, &report.brief);
}

static pprofc_status command_end_report(pprofc_error *error) {
  report.open = false;
  pprofc_status status = output_flush(&report.out, error);
  if (!report.budget) return status;
  if (status == PPROFC_OK)
    status = brief_finish(&report.brief, log_guard_write, &report.guard, error);
  brief_free(&report.brief);
  return status;
}

pprofc_error ci_error;
static const char *ci_beginning = "";

/* Flag table of the command while its flags are checked, else NULL. An error then also names the
 * command that prints the help. */
static const struct flag_table *checked;

static _Noreturn void command_end(void) {
  if (checked) exit(command_misused(checked, ci_error.message));
  memory_clean();
  if (report.open) (void)command_end_report(NULL);
  error_prefix(&ci_error, "%s", ci_beginning);
  exit(command_fail(ci_error.message));
}

void ci_begin(const char *text) {
  ci_beginning = text;
}

void ci_need(pprofc_status status) {
  if (status != PPROFC_OK) command_end();
}

void ci_fail(const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(ci_error.message, sizeof ci_error.message, format, args);
  va_end(args);
  command_end();
}

static void command_check_words(const struct ci_command *command, const struct command_line *line) {
  if (command->words == COMMAND_STORE && line->count != 1) ci_fail("give exactly one STORE");
  if (command->words == COMMAND_NO_WORDS && line->count)
    ci_fail("unexpected argument '%s'", line->words[0]);
}

int command_main(const struct ci_command *command, int argc, char **argv) {
  struct command_line line = {.out = &report.out};
  memset(command->options, 0, command->size);
  checked = command->table;
  ci_need(flags_defaults(command->table, command->options, &ci_error));
  ci_need(flags_parse(command->table, command->options, argc, argv, &line.parsed, &ci_error));
  if (line.parsed.help) return command_help(command->table);
  line.words = (const char *const *)argv + line.parsed.rest;
  line.count = (size_t)(argc - line.parsed.rest);
  ci_need(flags_check_inputs(command->table, line.words, line.count, "input", &ci_error));
  command_check_words(command, &line);
  if (command->check) command->check(command->options, &line);
  checked = NULL;
  command_begin_report(command, argc, argv);
  int code = command->run(command->options, &line);
  ci_need(command_end_report(&ci_error));
  return code;
}

const char *ci_variable(const char *name, const char *other) {
  const char *value = getenv(name);
  return value && *value ? value : other;
}

const char *ci_first_variable(const char *const *names) {
  while (*names && !ci_variable(*names, NULL)) names++;
  return *names ? getenv(*names) : "";
}
