/* Declares the commands of pprofci, functions that run a command, and the allocator of commands. */
#ifndef PPROFCI_COMMANDS_H
#define PPROFCI_COMMANDS_H

#include "common/flags.h"

/* ---- memory --------------------------------------- */

/* Allocator that never returns NULL. When memory runs out, it prints "pprofci: out of memory",
 * removes temporary files, and ends the program with status 1. So arenas, arrays, buffers and
 * tables with this allocator need no checks, except a buffer with a small maximum size. Profiles
 * use mem_default instead, so that a message about a profile that is too large names its file. */
extern const pprofc_allocator ci_mem;

/* These functions return an empty buffer or arena that allocates memory with ci_mem. */
struct buffer ci_buffer(void);
struct arena ci_arena(void);

/* Sets the function that removes temporary files and stops child processes when memory runs out or
 * an error ends the command (ci_need); NULL: no function. */
void memory_set_cleanup(void (*clean)(void *context), void *context);

/* Calls the function set by memory_set_cleanup. First frees the memory that was reserved for it. */
void memory_clean(void);

/* ---- commands (commands.c) ------------------------ */

/* Status 2 means a regression. All errors, also wrong usage, have status 1. */
#define EXIT_PASSED    0
#define EXIT_FAILED    1
#define EXIT_REGRESSED 2

/* A parsed command line, and the output of the command. */
struct command_line {
  struct flags_parsed parsed;
  const char *const *words; /* arguments after the flags */
  size_t count;
  struct output *out; /* standard output; escapes commands of CI logs, such as "::error::" */
};

/* Arguments that may follow the flags: any number, exactly one STORE, or no argument. */
enum command_words { COMMAND_WORDS, COMMAND_STORE, COMMAND_NO_WORDS };

/* Defines the flag -budget of a flag group. It sets the field `brief_bytes` of the options. */
#define COMMAND_BUDGET(group)                                                                      \
  BRIEF_FLAG(group, "maximum length of the output in bytes; 0: no limit. pprofci drops the least " \
                    "important rows of a longer output")

struct ci_command {
  const struct flag_table *table;
  void *options; /* struct of the options; all 0 before the flags are parsed */
  size_t size;   /* size of *options in bytes */
  enum command_words words;
  /* Checks the flags, and the rules about arguments that `words` cannot express. NULL: no check. */
  void (*check)(void *options, const struct command_line *line);
  int (*run)(void *options, const struct command_line *line);
  bool has_budget; /* true: the flag -budget limits the size of standard output */
};

/* Defines the command `name`, whose flags are in the table `name`_table. */
#define COMMAND(name, type, words, check, run, budgeted)                                           \
  static type given;                                                                               \
  const struct ci_command name##_command = {&name##_table, &given, sizeof given, words,            \
                                            check,         run,    budgeted}

#define COMMANDS(X)                                                                                \
  X(init)                                                                                          \
  X(run) X(merge) X(publish) X(store) X(history) X(trend) X(fsck) X(leaks) X(capture) X(push)
#define DECLARE(name)                                                                              \
  extern const struct flag_table name##_table;                                                     \
  extern const struct ci_command name##_command;
COMMANDS(DECLARE)
#undef DECLARE

int command_main(const struct ci_command *command, int argc, char **argv);

/* Prints why a command failed, and returns EXIT_FAILED. */
int command_fail(const char *message);

/* Error of the last failed call. A caller passes &ci_error to a function, and then the function's
 * status to ci_need. */
extern pprofc_error ci_error;

/* Ends the command if the status of a call is not PPROFC_OK. The call fills in ci_error. Removes
 * temporary files (memory_set_cleanup), prints the error, and exits with EXIT_FAILED. While the
 * command checks its flags, the error also names the command that prints the help. */
void ci_need(pprofc_status status);

/* Sets the text with which the messages of ci_need and ci_fail begin; "" at first. The text must
 * exist until the next call. */
void ci_begin(const char *text);

/* Ends the command like ci_need, with the given message. */
_Noreturn void ci_fail(const char *format, ...) PPROFC_PRINTF(1, 2);

/* Returns an environment variable, or `other` if it is not set or empty. */
const char *ci_variable(const char *name, const char *other);

/* Returns the first environment variable in `names` that is not empty, or "". The list ends with
 * NULL. */
const char *ci_first_variable(const char *const *names);

/* Prints an error about a command's flags, and the command that prints the help. */
int command_misused(const struct flag_table *table, const char *message);
int command_help(const struct flag_table *table);

#endif
