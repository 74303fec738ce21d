/* Starts programs that read a report: a program after | and the pager. They start without a
 * shell and with the user's environment. */
#include "session.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int process_spawn(struct shell_process *process, const char *const *argv, int input) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  sigset_t none, ignored;
  sigemptyset(&none);
  sigemptyset(&ignored);
  sigaddset(&ignored, SIGPIPE);
  sigaddset(&ignored, SIGINT);
  int failed = posix_spawn_file_actions_init(&files);
  if (failed) return failed;
  failed = posix_spawnattr_init(&attributes);
  if (!failed) {
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &ignored);
    failed = posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
    if (!failed)
      failed = posix_spawnp(&process->pid, argv[0], &files, &attributes,
                            (char *const *)(uintptr_t)argv, environ);
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_destroy(&files);
  return failed;
}

pprofc_status process_start(struct shell_process *process, const char *const *argv,
                            pprofc_error *error) {
  int ends[2];
  *process = (struct shell_process){.fd = -1, .name = argv[0]};
  if (pipe2(ends, O_CLOEXEC) != 0)
    return error_set(error, PPROFC_E_IO, "cannot run '%s': %s", argv[0], ERRNO_TEXT(errno));
  int failed = process_spawn(process, argv, ends[0]);
  close(ends[0]);
  if (failed) {
    close(ends[1]);
    return error_set(error, PPROFC_E_IO, "cannot run '%s': %s", argv[0], ERRNO_TEXT(failed));
  }
  process->fd = ends[1];
  return PPROFC_OK;
}

int process_wait(struct shell_process *process) {
  int how = 0;
  if (process->fd >= 0) close(process->fd);
  process->fd = -1;
  while (waitpid(process->pid, &how, 0) < 0)
    if (errno != EINTR) return 0;
  return WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
}
