/* The commands of pprofci, and what runs them. */
#ifndef PPROFCI_COMMANDS_H
#define PPROFCI_COMMANDS_H

#include "common/flags.h"

/* 2 says that something regressed, so every failure is 1, wrong usage too. */
#define EXIT_PASSED    0
#define EXIT_FAILED    1
#define EXIT_REGRESSED 2

/* A parsed command line, and where the command prints. */
struct command_line {
  struct flags_parsed parsed;
  const char *const *words; /* arguments after the flags */
  size_t count;
  struct output *out; /* standard output; commands of CI services in it are broken */
};

struct ci_command {
  const struct flag_table *table;
  void *options; /* zero before the flags fill them */
  size_t size;   /* bytes of *options */
  /* Checks the flags and words. */
  pprofc_status (*check)(void *options, const struct command_line *line, pprofc_error *error);
  /* Sets *code to the exit status, which is EXIT_PASSED before. */
  pprofc_status (*run)(void *options, const struct command_line *line, int *code,
                       pprofc_error *error);
};

#define COMMANDS(X)                                                                                \
  X(init)                                                                                          \
  X(run) X(merge) X(publish) X(store) X(history) X(trend) X(fsck) X(leaks) X(capture) X(push)
#define DECLARE(name)                                                                              \
  extern const struct flag_table name##_table;                                                     \
  extern const struct ci_command name##_command;
COMMANDS(DECLARE)
#undef DECLARE

/* Runs a command with its part of the command line. Returns the exit status. */
int command_main(const struct ci_command *command, int argc, char **argv);

/* Checks that one STORE is given. */
pprofc_status command_needs_store(const struct command_line *line, pprofc_error *error);

/* Checks that no argument follows the flags. `hint` follows the message. */
pprofc_status command_needs_no_words(const struct command_line *line, const char *hint,
                                     pprofc_error *error);

/* Prints why a command failed, and returns EXIT_FAILED. */
int command_fail(const char *message);

/* Prints an error about a command's flags, with a hint where the help is. */
int command_misused(const struct flag_table *table, const struct flags_parsed *parsed,
                    const char *message);

/* Prints the help of a command. */
int command_help(const struct flag_table *table);

#endif
