/* Implements the shell commands other than reports. */
#include "session.h"

static void commands_quit(struct shell *shell, const struct shell_words *words) {
  (void)words;
  shell->leave = true;
}

/* Prints the help for a name. Several words, such as "top list", are one name. */
static void commands_help(struct shell *shell, const struct shell_words *words) {
  struct buffer name = buffer_make(&mem_default, SIZE_MAX / 2);
  for (size_t i = 1; i < words->count; i++) {
    if (i > 1) buffer_add_char(&name, ' ');
    buffer_add_str(&name, words->items[i]);
  }
  if (!name.failed) shell_help(shell, buffer_str(&name));
  buffer_free(&name);
}

static bool commands_has_argument(struct shell *shell, const struct shell_words *words) {
  if (words->count > 1) return true;
  shell_fail(shell, "command %s requires an argument", words->items[0].data);
  return false;
}

static void commands_source(struct shell *shell, const struct shell_words *words) {
  if (commands_has_argument(shell, words)) shell_source(shell, words->items[1].data);
}

static void commands_save(struct shell *shell, const struct shell_words *words) {
  size_t digits;
  if (!commands_has_argument(shell, words)) return;
  words->items[0] = STR(">");
  shell_report(shell, shell_format(STR("proto"), &digits), NULL, words, 0);
}

static const struct shell_command commands[] = {
    {"base", NULL, NULL, "base", "Subtract another profile, as -base does",
     "  Usage:\n"
     "    base file\n"
     "    base off | on\n"
     "    Subtract the profile in the file; go on without it; take it again.\n"
     "    Without a word: say what is subtracted or compared.",
     true, shell_set_base},
    {"diff_base", NULL, NULL, "diff_base", "Compare with another profile, as -diff_base does",
     "  Usage:\n"
     "    diff_base file\n"
     "    diff_base off | on\n"
     "    Compare with the profile in the file; go on without it; compare again.\n"
     "    Percentages are of the base.",
     true, shell_set_base},
    {"help", NULL, NULL, "help", "List commands, or explain a command or option",
     "  Usage:\n"
     "    help [cmd|option]",
     false, commands_help},
    {"save", NULL, NULL, "save", "Write the filtered profile to a file",
     "  Usage:\n"
     "    save file [focus_regex]* [-ignore_regex]*\n"
     "    The same as proto >file.",
     true, commands_save},
    {"source", NULL, NULL, "source", "Run the lines of a file",
     "  Usage:\n"
     "    source file\n"
     "    Blank lines and lines that begin with # do nothing.",
     true, commands_source},
    {"o", "options", NULL, "o/options", "List options and their current values", NULL, false,
     shell_print_options},
    {"q", "quit", "exit", "q/quit/exit/^D", "Exit pprof", NULL, false, commands_quit},
};

const struct shell_command *shell_command_at(size_t index) {
  return index < sizeof commands / sizeof *commands ? &commands[index] : NULL;
}

static bool commands_has_name(const struct shell_command *command, pprofc_str name) {
  return str_equal(name, str_of(command->name)) ||
         (command->alias && str_equal(name, str_of(command->alias))) ||
         (command->also && str_equal(name, str_of(command->also)));
}

const struct shell_command *shell_command_find(pprofc_str name) {
  const struct shell_command *command;
  for (size_t i = 0; (command = shell_command_at(i)); i++)
    if (commands_has_name(command, name)) return command;
  return NULL;
}
