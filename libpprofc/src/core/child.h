/* Running another program: an argv array (never a shell), a reduced environment, a time limit and a
 * ceiling for its output. */
#ifndef PPROFC_CORE_CHILD_H
#define PPROFC_CORE_CHILD_H

#include "core/buffer.h"
#include "core/error.h"

#include <signal.h>

struct child {
  const char *const *argv; /* ends with NULL; argv[0] is looked up in PATH unless it has a slash */
  pprofc_str input;        /* all of its standard input */
  unsigned timeout_ms;     /* 0: CHILD_TIMEOUT_MS; CHILD_NO_TIMEOUT */
};

#define CHILD_TIMEOUT_MS   30000u
#define CHILD_NO_TIMEOUT   ((unsigned)-1)
#define CHILD_OUTPUT_BYTES ((size_t)256 << 20) /* a good ceiling for `output` */

/* How the program ended. */
struct child_end {
  int status;     /* exit status; 128 + the number of the signal that killed it */
  char said[512]; /* the beginning of its standard error, one line, without its last newline */
};

/* Runs the program to its end; its standard output is appended to `output`, whose ceiling bounds
 * it. PPROFC_OK whatever its exit status was. PPROFC_E_UNSUPPORTED when there is no such program,
 * PPROFC_E_LIMIT when it took too long or wrote too much (it is killed with its process group). It
 * is also killed when the budget behind the memory of `output` is stopped: PPROFC_E_NOMEM. The
 * program sees PATH, HOME and TMPDIR, and LC_ALL=C. */
pprofc_status child_run(const struct child *child, struct buffer *output, struct child_end *end,
                        pprofc_error *error);

/* How a program runs that is the user's own, as a compiler or a test: it sees all variables of the
 * caller. */
struct child_user {
  const char *folder;                /* where it runs; NULL: where the caller is */
  struct buffer *said;               /* gets its whole standard error, or NULL */
  const volatile sig_atomic_t *stop; /* the program is killed when this is not 0; or NULL */
};

/* The same for such a program. Errors besides: PPROFC_E_IO when it was stopped. */
pprofc_status child_run_for_user(const struct child *child, const struct child_user *user,
                                 struct buffer *output, struct child_end *end, pprofc_error *error);

/* True when PATH (or the path, when it has a slash) holds a program of that name. */
bool child_exists(const char *program);

#endif
