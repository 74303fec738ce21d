/* Sends a report to standard output, a file, a program, a pager or a viewer. Opens this target when
 * the report's first byte arrives. A failed report therefore leaves no file and starts no program.
 */
#include "core/child.h"
#include "session.h"

#include <sys/ioctl.h>

/* A child process that reads the bytes which the shell writes to `fd`. */
struct shell_process {
  pid_t pid;
  int fd;
  const char *name;
};

static pprofc_status process_start(struct shell_process *process, const char *const *argv,
                                   pprofc_error *error) {
  int ends[2];
  *process = (struct shell_process){.fd = -1, .name = argv[0]};
  if (!system_pipe(ends)) return error_file(error, "run", argv[0], errno);
  const struct spawn program = {
      .argv = argv, .streams = {ends[0], SPAWN_SAME, SPAWN_SAME}, .default_signals = true};
  int failed = spawn_start(&program, &process->pid);
  close(ends[0]);
  if (failed) {
    close(ends[1]);
    return error_file(error, "run", argv[0], failed);
  }
  process->fd = ends[1];
  return PPROFC_OK;
}

/* Waits until the program ends. Returns its exit status, or 128 plus its signal's number. */
static int process_wait(struct shell_process *process) {
  int how;
  if (process->fd >= 0) close(process->fd);
  process->fd = -1;
  return spawn_wait(process->pid, &how) ? spawn_status(how) : 0;
}

struct pager {
  bool wanted; /* true while the pager may still be started */
  size_t rows, width;
  /* number of screen rows that `held` needs (`used`), and number of columns in its last row
   * (`column`) */
  size_t used;
  size_t column;
  struct buffer held; /* text written before the pager starts */
  struct shell_process process;
};

#define PAGER_WORDS 16

/* Splits $PAGER at blanks. Without $PAGER, chooses less or more. Sets words[0] to NULL if there is
 * no pager. The words point into `text`. */
static void pager_find(char *text, size_t room, const char *words[PAGER_WORDS]) {
  const char *value = getenv("PAGER");
  words[0] = NULL;
  if (!value && child_exists("less")) value = "less";
  if (!value) value = "more";
  if ((size_t)snprintf(text, room, "%s", value) >= room) return;
  size_t count = 0;
  char *rest = text, *word;
  while (count < PAGER_WORDS - 1 && (word = strsep(&rest, " \t")))
    if (*word) words[count++] = word;
  words[count] = NULL;
  bool useless = count && (strcmp(words[0], "cat") == 0 || !child_exists(words[0]));
  if (useless) words[0] = NULL;
}

/* Prepares the pager. `allowed` is false if there is no terminal or the user turned the pager off.
 */
static void pager_init(struct pager *pager, bool allowed) {
  struct winsize size;
  *pager = (struct pager){.wanted = false};
  pager->process.fd = -1;
  buffer_init(&pager->held, &mem_default, SIZE_MAX / 2);
  bool tells = allowed && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 1;
  if (!tells) return;
  pager->wanted = true;
  pager->rows = size.ws_row;
  pager->width = size.ws_col ? size.ws_col : 80;
}

/* Adds to `used` the number of screen rows that a text needs. Counts each byte as a column. */
static void pager_count(struct pager *pager, const char *data, size_t size) {
  for (size_t i = 0; i < size; i++) {
    bool wraps = pager->column == pager->width;
    if (wraps || data[i] == '\n') {
      pager->used++;
      pager->column = 0;
    }
    if (data[i] != '\n') pager->column++;
  }
}

static int pager_send(struct pager *pager, const void *data, size_t size) {
  int standard = STDOUT_FILENO;
  return fd_write(pager->process.pid ? &pager->process.fd : &standard, data, size);
}

/* Starts the pager. If it cannot start, the text goes to the terminal. */
static int pager_start(struct pager *pager) {
  char text[1024];
  const char *words[PAGER_WORDS];
  pager->wanted = false;
  pager_find(text, sizeof text, words);
  if (words[0]) {
    /* Use git's default options for less: quit if the text fits on one screen, keep colours, do not
     * clear the screen. */
    setenv("LESS", "FRX", 0);
    shell_set_paging(true);
    if (process_start(&pager->process, words, NULL) != PPROFC_OK)
      pager->process = (struct shell_process){.fd = -1};
    pager->process.name = "the pager";
  }
  int failed = pager_send(pager, pager->held.data, pager->held.size);
  buffer_clear(&pager->held);
  return failed;
}

static int pager_write(struct pager *pager, const void *data, size_t size) {
  if (!pager->wanted) return pager_send(pager, data, size);
  buffer_add(&pager->held, data, size);
  pager_count(pager, data, size);
  if (pager->held.failed) {
    errno = ENOMEM;
    return -1;
  }
  return pager->used + 1 >= pager->rows ? pager_start(pager) : 0;
}

/* Writes the text in `held` if the pager was not started. Otherwise waits until the pager ends. */
static pprofc_status pager_end(struct pager *pager, pprofc_status status, pprofc_error *error) {
  if (status == PPROFC_OK && pager->wanted &&
      pager_send(pager, pager->held.data, pager->held.size) != 0)
    status = error_set(error, PPROFC_E_IO, "cannot write the report: %s", ERRNO_TEXT(errno));
  if (pager->process.pid) process_wait(&pager->process);
  shell_set_paging(false);
  buffer_free(&pager->held);
  return status;
}

struct shell_output {
  struct shell *shell;
  const struct command *run;
  const struct shell_target *target;
  struct progress progress;
  bool open;
  int fd;              /* descriptor for OUTPUT_APPEND */
  off_t before;        /* size of the file before the report, for OUTPUT_APPEND */
  struct outfile file; /* file for OUTPUT_FILE and OUTPUT_NUMBERED */
  char path[64];       /* name of the file for OUTPUT_NUMBERED */
  struct shell_process process;
  struct pager pager;
  struct viewer_file viewer;
  bool closed; /* true if the program that reads the report has closed its input */
  pprofc_status status;
  pprofc_error *error; /* error of the last failed write; its message explains the errno */
};

static pprofc_status output_open_file(struct shell_output *out, const char *path) {
  message_note("Generating report in %s", path);
  pprofc_status status = outfile_open(&out->file, path, out->error);
  if (status == PPROFC_OK) signals_remove(out->file.straight ? NULL : out->file.temporary);
  return status;
}

static pprofc_status output_open_numbered(struct shell_output *out) {
  pprofc_status status =
      destination_number(out->run->format->extension, out->path, sizeof out->path, out->error);
  return status == PPROFC_OK ? output_open_file(out, out->path) : status;
}

static pprofc_status output_open_append(struct shell_output *out) {
  struct stat info;
  const char *path = out->target->path;
  message_note("Generating report in %s", path);
  out->fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (out->fd < 0) return error_file(out->error, "open", path, errno);
  bool regular = fstat(out->fd, &info) == 0 && S_ISREG(info.st_mode);
  out->before = regular ? info.st_size : -1;
  return PPROFC_OK;
}

static pprofc_status output_open(struct shell_output *out) {
  out->open = true;
  progress_end(&out->progress);
  switch (out->target->kind) {
  case OUTPUT_FILE:
    return output_open_file(out, out->target->path);
  case OUTPUT_NUMBERED:
    return output_open_numbered(out);
  case OUTPUT_APPEND:
    return output_open_append(out);
  case OUTPUT_PROGRAM:
    return process_start(&out->process, out->target->argv, out->error);
  case OUTPUT_VIEWER:
    return viewer_create(&out->viewer, out->run->format->extension, out->error);
  case OUTPUT_STANDARD:
    pager_init(&out->pager, out->shell->pager);
    break;
  }
  return PPROFC_OK;
}

static int output_put(struct shell_output *out, const void *data, size_t size) {
  switch (out->target->kind) {
  case OUTPUT_FILE:
  case OUTPUT_NUMBERED:
    return outfile_write(&out->file, data, size);
  case OUTPUT_STANDARD:
    return pager_write(&out->pager, data, size);
  case OUTPUT_APPEND:
    return fd_write(&out->fd, data, size);
  case OUTPUT_PROGRAM:
    return fd_write(&out->process.fd, data, size);
  default:
    return fd_write(&out->viewer.fd, data, size);
  }
}

/* Writes bytes of the report to the target. The function is a pprofc_write_fn callback. */
static int output_write(void *context, const void *data, size_t size) {
  struct shell_output *out = context;
  if (!out->open) out->status = output_open(out);
  if (out->status != PPROFC_OK) return -1;
  if (output_put(out, data, size) == 0) return 0;
  int number = errno;
  bool reader = out->target->kind == OUTPUT_PROGRAM || out->target->kind == OUTPUT_STANDARD;
  out->closed = number == EPIPE && reader;
  out->status =
      error_set(out->error, PPROFC_E_IO, "cannot write the report: %s", ERRNO_TEXT(number));
  return -1;
}

static pprofc_status output_end_file(struct shell_output *out, pprofc_status status) {
  signals_remove(NULL);
  if (status == PPROFC_OK) return outfile_commit(&out->file, out->error);
  if (out->file.fd >= 0) outfile_discard(&out->file);
  if (*out->path) unlink(out->path);
  return status;
}

/* Closes the file of OUTPUT_APPEND. After a failure, removes the text that the report appended. */
static pprofc_status output_end_append(struct shell_output *out, pprofc_status status) {
  if (out->fd < 0) return status;
  if (status != PPROFC_OK && out->before >= 0 && ftruncate(out->fd, out->before) != 0)
    message_note("a part of the report is left in %s", out->target->path);
  if (close(out->fd) != 0 && status == PPROFC_OK)
    return error_file(out->error, "write", out->target->path, errno);
  return status;
}

static pprofc_status output_end_program(struct shell_output *out, pprofc_status status) {
  if (!out->process.pid) return status;
  int code = process_wait(&out->process);
  if (status != PPROFC_OK || code == 0) return status;
  return error_set(out->error, PPROFC_E_IO, "'%s' ended with status %d", out->process.name, code);
}

/* Starts the viewer. The shell removes the file only when the shell ends, because the viewer may
 * read it again. */
static pprofc_status output_end_viewer(struct shell_output *out, pprofc_status status) {
  struct shell *shell = out->shell;
  if (out->viewer.fd < 0) return status;
  bool room =
      ARRAY_RESERVE(&mem_default, shell->viewers, shell->viewer_capacity, shell->viewer_count + 1);
  if (status == PPROFC_OK && !room) status = error_nomem(out->error);
  struct shell_viewer viewer = {.program = out->run->format->viewer};
  if (status == PPROFC_OK)
    status = viewer_start(&out->viewer, viewer.program, &viewer.pid, out->error);
  if (status != PPROFC_OK) {
    viewer_remove(&out->viewer);
    return status;
  }
  memcpy(viewer.path, out->viewer.path, sizeof viewer.path);
  shell->viewers[shell->viewer_count++] = viewer;
  shell->viewer_started = system_milliseconds();
  return PPROFC_OK;
}

static pprofc_status output_end(struct shell_output *out, pprofc_status status) {
  /* Create the file even if the report is empty. */
  if (status == PPROFC_OK && !out->open) status = output_open(out);
  progress_end(&out->progress);
  if (!out->open) return status;
  if (out->closed) status = PPROFC_OK;
  switch (out->target->kind) {
  case OUTPUT_FILE:
  case OUTPUT_NUMBERED:
    return output_end_file(out, status);
  case OUTPUT_APPEND:
    return output_end_append(out, status);
  case OUTPUT_PROGRAM:
    return output_end_program(out, status);
  case OUTPUT_VIEWER:
    return output_end_viewer(out, status);
  case OUTPUT_STANDARD:
    return pager_end(&out->pager, status, out->error);
  }
  return status;
}

/* Chooses a target if the line does not name one. The target is a viewer if the format needs one, a
 * numbered file for binary output, and standard output otherwise. */
static void output_choose(const struct command *run, struct shell_target *target) {
  if (target->kind != OUTPUT_STANDARD) return;
  if (run->format->viewer)
    target->kind = OUTPUT_VIEWER;
  else if (destination_is_binary(run))
    target->kind = OUTPUT_NUMBERED;
}

pprofc_status shell_output(struct shell *shell, const struct command *run,
                           const struct shell_target *asked, pprofc_error *error) {
  struct shell_target target = *asked;
  output_choose(run, &target);
  struct shell_output out = {
      .shell = shell, .run = run, .target = &target, .fd = -1, .error = error};
  out.file.fd = -1;
  out.viewer.fd = -1;
  out.process.fd = -1;
  pprofc_error failure = {PPROFC_OK, PPROFC_NO_OFFSET, ""};
  void (*before)(int) = signal(SIGPIPE, SIG_IGN);
  progress_start(&out.progress, "making the report");
  pprofc_status status = destination_render(run, shell->profile, output_write, &out, &failure);
  if (out.status == PPROFC_OK && status != PPROFC_OK) *error = failure;
  status = output_end(&out, out.status != PPROFC_OK ? out.status : status);
  signal(SIGPIPE, before);
  return status;
}

void shell_reap_viewers(struct shell *shell) {
  for (size_t i = 0; i < shell->viewer_count; i++) {
    struct shell_viewer *viewer = &shell->viewers[i];
    int code;
    if (!viewer->pid || !viewer_has_ended(viewer->pid, &code)) continue;
    viewer->pid = 0;
    if (code) message_error("the viewer %s failed with status %d", viewer->program, code);
  }
}

void shell_end_viewers(struct shell *shell) {
  int64_t passed = system_milliseconds() - shell->viewer_started;
  if (shell->viewer_count && passed < 1000) usleep((useconds_t)(1000 - passed) * 1000);
  for (size_t i = 0; i < shell->viewer_count; i++) unlink(shell->viewers[i].path);
  ARRAY_FREE(&mem_default, shell->viewers, shell->viewer_capacity);
}
