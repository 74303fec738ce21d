/* Reads lines from standard input, from the line editor on a terminal, and from the files of the
 * command `source`. */
#include "session.h"

#define INPUT_BYTES ((size_t)64 << 10)

static ssize_t input_fill(struct shell_input *input) {
  if (!input->data) input->data = mem_array(&mem_default, INPUT_BYTES, 1);
  if (!input->data) {
    errno = ENOMEM;
    return -1;
  }
  if (input->terminal && shell_wait_input(input->fd) == SHELL_WAIT_INTERRUPTED) {
    errno = EINTR;
    return -1;
  }
  ssize_t got = read(input->fd, input->data, INPUT_BYTES);
  input->at = 0;
  input->size = got > 0 ? (size_t)got : 0;
  return got;
}

/* Moves the bytes before the next newline into the line. Returns true if there was a newline. */
static bool input_take(struct shell_input *input, struct buffer *line) {
  pprofc_str rest = {input->data + input->at, input->size - input->at};
  size_t end = str_find_char(rest, '\n');
  bool found = end < rest.size;
  buffer_add(line, rest.data, end);
  input->at += end + found;
  return found;
}

enum shell_line input_read(struct shell *shell, struct shell_input *input, struct buffer *line) {
  bool any = false;
  buffer_clear(line);
  line->failed = false;
  for (;;) {
    if (input->at < input->size) {
      any = true;
      if (input_take(input, line)) break;
    }
    ssize_t got = input_fill(input);
    if (got > 0) continue;
    if (got < 0 && errno == EINTR) return SHELL_LINE_INTERRUPTED;
    if (got < 0)
      shell_fail(shell, "cannot read %s: %s", input->name ? input->name : "standard input",
                 ERRNO_TEXT(errno));
    if (!any) return SHELL_LINE_NONE;
    break;
  }
  input->line++;
  if (line->failed) {
    shell_fail(shell, "a line is longer than 1 MB");
    buffer_clear(line);
    line->failed = false;
  }
  return SHELL_LINE_READ;
}

void input_close(struct shell_input *input) {
  if (input->data) mem_free(&mem_default, input->data, INPUT_BYTES, 1);
  if (!input->name) return;
  text_free(input->name);
  close(input->fd);
}

enum shell_line shell_next_line(struct shell *shell, struct buffer *line) {
  while (shell->input_count) {
    struct shell_input *input = &shell->inputs[shell->input_count - 1];
    if (!input->name && shell->editor) return editor_read(shell->editor, line);
    enum shell_line got = input_read(shell, input, line);
    if (got != SHELL_LINE_NONE) return got;
    shell_close_inputs(shell, shell->input_count - 1);
  }
  return SHELL_LINE_NONE;
}

/* Opens a file for the command `source`. Rejects a folder, because open() would accept it, but a
 * folder has no lines. Returns -1 on failure. */
static int input_open(const char *path) {
  struct stat info;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0 || fstat(fd, &info) != 0 || !S_ISDIR(info.st_mode)) return fd;
  close(fd);
  errno = EISDIR;
  return -1;
}

void shell_source(struct shell *shell, const char *path) {
  if (shell->input_count == SHELL_INPUTS) {
    shell_fail(shell, "cannot read '%s': %d files are already open one inside the other", path,
               SHELL_INPUTS - 1);
    return;
  }
  int fd = input_open(path);
  if (fd < 0) {
    shell_fail(shell, "cannot read '%s': %s", path, ERRNO_TEXT(errno));
    return;
  }
  char *name = text_copy(str_of(path));
  if (!name) {
    close(fd);
    shell_fail(shell, "out of memory");
    return;
  }
  shell->inputs[shell->input_count++] = (struct shell_input){.fd = fd, .name = name};
}

void shell_close_inputs(struct shell *shell, size_t kept) {
  while (shell->input_count > kept) input_close(&shell->inputs[--shell->input_count]);
}
