/* Runs another program for the library. It uses an argv array (never a shell) and a reduced
 * environment, and limits the time and the size of the output. */
#ifndef PPROFC_CORE_CHILD_H
#define PPROFC_CORE_CHILD_H

#include "core/buffer.h"
#include "core/error.h"

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

/* ---- starting programs ------------------------------ */

#define SPAWN_SAME (-1) /* the program gets the same stream as this process */
#define SPAWN_NULL (-2) /* the stream of the program is /dev/null */

struct spawn {
  const char *const
      *argv; /* arguments; ends with NULL; argv[0] is searched in PATH unless it contains a slash */
  const char *folder;       /* working directory; NULL: the working directory of the caller */
  char *const *environment; /* environment of the program; NULL: the environment of the caller */
  int streams[3]; /* descriptors that become 0, 1 and 2 in the program, or SPAWN_*. spawn_start
                     duplicates them in this order, so streams[1] must not be 0, and streams[2] must
                     not be 0 or 1. */
  bool own_group; /* true: start a process group, which ^C in the terminal does not reach */
  bool default_signals; /* true: restore the default actions of signals that this process ignores */
};

/* Starts the program, with all signals unblocked. Returns 0 or an errno. */
int spawn_start(const struct spawn *spawn, pid_t *pid);

/* Waits until the program ends. Sets *how to the status from waitpid. Returns false and sets errno
 * if the process is not a child. */
bool spawn_wait(pid_t pid, int *how);

/* Converts a status from waitpid to an exit status. If a signal killed the program, returns 128 +
 * the number of the signal. */
int spawn_status(int how);

struct child {
  const char *const *argv; /* arguments, then NULL; without a slash, argv[0] is searched in PATH */
  pprofc_str input;        /* text for the standard input of the program */
  unsigned timeout_ms;     /* time limit in ms, or CHILD_NO_TIMEOUT; 0: CHILD_TIMEOUT_MS */
};

#define CHILD_TIMEOUT_MS 30000u
#define CHILD_NO_TIMEOUT ((unsigned)-1)
/* suggested maximum size of the output buffer, in bytes */
#define CHILD_OUTPUT_BYTES ((size_t)256 << 20)

/* Exit status and message of a program. */
struct child_end {
  int status;     /* exit status, or 128 + the number of the signal that killed the program */
  char said[512]; /* beginning of the program's standard error, as one line */
};

/* Additional settings for a program of the user, such as a compiler or a test. The program gets the
 * whole environment of the caller. */
struct child_user {
  const char *folder;  /* working directory; NULL: the working directory of the caller */
  struct buffer *said; /* buffer for the whole standard error of the program; NULL: drop it */
  const volatile sig_atomic_t *stop; /* flag that another thread or a signal handler sets to stop
                                        the program; NULL: no flag */
  /* Function to call whenever the descriptor `watched` is readable, until the program closes its
   * output. NULL: no function. */
  void (*serve)(void *context);
  void *context;
  int watched; /* descriptor that `serve` reads */
};

/* Runs the program until it ends, and appends its standard output to `output`. Returns PPROFC_OK
 * for every exit status, and PPROFC_E_UNSUPPORTED if the program does not exist. Kills the
 * program's process group on timeout or if the output exceeds the ceiling of `output`
 * (PPROFC_E_LIMIT). Does the same if `user->stop` is set (PPROFC_E_IO), or if the budget of
 * `output` is stopped (PPROFC_E_NOMEM). If `user` is NULL, the environment has only PATH, HOME,
 * TMPDIR and LC_ALL=C. */
pprofc_status child_run_for_user(const struct child *child, const struct child_user *user,
                                 struct buffer *output, struct child_end *end, pprofc_error *error);

/* Runs a program without additional settings. */
static inline pprofc_status child_run(const struct child *child, struct buffer *output,
                                      struct child_end *end, pprofc_error *error) {
  return child_run_for_user(child, NULL, output, end, error);
}

/* True if a folder of PATH contains the program. If `program` contains a slash, true if that file
 * exists. */
bool child_exists(const char *program);

#endif
