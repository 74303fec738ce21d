/* Starts programs with posix_spawn, and waits for them. */
#include "core/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ; /* declared here, because BSD headers do not declare it */

static int spawn_set_files(const struct spawn *spawn, posix_spawn_file_actions_t *files) {
  int failed = 0;
  for (int i = 0; i < 3 && !failed; i++) {
    int from = spawn->streams[i];
    if (from == SPAWN_NULL)
      failed = posix_spawn_file_actions_addopen(files, i, "/dev/null", i ? O_WRONLY : O_RDONLY, 0);
    else if (from != SPAWN_SAME)
      failed = posix_spawn_file_actions_adddup2(files, from, i);
  }
  if (!failed && spawn->folder) failed = posix_spawn_file_actions_addchdir_np(files, spawn->folder);
  return failed;
}

static void spawn_set_signals(const struct spawn *spawn, posix_spawnattr_t *attributes) {
  short flags = POSIX_SPAWN_SETSIGMASK;
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(attributes, &none);
  posix_spawnattr_setsigdefault(attributes, &all);
  posix_spawnattr_setpgroup(attributes, 0);
  if (spawn->own_group) flags |= POSIX_SPAWN_SETPGROUP;
  if (spawn->default_signals) flags |= POSIX_SPAWN_SETSIGDEF;
  posix_spawnattr_setflags(attributes, flags);
}

int spawn_start(const struct spawn *spawn, pid_t *pid) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  int failed = posix_spawn_file_actions_init(&files);
  if (failed) return failed;
  failed = posix_spawnattr_init(&attributes);
  if (!failed) {
    spawn_set_signals(spawn, &attributes);
    failed = spawn_set_files(spawn, &files);
    if (!failed)
      failed = posix_spawnp(pid, spawn->argv[0], &files, &attributes,
                            (char *const *)(uintptr_t)spawn->argv,
                            spawn->environment ? spawn->environment : environ);
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_destroy(&files);
  return failed;
}

int spawn_status(int how) {
  return WIFSIGNALED(how) ? 128 + WTERMSIG(how) : WEXITSTATUS(how);
}

bool spawn_wait(pid_t pid, int *how) {
  *how = 0;
  while (waitpid(pid, how, 0) < 0)
    if (errno != EINTR) return false;
  return true;
}
