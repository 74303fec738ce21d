/* Tests that a stopped program leaves no incomplete file, and that a program reports a mapped input
 * that became shorter. This test replaces raise and _exit, and can therefore continue and check the
 * result. */
#include "unit.h"

#include "common/terminal.h"

#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t raised, ended_with;
static sigjmp_buf where;

int raise(int number) {
  raised = number;
  return 0;
}

void _exit(int status) {
  ended_with = status;
  siglongjmp(where, 1);
}

static char path[64];

static void make_file(void) {
  snprintf(path, sizeof path, "/tmp/pprofc_signals_XXXXXX");
  int fd = mkstemp(path);
  CU_ASSERT_FATAL(fd >= 0);
  close(fd);
}

TEST(test_a_stopped_program_removes_what_it_did_not_finish) {
  static const int endings[] = {SIGINT, SIGTERM, SIGHUP};
  for (size_t i = 0; i < 3; i++) {
    make_file();
    signals_watch("test", 2);
    signals_remove(path);
    raised = 0;
    kill(getpid(), endings[i]);
    CU_ASSERT_EQUAL(raised, endings[i]); /* shells report the exit status 128 plus this number */
    CU_ASSERT(access(path, F_OK) != 0);
  }
  signals_remove(NULL);
}

TEST(test_a_finished_file_stays) {
  make_file();
  signals_watch("test", 2);
  signals_remove(path);
  signals_remove(NULL);
  kill(getpid(), SIGTERM);
  CU_ASSERT(access(path, F_OK) == 0);
  unlink(path);
}

TEST(test_what_was_ignored_stays_ignored) {
  signal(SIGHUP, SIG_IGN); /* ignored, as in a program started by nohup */
  signals_watch("test", 2);
  raised = 0;
  kill(getpid(), SIGHUP);
  CU_ASSERT_EQUAL(raised, 0);
  CU_ASSERT(signal(SIGHUP, SIG_DFL) == SIG_IGN);
}

TEST(test_an_input_that_shrinks_is_an_error) {
  char said[128] = "";
  int ends[2], before = dup(STDERR_FILENO);
  CU_ASSERT_FATAL(pipe(ends) == 0 && before >= 0);
  dup2(ends[1], STDERR_FILENO);
  make_file();
  signals_watch("test", 2);
  signals_remove(path);
  if (!sigsetjmp(where, 1)) kill(getpid(), SIGBUS);
  dup2(before, STDERR_FILENO);
  CU_ASSERT(read(ends[0], said, sizeof said - 1) > 0);
  CU_ASSERT_STRING_EQUAL(said, "test: an input file became shorter while it was read\n");
  CU_ASSERT_EQUAL(ended_with, 2);
  CU_ASSERT(access(path, F_OK) != 0);
  signal(SIGBUS, SIG_DFL);
}
