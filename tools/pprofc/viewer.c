/* Creates temporary files for viewers, and runs a viewer in the user's environment. */
#include "destination.h"

#include "core/child.h"

#include <pthread.h>
#include <sys/wait.h>

#define MAX_WORDS   16
#define VIEWER_TEXT 4096

pprofc_status viewer_create(struct viewer_file *file, const char *extension, pprofc_error *error) {
  const char *folder = getenv("TMPDIR");
  if (!folder || !*folder) folder = "/tmp";
  /* The viewer would take a path that starts with '-' for an option. */
  const char *here = *folder == '/' ? "" : "./";
  int size =
      snprintf(file->path, sizeof file->path, "%s%s/pprofXXXXXX.%s", here, folder, extension);
  errno = ENAMETOOLONG;
  file->fd = size > 0 && (size_t)size < sizeof file->path
                 ? mkstemps(file->path, (int)strlen(extension) + 1)
                 : -1;
  if (file->fd >= 0) return PPROFC_OK;
  return error_file(error, "create a file in", folder, errno);
}

void viewer_remove(struct viewer_file *file) {
  if (file->fd >= 0) close(file->fd);
  unlink(file->path);
}

/* Splits a command at blanks into words, and adds the word `last`. The words point into `text`.
 * Returns false if the program (the first word) does not exist. */
static bool viewer_split(char *text, const char *last, char *words[MAX_WORDS]) {
  size_t count = 0;
  char *rest = text, *word;
  while (count < MAX_WORDS - 2 && (word = strsep(&rest, " ")))
    if (*word) words[count++] = word;
  words[count] = (char *)(uintptr_t)last;
  words[count + 1] = NULL;
  return count && child_exists(words[0]);
}

#define BROWSERS 7

/* Returns the command of the i-th browser that pprof tries. Returns NULL if the browser needs an
 * environment variable that is not set. */
static const char *browser_at(size_t i) {
  static const char *const names[BROWSERS] = {
      "", "chrome", "google-chrome", "chromium", "firefox", "sensible-browser", "xdg-open"};
  if (i == 0) return getenv("BROWSER");
  return i + 1 < BROWSERS || getenv("DISPLAY") ? names[i] : NULL;
}

static bool find_browser(char *text, size_t size, const char *last, char *words[MAX_WORDS]) {
  for (size_t i = 0; i < BROWSERS; i++) {
    if (!browser_at(i)) continue;
    snprintf(text, size, "%s", browser_at(i));
    if (viewer_split(text, last, words)) return true;
  }
  return false;
}

/* Splits the command of the viewer into words, and adds the name of the file. */
static pprofc_status viewer_words(const struct viewer_file *file, const char *viewer, char *text,
                                  size_t room, char *words[MAX_WORDS], pprofc_error *error) {
  bool browser = strcmp(viewer, "browser") == 0;
  snprintf(text, room, "%s", viewer);
  bool found =
      browser ? find_browser(text, room, file->path, words) : viewer_split(text, file->path, words);
  if (found) return PPROFC_OK;
  return error_set(error, PPROFC_E_UNSUPPORTED,
                   "cannot find %s; -output=FILE writes the file without showing it",
                   browser ? "a browser (set BROWSER to one)" : words[0]);
}

/* Starts the viewer. With `beside`, the viewer and the shell of pprofc run at the same time: the
 * input and output of the viewer are /dev/null, and ^C does not end it. Stores the words of the
 * viewer's command in `text`. */
static pprofc_status viewer_run(struct viewer_file *file, const char *viewer, bool beside,
                                pid_t *pid, char text[VIEWER_TEXT], pprofc_error *error) {
  char *words[MAX_WORDS];
  pprofc_status status = viewer_words(file, viewer, text, VIEWER_TEXT, words, error);
  if (status != PPROFC_OK) return status;
  close(file->fd);
  file->fd = -1;
  int stream = beside ? SPAWN_NULL : SPAWN_SAME;
  const struct spawn program = {.argv = (const char *const *)words,
                                .streams = {stream, stream, SPAWN_SAME},
                                .own_group = beside};
  int failed = spawn_start(&program, pid);
  return failed ? error_file(error, "run", words[0], failed) : PPROFC_OK;
}

pprofc_status viewer_start(struct viewer_file *file, const char *viewer, pid_t *pid,
                           pprofc_error *error) {
  char text[VIEWER_TEXT];
  return viewer_run(file, viewer, true, pid, text, error);
}

bool viewer_has_ended(pid_t pid, int *status) {
  int how = 0;
  if (waitpid(pid, &how, WNOHANG) == 0) return false;
  *status = spawn_status(how);
  return true;
}

pprofc_status viewer_show(struct viewer_file *file, const char *viewer, pprofc_error *error) {
  pid_t pid;
  char text[VIEWER_TEXT];
  pprofc_status status = viewer_run(file, viewer, false, &pid, text, error);
  if (status != PPROFC_OK) return status;
  /* Wait, because a launcher ends before the program that it started has opened the file. */
  sleep(1);
  int how;
  if (spawn_wait(pid, &how) && spawn_status(how) == 0) return PPROFC_OK;
  return error_set(error, PPROFC_E_IO, "'%s' failed", text);
}

/* Waits for a browser in a thread, because the browser may run in the foreground. */
static void *viewer_wait(void *context) {
  int how;
  (void)spawn_wait((pid_t)(intptr_t)context, &how);
  return NULL;
}

static bool viewer_try(const char *browser, const char *address) {
  char text[VIEWER_TEXT], *words[MAX_WORDS];
  pid_t pid;
  pthread_t thread;
  snprintf(text, sizeof text, "%s", browser);
  if (!viewer_split(text, address, words)) return false;
  const struct spawn program = {.argv = (const char *const *)words,
                                .streams = {SPAWN_SAME, SPAWN_SAME, SPAWN_SAME},
                                .own_group = true};
  if (spawn_start(&program, &pid) != 0) return false;
  if (pthread_create(&thread, NULL, viewer_wait, (void *)(intptr_t)pid) == 0)
    pthread_detach(thread);
  return true;
}

bool viewer_browse(const char *address) {
  for (size_t i = 0; i < BROWSERS; i++)
    if (browser_at(i) && viewer_try(browser_at(i), address)) return true;
  return false;
}
