/* Temporary files for viewers, and running a viewer with the user's environment. */
#include "viewer.h"

#include "core/child.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

#define MAX_WORDS   16
#define VIEWER_TEXT 4096

pprofc_status viewer_create(struct viewer_file *file, const char *extension, pprofc_error *error) {
  const char *folder = getenv("TMPDIR");
  if (!folder || !*folder) folder = "/tmp";
  /* A viewer must not take the path for an option. */
  const char *here = *folder == '/' ? "" : "./";
  int size =
      snprintf(file->path, sizeof file->path, "%s%s/pprofXXXXXX.%s", here, folder, extension);
  errno = ENAMETOOLONG;
  file->fd = size > 0 && (size_t)size < sizeof file->path
                 ? mkstemps(file->path, (int)strlen(extension) + 1)
                 : -1;
  if (file->fd >= 0) return PPROFC_OK;
  return error_set(error, PPROFC_E_IO, "cannot create a file in '%s': %s", folder,
                   ERRNO_TEXT(errno));
}

void viewer_remove(struct viewer_file *file) {
  if (file->fd >= 0) close(file->fd);
  unlink(file->path);
}

/* Splits a command at blanks into words that point into `text`; false if its program does not
 * exist. */
static bool viewer_split(char *text, char *words[MAX_WORDS]) {
  size_t count = 0;
  char *rest = text, *word;
  while (count < MAX_WORDS - 2 && (word = strsep(&rest, " ")))
    if (*word) words[count++] = word;
  words[count] = NULL;
  return count && child_exists(words[0]);
}

static bool find_browser(char *text, size_t size, char *words[MAX_WORDS]) {
  const char *candidates[] = {getenv("BROWSER"),
                              "chrome",
                              "google-chrome",
                              "chromium",
                              "firefox",
                              "sensible-browser",
                              getenv("DISPLAY") ? "xdg-open" : NULL};
  for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++) {
    if (!candidates[i]) continue;
    snprintf(text, size, "%s", candidates[i]);
    if (viewer_split(text, words)) return true;
  }
  return false;
}

/* Splits the viewer's command into words and appends the file. */
static pprofc_status viewer_words(struct viewer_file *file, const char *viewer, char *text,
                                  size_t room, char *words[MAX_WORDS], pprofc_error *error) {
  bool browser = strcmp(viewer, "browser") == 0;
  snprintf(text, room, "%s", viewer);
  bool found = browser ? find_browser(text, room, words) : viewer_split(text, words);
  if (!found)
    return error_set(error, PPROFC_E_UNSUPPORTED,
                     "cannot find %s; -output=FILE writes the file without showing it",
                     browser ? "a browser (set BROWSER to one)" : words[0]);
  size_t count = 0;
  while (words[count]) count++;
  words[count] = file->path;
  words[count + 1] = NULL;
  return PPROFC_OK;
}

/* Starts a viewer. With `beside` it does not share the shell's input and output, and ^C does
 * not reach it. */
static int viewer_spawn(char *words[MAX_WORDS], bool beside, pid_t *pid) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  int failed = posix_spawn_file_actions_init(&files);
  if (failed) return failed;
  failed = posix_spawnattr_init(&attributes);
  if (!failed) {
    if (beside) {
      posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
      failed = posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
      if (!failed)
        failed = posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    }
    if (!failed) failed = posix_spawnp(pid, words[0], &files, &attributes, words, environ);
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_destroy(&files);
  return failed;
}

/* Starts the viewer. `text` receives the words of the command; the first is the program. */
static pprofc_status viewer_run(struct viewer_file *file, const char *viewer, bool beside,
                                pid_t *pid, char text[VIEWER_TEXT], pprofc_error *error) {
  char *words[MAX_WORDS];
  pprofc_status status = viewer_words(file, viewer, text, VIEWER_TEXT, words, error);
  if (status != PPROFC_OK) return status;
  close(file->fd);
  file->fd = -1;
  int failed = viewer_spawn(words, beside, pid);
  if (!failed) return PPROFC_OK;
  return error_set(error, PPROFC_E_IO, "cannot run '%s': %s", words[0], ERRNO_TEXT(failed));
}

pprofc_status viewer_start(struct viewer_file *file, const char *viewer, pid_t *pid,
                           pprofc_error *error) {
  char text[VIEWER_TEXT];
  return viewer_run(file, viewer, true, pid, text, error);
}

bool viewer_has_ended(pid_t pid, int *status) {
  int how = 0;
  if (waitpid(pid, &how, WNOHANG) == 0) return false;
  *status = WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
  return true;
}

pprofc_status viewer_show(struct viewer_file *file, const char *viewer, pprofc_error *error) {
  pid_t pid;
  char text[VIEWER_TEXT];
  pprofc_status status = viewer_run(file, viewer, false, &pid, text, error);
  if (status != PPROFC_OK) return status;
  /* A launcher exits at once, before its program has opened the file. */
  sleep(1);
  int how;
  while (waitpid(pid, &how, 0) < 0 && errno == EINTR) continue;
  if (WIFEXITED(how) && WEXITSTATUS(how) == 0) return PPROFC_OK;
  return error_set(error, PPROFC_E_IO, "'%s' failed", text);
}
