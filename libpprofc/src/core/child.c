/* Runs another program with limits on time and output, and with a reduced environment. */
#include "core/child.h"
#include "core/base.h"
#include "core/file.h"
#include "core/system.h"

#include <spawn.h>
#include <sys/wait.h>

/* ---- starting programs ------------------------------ */

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

/* Interval in milliseconds between checks for cancellation. */
#define CHILD_LOOK_MS 100

struct child_running {
  const struct child *child;
  const struct child_user *user; /* settings for a test or compiler of the user, or NULL */
  struct buffer *output;
  struct child_end *end;
  int input; /* descriptor of the program's standard input: an anonymous file, because writing to a
                pipe blocks if the program does not read */
  int pipes[2];  /* read ends of the pipes for standard output and standard error; -1: closed */
  int theirs[2]; /* write ends of the two output pipes, which the program inherits */
  pid_t pid;
  int64_t deadline;
};

static void close_fd(int *fd) {
  if (*fd >= 0) close(*fd);
  *fd = -1;
}

/* Moves a descriptor to a number above 2, because 0 to 2 become the streams of the program. A new
 * descriptor is below 3 only if the caller has closed a standard stream. */
static bool move_up(int *fd) {
  if (*fd > STDERR_FILENO) return true;
  int moved = fcntl(*fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (moved < 0) return false;
  close(*fd);
  *fd = moved;
  return true;
}

static bool open_input(struct child_running *run) {
  pprofc_str text = run->child->input;
  run->input = system_memory_file();
  if (run->input < 0 || !move_up(&run->input)) return false;
  return fd_write(&run->input, text.data, text.size) == 0 && lseek(run->input, 0, SEEK_SET) == 0;
}

static bool open_pipes(struct child_running *run) {
  for (int i = 0; i < 2; i++) {
    int ends[2];
    if (!system_pipe(ends)) return false;
    run->pipes[i] = ends[0];
    run->theirs[i] = ends[1];
    if (!move_up(&run->pipes[i]) || !move_up(&run->theirs[i])) return false;
  }
  return true;
}

/* Builds the environment: PATH to find helper programs, HOME and TMPDIR. Skips all other variables,
 * because they may contain secrets. */
static void make_environment(char text[3][4096 + 16], char *environment[5]) {
  static const char *const names[] = {"PATH", "HOME", "TMPDIR"};
  static char locale[] = "LC_ALL=C";
  size_t count = 0;
  for (size_t i = 0; i < 3; i++) {
    const char *value = getenv(names[i]);
    if (!value || strlen(value) > 4096) continue;
    snprintf(text[i], sizeof text[i], "%s=%s", names[i], value);
    environment[count++] = text[i];
  }
  environment[count++] = locale;
  environment[count] = NULL;
}

/* Starts the program in its own process group, with default signal handlers. Returns 0 or an
 * errno. */
static int child_start(struct child_running *run) {
  char text[3][4096 + 16], *few[5];
  struct spawn spawn = {.argv = run->child->argv,
                        .environment = few,
                        .streams = {run->input, run->theirs[0], run->theirs[1]},
                        .own_group = true,
                        .default_signals = true};
  make_environment(text, few);
  if (run->user) {
    spawn.folder = run->user->folder;
    spawn.environment = NULL;
  }
  return spawn_start(&spawn, &run->pid);
}

/* Copies the beginning of the program's standard error into *end. */
static void keep_error_text(struct child_end *end, const char *data, size_t size) {
  size_t used = strlen(end->said);
  for (size_t i = 0; i < size && used + 1 < sizeof end->said; i++)
    end->said[used++] = data[i] == '\n' || data[i] == '\0' ? ' ' : data[i];
  end->said[used] = '\0';
}

/* Reads the data that is available in pipe `which`: 0 is standard output, 1 is standard error. */
static pprofc_status drain(struct child_running *run, int which, pprofc_error *error) {
  char chunk[64 * 1024];
  ssize_t size = read(run->pipes[which], chunk, sizeof chunk);
  if (size < 0 && (errno == EINTR || errno == EAGAIN)) return PPROFC_OK;
  if (size <= 0) {
    close_fd(&run->pipes[which]);
  } else if (which == 1) {
    keep_error_text(run->end, chunk, (size_t)size);
    if (run->user && run->user->said) buffer_add(run->user->said, chunk, (size_t)size);
  } else {
    if ((size_t)size > run->output->ceiling - run->output->size)
      return error_set(error, PPROFC_E_LIMIT, "'%s' wrote more than %zu bytes and was stopped",
                       run->child->argv[0], run->output->ceiling);
    buffer_add(run->output, chunk, (size_t)size);
  }
  return run->output->failed ? error_nomem(error) : PPROFC_OK;
}

/* Returns an error if the user has stopped the program or its time limit has passed. */
static pprofc_status child_check(const struct child_running *run, pprofc_error *error) {
  if (run->user && run->user->stop && *run->user->stop)
    return error_set(error, PPROFC_E_IO, "interrupted");
  if (system_milliseconds() < run->deadline) return PPROFC_OK;
  return error_set(error, PPROFC_E_LIMIT, "'%s' took too long and was stopped",
                   run->child->argv[0]);
}

/* Number of descriptors that are polled: both pipes, and the descriptor that the caller watches. */
#define CHILD_POLLED 3

/* Waits until a descriptor is readable, for at most CHILD_LOOK_MS. Sets *ready to the result of
 * poll. If *ready is 0 or negative, the caller must call this function again. Fails on timeout or
 * cancellation. */
static pprofc_status child_wait(const struct child_running *run, struct pollfd fds[CHILD_POLLED],
                                int *ready, pprofc_error *error) {
  int64_t left = run->deadline - system_milliseconds();
  if (budget_stopped(run->output->mem))
    return error_nomem(error); /* budget_status replaces this error by PPROFC_E_CANCELLED. */
  pprofc_status status = child_check(run, error);
  if (status != PPROFC_OK) return status;
  *ready = poll(fds, CHILD_POLLED, left < CHILD_LOOK_MS ? (int)left : CHILD_LOOK_MS);
  if (*ready < 0 && errno != EINTR)
    return error_set(error, PPROFC_E_IO, "cannot wait for '%s': %s", run->child->argv[0],
                     ERRNO_TEXT(errno));
  return PPROFC_OK;
}

/* Returns the descriptor that the caller watches, or -1. */
static int child_watched(const struct child_running *run) {
  return run->user && run->user->serve ? run->user->watched : -1;
}

static pprofc_status child_read_all(struct child_running *run, pprofc_error *error) {
  pprofc_status status = PPROFC_OK;
  int watched = child_watched(run);
  while (status == PPROFC_OK && (run->pipes[0] >= 0 || run->pipes[1] >= 0)) {
    int ready = 0;
    struct pollfd fds[CHILD_POLLED] = {
        {run->pipes[0], POLLIN, 0}, {run->pipes[1], POLLIN, 0}, {watched, POLLIN, 0}};
    status = child_wait(run, fds, &ready, error);
    if (status == PPROFC_OK && ready > 0 && fds[2].revents) run->user->serve(run->user->context);
    for (int i = 0; i < 2 && status == PPROFC_OK && ready > 0; i++)
      if (fds[i].revents) status = drain(run, i, error);
  }
  return status;
}

/* Waits until the program ends, because a program may continue after it has closed its output.
 * Kills the program on timeout. */
static pprofc_status child_finish(struct child_running *run, pprofc_status status,
                                  pprofc_error *error) {
  int how = 0;
  pid_t ended = 0;
  while (status == PPROFC_OK && (ended = waitpid(run->pid, &how, WNOHANG)) == 0) {
    status = child_check(run, error);
    if (status == PPROFC_OK) nanosleep(&(struct timespec){0, 1000000}, NULL);
  }
  if (ended == 0) {
    kill(-run->pid, SIGKILL);
    (void)spawn_wait(run->pid, &how);
  }
  run->end->status = spawn_status(how);
  size_t used = strlen(run->end->said);
  while (used && run->end->said[used - 1] == ' ') run->end->said[--used] = '\0';
  return status;
}

pprofc_status child_run_for_user(const struct child *child, const struct child_user *user,
                                 struct buffer *output, struct child_end *end,
                                 pprofc_error *error) {
  struct child_running run = {child, user, output, end, -1, {-1, -1}, {-1, -1}, 0, 0};
  const char *program = child->argv[0];
  pprofc_status status = PPROFC_OK;
  memset(end, 0, sizeof *end);
  if (child->timeout_ms == CHILD_NO_TIMEOUT)
    run.deadline = INT64_MAX;
  else
    run.deadline =
        system_milliseconds() + (child->timeout_ms ? child->timeout_ms : CHILD_TIMEOUT_MS);
  int failed = open_input(&run) && open_pipes(&run) ? 0 : errno;
  if (!failed) failed = child_start(&run);
  close_fd(&run.input);
  close_fd(&run.theirs[0]);
  close_fd(&run.theirs[1]);
  if (failed) {
    status = error_set(error, failed == ENOENT ? PPROFC_E_UNSUPPORTED : PPROFC_E_IO,
                       "cannot run '%s': %s", program, ERRNO_TEXT(failed));
  } else {
    status = child_read_all(&run, error);
    status = child_finish(&run, status, error);
  }
  close_fd(&run.pipes[0]);
  close_fd(&run.pipes[1]);
  return status;
}

bool child_exists(const char *program) {
  if (strchr(program, '/')) return access(program, X_OK) == 0;
  const char *path = getenv("PATH");
  pprofc_str rest = str_of(path ? path : "/bin:/usr/bin"), folder;
  while (str_next(&rest, ':', &folder)) {
    char candidate[4096];
    if (!folder.size) folder = STR(".");
    int size = snprintf(candidate, sizeof candidate, "%.*s/%s", STR_ARG(folder), program);
    if (size > 0 && (size_t)size < sizeof candidate && access(candidate, X_OK) == 0) return true;
  }
  return false;
}
