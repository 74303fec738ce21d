/* Stores typed lines in $XDG_STATE_HOME/pprofc/history, readable only by its owner. Appends each
 * line at once, so that other shells can read it. When the shell ends, removes the oldest lines. */
#include "session.h"

#define HISTORY_BYTES ((size_t)4 << 20) /* maximum bytes to read from the end of the file */
#define HISTORY_LINE  4096              /* maximum length in bytes of a line in the file */

struct shell_history {
  char path[4096];
  struct buffer text;
  const char **lines; /* pointers to the lines in `text` that have no control bytes */
  size_t count, capacity;
};

/* Finds the program's state folder by the XDG rules, and creates it if necessary. */
static bool history_find(char *path, size_t room) {
  const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
  int size;
  if (state && *state == '/')
    size = snprintf(path, room, "%s/pprofc/history", state);
  else if (home && *home == '/')
    size = snprintf(path, room, "%s/.local/state/pprofc/history", home);
  else
    return false;
  if (size < 0 || (size_t)size >= room) return false;
  char *end = strrchr(path, '/');
  *end = '\0';
  int failed = folder_make(path, 0700);
  *end = '/';
  return !failed || failed == EROFS || failed == EACCES;
}

static int history_open_file(const struct shell_history *history, int flags) {
  int fd = open(history->path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
  struct stat info;
  if (fd < 0) return -1;
  if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
    close(fd);
    return -1;
  }
  if (info.st_mode & 0077) (void)fchmod(fd, 0600);
  return fd;
}

static void history_read(struct shell_history *history) {
  int fd = history_open_file(history, O_RDONLY);
  struct stat info;
  buffer_clear(&history->text);
  if (fd < 0) return;
  if (fstat(fd, &info) == 0 && info.st_size > (off_t)HISTORY_BYTES)
    (void)lseek(fd, -(off_t)HISTORY_BYTES, SEEK_END);
  (void)fd_read_all(fd, &history->text); /* after an error, keep the lines that were read before */
  close(fd);
  history->text.failed = false;
}

/* True if the line has no control bytes, which the editor cannot show. */
static bool history_is_plain(pprofc_str line) {
  for (size_t i = 0; i < line.size; i++) {
    unsigned char c = (unsigned char)line.data[i];
    if ((c < ' ' && c != '\t') || c == 0x7F) return false;
  }
  return line.size > 0 && line.size <= HISTORY_LINE;
}

/* Ends each line with a NUL. Lists the lines that have no control bytes. */
static void history_split(struct shell_history *history) {
  history->count = 0;
  if (history->text.size == 0) return;
  char *at = history->text.data, *end = at + history->text.size;
  while (at < end) {
    char *newline = memchr(at, '\n', (size_t)(end - at));
    if (!newline) return; /* drop a last line without a newline */
    *newline = '\0';
    bool room = ARRAY_RESERVE(&mem_default, history->lines, history->capacity, history->count + 1);
    if (!room) return;
    if (history_is_plain((pprofc_str){at, (size_t)(newline - at)}))
      history->lines[history->count++] = at;
    at = newline + 1;
  }
}

static size_t history_first(const struct shell_history *history) {
  return history->count > HISTORY_LINES ? history->count - HISTORY_LINES : 0;
}

struct shell_history *history_open(void) {
  struct shell_history *history = mem_zero_array(&mem_default, 1, sizeof *history);
  if (!history) return NULL;
  buffer_init(&history->text, &mem_default, 2 * HISTORY_BYTES);
  if (!history_find(history->path, sizeof history->path)) {
    mem_free(&mem_default, history, 1, sizeof *history);
    return NULL;
  }
  history_read(history);
  history_split(history);
  return history;
}

const char *history_line(const struct shell_history *history, size_t index) {
  if (!history) return NULL;
  size_t at = history_first(history) + index;
  return at < history->count ? history->lines[at] : NULL;
}

void history_add(struct shell_history *history, pprofc_str line) {
  if (!history || !history_is_plain(line)) return;
  int fd = history_open_file(history, O_WRONLY | O_APPEND | O_CREAT);
  if (fd < 0) return;
  struct buffer text = buffer_make(&mem_default, SIZE_MAX / 2);
  buffer_add_str(&text, line);
  buffer_add_char(&text, '\n');
  ssize_t written = text.failed ? 0 : write(fd, text.data, text.size);
  (void)written; /* ignore an error, because a missing line in the history does no harm */
  buffer_free(&text);
  close(fd);
}

/* Replaces the file by a new file that contains only the newest lines. */
static void history_cut(const struct shell_history *history) {
  struct buffer text = buffer_make(&mem_default, SIZE_MAX / 2);
  for (size_t i = history_first(history); i < history->count; i++)
    buffer_printf(&text, "%s\n", history->lines[i]);
  if (!text.failed) (void)save_text(history->path, buffer_str(&text), NULL);
  buffer_free(&text);
}

void history_close(struct shell_history *history) {
  if (!history) return;
  history_read(history);
  history_split(history);
  if (history->count > HISTORY_LINES) history_cut(history);
  ARRAY_FREE(&mem_default, history->lines, history->capacity);
  buffer_free(&history->text);
  mem_free(&mem_default, history, 1, sizeof *history);
}
