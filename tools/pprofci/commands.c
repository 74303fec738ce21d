/* What all commands of pprofci print: failures, hints, help. */
#include "commands.h"

#include "common/terminal.h"
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
  int fd = STDOUT_FILENO;
  struct output out;
  output_init(&out, fd_write, &fd);
  help_print(table, &out, terminal_width(fd));
  return output_flush(&out, NULL) == PPROFC_OK ? EXIT_PASSED : EXIT_FAILED;
}
