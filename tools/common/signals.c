/* Handles the signals that end the program. The handlers call only functions that POSIX permits in
 * signal handlers. */
#include "common/base.h"

#include <signal.h>

static const char *volatile unfinished;
static const char *volatile program_name;
static volatile sig_atomic_t bad_input_status;

static void remove_unfinished(void) {
  const char *path = unfinished;
  if (path) unlink(path);
}

/* Ends the program by the signal `number`. The shell then reports the exit status 128 + number. */
static void interrupted(int number) {
  remove_unfinished();
  signal(number, SIG_DFL);
  raise(number);
}

static void signals_say(const char *text) {
  ssize_t written = write(STDERR_FILENO, text, strlen(text));
  (void)written;
}

/* Handles SIGBUS, which means that a memory-mapped input became shorter while the program read it.
 */
static void input_shrank(int number) {
  (void)number;
  remove_unfinished();
  signals_say(program_name);
  signals_say(": an input file became shorter while it was read\n");
  _exit((int)bad_input_status);
}

void signals_watch(const char *program, int bad_input) {
  static const int endings[] = {SIGINT, SIGTERM, SIGHUP};
  program_name = program;
  bad_input_status = bad_input;
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
    if (signal(endings[i], interrupted) == SIG_IGN) signal(endings[i], SIG_IGN);
  signal(SIGBUS, input_shrank);
}

static void (*volatile on_interrupt)(void);

static void signals_caught(int number) {
  void (*call)(void) = on_interrupt;
  on_interrupt = NULL;
  if (call)
    call();
  else
    interrupted(number);
}

void signals_catch(void (*call)(void)) {
  struct sigaction action = {.sa_handler = call ? signals_caught : interrupted};
  struct sigaction before;
  sigemptyset(&action.sa_mask);
  on_interrupt = call;
  /* Without SA_RESTART, ^C interrupts a read that waits for a key. */
  if (sigaction(SIGINT, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
    sigaction(SIGINT, &action, NULL);
}

void signals_remove(const char *path) {
  unfinished = path;
}
