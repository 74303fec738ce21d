/* Prints failures, hints and help for all commands of pprofci. */
#include "commands.h"

#include "common/about.h"
#include "common/terminal.h"
#include "core/log_guard.h"
#include "core/outfile.h"

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
  pprofc_error error;
  if (about_help(table, &error) == PPROFC_OK) return EXIT_PASSED;
  return command_fail(error.message);
}

int command_main(const struct ci_command *command, int argc, char **argv) {
  static struct output out; /* static, because it is large */
  struct log_guard guard;
  struct command_line line = {.out = &out};
  pprofc_error error;
  int fd = STDOUT_FILENO, code = EXIT_PASSED;
  memset(command->options, 0, command->size);
  pprofc_status status = flags_defaults(command->table, command->options, &error);
  if (status == PPROFC_OK)
    status = flags_parse(command->table, command->options, argc, argv, &line.parsed, &error);
  if (status == PPROFC_OK && line.parsed.help) return command_help(command->table);
  line.words = (const char *const *)argv + line.parsed.rest;
  line.count = (size_t)(argc - line.parsed.rest);
  if (status == PPROFC_OK) status = command->check(command->options, &line, &error);
  if (status != PPROFC_OK) return command_misused(command->table, &line.parsed, error.message);
  log_guard_init(&guard, fd_write, &fd);
  output_init(&out, log_guard_write, &guard);
  status = command->run(command->options, &line, &code, &error);
  pprofc_status flushed = output_flush(&out, status == PPROFC_OK ? &error : NULL);
  return status == PPROFC_OK && flushed == PPROFC_OK ? code : command_fail(error.message);
}

pprofc_status command_needs_store(const struct command_line *line, pprofc_error *error) {
  if (line->count == 1) return PPROFC_OK;
  return error_set(error, PPROFC_E_INVALID, "give exactly one STORE");
}

pprofc_status command_needs_no_words(const struct command_line *line, const char *hint,
                                     pprofc_error *error) {
  if (!line->count) return PPROFC_OK;
  return error_set(error, PPROFC_E_INVALID, "unexpected argument '%s'%s", line->words[0], hint);
}
