/* Prints failures, hints and help for all commands of pprofci. */
#include "commands.h"

#include "common/about.h"
#include "common/terminal.h"
#include "core/log_guard.h"
#include "core/outfile.h"

#include <stdio.h>
#include <unistd.h>

int command_fail(const char *message) {
  message_error("pprofci: %s", message);
  return EXIT_FAILED;
}

int command_misused(const struct flag_table *table, const struct flags_parsed *parsed,
                    const char *message) {
  static const char undefined[] = "flag provided but not defined: ";
  pprofc_str text = str_of(message);
  if (!str_starts(text, str_of(undefined)))
    message_error("pprofci: %s (see %s -help)", message, table->program);
  else if (parsed->nearest)
    message_error("pprofci: unknown option %s (did you mean -%s?)", message + sizeof undefined - 1,
                  parsed->nearest->name);
  else
    message_error("pprofci: unknown option %s (see %s -help)", message + sizeof undefined - 1,
                  table->program);
  return EXIT_FAILED;
}

int command_help(const struct flag_table *table) {
  pprofc_status status;
  pprofc_error error;
  about_print(table, true, NULL, &status, &error);
  return status == PPROFC_OK ? EXIT_PASSED : command_fail(error.message);
}

static pprofc_status command_check_words(const struct ci_command *command,
                                         const struct command_line *line, pprofc_error *error) {
  if (command->words == COMMAND_STORE && line->count != 1)
    return error_set(error, PPROFC_E_INVALID, "give exactly one STORE");
  if (command->words == COMMAND_NO_WORDS && line->count)
    return error_set(error, PPROFC_E_INVALID, "unexpected argument '%s'", line->words[0]);
  return PPROFC_OK;
}

/* A report that is being printed to standard output. */
struct command_report {
  struct log_guard guard;
  struct brief brief;
  uint64_t budget;              /* maximum size of the report in bytes; 0: no limit */
  char more[BRIEF_COMMAND + 8]; /* command that prints the omitted rows */
};

static void command_begin_report(struct command_report *report, const struct ci_command *command,
                                 int argc, char **argv, struct output *out) {
  static int fd = STDOUT_FILENO;
  const struct flag *budget =
      command->has_budget ? flags_find(command->table, STR("budget")) : NULL;
  const struct flag *json = flags_find(command->table, STR("json"));
  const char *options = command->options;
  char words[BRIEF_COMMAND];
  log_guard_init(&report->guard, fd_write, &fd);
  output_init(out, log_guard_write, &report->guard);
  report->budget = 0;
  if (budget) memcpy(&report->budget, options + budget->offset, sizeof report->budget);
  if (!report->budget) return;
  bool is_json = json && json->kind == FLAG_BOOL && *(const bool *)(options + json->offset);
  brief_command(argc, argv, report->budget, words);
  snprintf(report->more, sizeof report->more, *words ? "pprofci %s" : "%s", words);
  brief_init(&report->brief, &mem_default, is_json ? BRIEF_JSON : BRIEF_ROWS,
             (size_t)report->budget, report->more);
  output_init(out, brief_write, &report->brief);
}

static pprofc_status command_end_report(struct command_report *report, struct output *out,
                                        pprofc_error *error) {
  pprofc_status status = output_flush(out, error);
  if (!report->budget) return status;
  if (status == PPROFC_OK)
    status = brief_finish(&report->brief, log_guard_write, &report->guard, error);
  brief_free(&report->brief);
  return status;
}

int command_main(const struct ci_command *command, int argc, char **argv) {
  static struct output out; /* static, because the struct is too large for the stack */
  struct command_report report;
  struct command_line line = {.out = &out};
  pprofc_error error;
  int code = EXIT_PASSED;
  memset(command->options, 0, command->size);
  pprofc_status status = flags_defaults(command->table, command->options, &error);
  if (status == PPROFC_OK)
    status = flags_parse(command->table, command->options, argc, argv, &line.parsed, &error);
  if (status == PPROFC_OK && line.parsed.help) return command_help(command->table);
  line.words = (const char *const *)argv + line.parsed.rest;
  line.count = (size_t)(argc - line.parsed.rest);
  if (status == PPROFC_OK) status = command_check_words(command, &line, &error);
  if (status == PPROFC_OK && command->check)
    status = command->check(command->options, &line, &error);
  if (status != PPROFC_OK) return command_misused(command->table, &line.parsed, error.message);
  command_begin_report(&report, command, argc, argv, &out);
  status = command->run(command->options, &line, &code, &error);
  pprofc_error *reason = status == PPROFC_OK ? &error : NULL;
  pprofc_status flushed = command_end_report(&report, &out, reason);
  return status == PPROFC_OK && flushed == PPROFC_OK ? code : command_fail(error.message);
}
