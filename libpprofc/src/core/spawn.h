/* Starts a program without a shell, and waits for it. core/child.h can also read its output. */
#ifndef PPROFC_CORE_SPAWN_H
#define PPROFC_CORE_SPAWN_H

#include <stdbool.h>
#include <sys/types.h>

#define SPAWN_SAME (-1) /* the program gets the same stream as this process */
#define SPAWN_NULL (-2) /* the stream of the program is /dev/null */

struct spawn {
  const char *const
      *argv; /* arguments; ends with NULL; argv[0] is searched in PATH unless it contains a slash */
  const char *folder;       /* working directory; NULL: as the caller */
  char *const *environment; /* environment of the program; NULL: the environment of the caller */
  int streams[3]; /* descriptors that become 0, 1 and 2, or SPAWN_*. They are duplicated in this
                     order. Therefore streams[1] must not be 0, and streams[2] must not be 0 or
                     1. */
  bool own_group; /* true: start a process group, which ^C in the terminal does not reach */
  bool default_signals; /* true: restore the default actions of signals that this process ignores */
};

/* Starts the program. No signal is blocked in it. Returns 0 or an errno. */
int spawn_start(const struct spawn *spawn, pid_t *pid);

/* Waits until the program ends. Sets *how to the status from waitpid. Returns false and sets errno
 * if the process is not a child. */
bool spawn_wait(pid_t pid, int *how);

/* Converts a status from waitpid to an exit status. If a signal killed the program, returns 128 +
 * the number of the signal. */
int spawn_status(int how);

#endif
