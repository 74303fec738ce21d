/* Starts and ends the servers and the load generator that run while profiles are taken. */
#include "capture/capture.h"
#include "core/spawn.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PROCESSES_MAX 3 /* maximum number of programs: two servers and a load generator */
#define GRACE_MS      3000
#define LOOK_MS       20

static struct {
  volatile sig_atomic_t pid; /* process id; 0 if the entry is unused or the program has ended */
  const char *command;
} processes[PROCESSES_MAX];
static size_t processes_count;

/* Kills the programs, then ends this program by the signal that it received. */
static void processes_interrupted(int number) {
  for (size_t i = 0; i < PROCESSES_MAX; i++)
    if (processes[i].pid) kill(-(pid_t)processes[i].pid, SIGKILL);
  signal(number, SIG_DFL);
  raise(number);
}

static void processes_watch(void) {
  static const int endings[] = {SIGINT, SIGTERM, SIGHUP};
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
    if (signal(endings[i], processes_interrupted) == SIG_IGN) signal(endings[i], SIG_IGN);
}

pprofc_status processes_start(const char *command, const char *side, const char *address,
                              pprofc_error *error) {
  const char *const argv[] = {"/bin/sh", "-c", command, NULL};
  const struct spawn program = {
      .argv = argv, .streams = {SPAWN_NULL, STDERR_FILENO, SPAWN_SAME}, .own_group = true};
  sigset_t all, before;
  pid_t pid = 0;
  if (!processes_count) processes_watch();
  setenv("PPROFCI_SIDE", side, 1);
  setenv("PPROFCI_URL", address, 1);
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &before); /* Signals are blocked here. Otherwise a signal could
                                            arrive before the table contains the new program, and
                                            the handler would miss the program. */
  int failed = spawn_start(&program, &pid);
  if (!failed) {
    processes[processes_count].command = command;
    processes[processes_count++].pid = pid;
  }
  sigprocmask(SIG_SETMASK, &before, NULL);
  if (!failed) return PPROFC_OK;
  return error_set(error, PPROFC_E_IO, "cannot run '%s': %s", command, ERRNO_TEXT(failed));
}

pprofc_status processes_check(size_t count, pprofc_error *error) {
  for (size_t i = 0; i < count && i < processes_count; i++) {
    int how = 0;
    if (!processes[i].pid || waitpid((pid_t)processes[i].pid, &how, WNOHANG) == 0) continue;
    processes[i].pid = 0;
    return error_set(error, PPROFC_E_IO, "'%s' ended too early, with status %d",
                     processes[i].command, spawn_status(how));
  }
  return PPROFC_OK;
}

static bool processes_any(size_t first) {
  bool any = false;
  for (size_t i = first; i < processes_count; i++) {
    if (processes[i].pid && waitpid((pid_t)processes[i].pid, NULL, WNOHANG) != 0)
      processes[i].pid = 0;
    any |= processes[i].pid != 0;
  }
  return any;
}

static void processes_signal(size_t first, int number) {
  for (size_t i = first; i < processes_count; i++)
    if (processes[i].pid) kill(-(pid_t)processes[i].pid, number);
}

void processes_stop(size_t first) {
  if (processes_count <= first) return;
  processes_signal(first, SIGTERM);
  for (int waited = 0; processes_any(first); waited += LOOK_MS) {
    if (waited >= GRACE_MS) processes_signal(first, SIGKILL);
    nanosleep(&(struct timespec){0, LOOK_MS * 1000000L}, NULL);
  }
  processes_count = first;
}
