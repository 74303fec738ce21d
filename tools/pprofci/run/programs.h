/* Programs that a run starts: git, go, tests, pprofc. Never through a shell. */
#ifndef PPROFCI_RUN_PROGRAMS_H
#define PPROFCI_RUN_PROGRAMS_H

#include "run/run.h"

/* One program, and what came of it. */
struct program {
  const char *const *argv;     /* ends with NULL */
  const char *folder;          /* where it runs; NULL: here */
  struct buffer printed, said; /* standard output, standard error */
  int status;                  /* exit status; 127: it cannot be started */
};

/* Runs a program to its end, with the environment of the user. Its exit status is no error; running
 * out of memory and being interrupted are. program_end frees it, also after an error. */
pprofc_status program_run(struct ci_run *run, struct program *program, pprofc_error *error);
void program_end(struct program *program);

/* The last line that it printed or said: why it failed. */
pprofc_str program_last_line(const struct program *program);

/* Runs a program and keeps the one line that it prints. `line` becomes NULL when it fails. */
pprofc_status program_line(struct ci_run *run, const char *folder, const char *const *argv,
                           const char **line, pprofc_error *error);

#endif
