/* Runs programs such as git, go, tests and pprofc without a shell. */
#ifndef PPROFCI_RUN_PROGRAMS_H
#define PPROFCI_RUN_PROGRAMS_H

#include "run/run.h"

/* A program and its result. */
struct program {
  const char *const *argv; /* arguments, ending with NULL */
  const char *folder;      /* working directory; NULL: the current folder */
  /* called when the descriptor `watched` is readable; may be NULL */
  void (*serve)(void *context);
  void *context;
  int watched;
  struct buffer printed, said; /* standard output and standard error of the program */
  int status;                  /* exit status; 127: the program could not be started */
};

/* Runs a program until it ends, with the user's environment. Lack of memory and interruption end
 * the command, but not an exit status. The caller calls program_end. */
void program_run(struct program *program);
void program_end(struct program *program);

/* Returns the reason why a program failed: the last line of standard error, or else of output. */
pprofc_str program_last_line(const struct program *program);

/* Returns the last line that a program prints, or "" if the program fails. */
const char *program_line(struct arena *arena, const char *folder, const char *const *argv);

/* Splits a command into words like a shell. `flag` is the flag that has the command, for error
 * messages. */
const char *const *program_words(struct ci_run *run, const char *flag, const char *command);

#endif
