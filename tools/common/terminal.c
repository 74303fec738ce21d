/* Writes messages on standard error. */
#include "common/terminal.h"

#include <sys/ioctl.h>

#define MESSAGE_MAX   (1 << 20)
#define RED           "\033[0;31m"
#define RESET         "\033[0m"
#define WIPE          "\r\033[K"
#define DEFAULT_WIDTH 80

bool terminal_is(int fd) {
  return isatty(fd) == 1;
}

size_t terminal_width(int fd) {
  struct winsize size;
  if (terminal_is(fd) && ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return DEFAULT_WIDTH;
}

static bool wants_colour(void) {
  const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
  return terminal_is(STDERR_FILENO) && !(no_color && no_color[0]) &&
         !(term && strcmp(term, "dumb") == 0);
}

/* Appends text as one line. Replaces bytes that control a terminal or start a command in a CI log,
 * because names of files and profiles may contain them. A newline would start another message. */
static void terminal_add_line(struct buffer *out, pprofc_str text) {
  struct buffer clean = buffer_make(&mem_default, SIZE_MAX / 2);
  if (str_ends(text, STR("\n"))) text.size--;
  escape_line(&clean, text);
  escape_log(out, buffer_str(&clean), true);
  out->failed |= clean.failed;
  buffer_free(&clean);
  buffer_add_char(out, '\n');
}

/* Writes a message by one write call, so that messages of two programs do not mix. */
static void terminal_say(bool red, pprofc_str text) {
  struct buffer out = buffer_make(&mem_default, SIZE_MAX / 2);
  /* Erase the progress line that the terminal may show. */
  if (terminal_is(STDERR_FILENO)) buffer_add_text(&out, WIPE);
  if (red) buffer_add_text(&out, RED);
  terminal_add_line(&out, text);
  if (red) buffer_add_text(&out, RESET);
  int fd = STDERR_FILENO;
  /* Ignore a failed write, because a message about it would also fail. */
  if (!out.failed) (void)fd_write(&fd, out.data, out.size);
  buffer_free(&out);
}

static void terminal_print_formatted(bool red, const char *format, va_list args) {
  struct buffer text = buffer_make(&mem_default, MESSAGE_MAX);
  va_list again;
  va_copy(again, args);
  int length = vsnprintf(NULL, 0, format, again);
  va_end(again);
  if (length >= 0 && buffer_reserve(&text, (size_t)length + 1)) {
    vsnprintf(text.data, (size_t)length + 1, format, args);
    terminal_say(red, (pprofc_str){text.data, (size_t)length});
  } else {
    terminal_say(red, STR("out of memory"));
  }
  buffer_free(&text);
}

void message_error(const char *format, ...) {
  va_list args;
  va_start(args, format);
  terminal_print_formatted(wants_colour(), format, args);
  va_end(args);
}

void message_error_lines(pprofc_str text) {
  pprofc_str line;
  for (bool red = wants_colour(); str_next_line(&text, &line);) terminal_say(red, line);
}

void message_note(const char *format, ...) {
  va_list args;
  va_start(args, format);
  terminal_print_formatted(false, format, args);
  va_end(args);
}
