/* Takes the place of core/child.c and core/system.c. On Windows, pprofc starts no
 * other programs. */
#include "core/system.h"

#include "core/child.h"

#include <errno.h>

pprofc_status child_run_for_user(const struct child *child, const struct child_user *user,
                                 struct buffer *output, struct child_end *end,
                                 pprofc_error *error) {
  (void)user, (void)output;
  memset(end, 0, sizeof *end);
  return error_set(error, PPROFC_E_UNSUPPORTED,
                   "cannot run '%s': pprofc starts no other programs on Windows", child->argv[0]);
}

bool child_exists(const char *program) {
  (void)program;
  return false;
}

int spawn_start(const struct spawn *spawn, pid_t *pid) {
  (void)spawn, (void)pid;
  return ENOSYS;
}

bool spawn_wait(pid_t pid, int *how) {
  (void)pid;
  *how = 0;
  errno = ECHILD;
  return false;
}

int spawn_status(int how) {
  return how;
}

bool system_random(void *bytes, size_t size) {
  return getentropy(bytes, size) == 0;
}

int system_fix_addresses(void) {
  return -1;
}

void system_let_addresses(int before) {
  (void)before;
}
