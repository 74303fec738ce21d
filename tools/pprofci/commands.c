/* Prints failures, hints and help for all commands of pprofci. */
#include "commands.h"

#include "common/about.h"
#include "common/terminal.h"

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
