/* Starts a program without a shell, and waits for it. core/child.h also reads its output. */
#ifndef PPROFC_CORE_SPAWN_H
#define PPROFC_CORE_SPAWN_H

#include <stdbool.h>
#include <sys/types.h>

#define SPAWN_SAME (-1) /* gives the program the same stream as this process */
#define SPAWN_NULL (-2) /* gives the program /dev/null as the stream */

struct spawn {
  const char *const
      *argv; /* arguments, ended by NULL; argv[0] is searched in PATH unless it contains a slash */
  const char *folder;       /* working directory of the program; NULL: directory of the caller */
  char *const *environment; /* environment of the program; NULL: the environment of the caller */
  int streams[3]; /* descriptors that become 0, 1 and 2, or SPAWN_*. They are duplicated in this
                     order, so streams[1] must not be 0, and streams[2] neither 0 nor 1. */
  bool own_group; /* true to start a new process group, so that ^C in the terminal does not reach
                     the program */
  bool default_signals; /* true to restore the default actions of signals that this process
                           ignores */
};

/* Starts the program with no signal blocked. Returns 0 or an errno. */
int spawn_start(const struct spawn *spawn, pid_t *pid);

/* Waits until the program ends. Sets *how to the status of waitpid. Returns false and sets errno if
 * the process is not a child. */
bool spawn_wait(pid_t pid, int *how);

/* Converts the status of waitpid to an exit status, or 128 + the number of the signal that killed
 * the program. */
int spawn_status(int how);

#endif
