/* Writes messages to standard error, shows the current step, and handles signals. */
#ifndef TOOLS_COMMON_TERMINAL_H
#define TOOLS_COMMON_TERMINAL_H

#include "common/base.h"

#include <pthread.h>

bool terminal_is(int fd);

/* Returns the width of the terminal `fd` in columns, or 80 if it is unknown. */
size_t terminal_width(int fd);

/* Prints a one-line message to standard error. The message is red on a terminal, unless NO_COLOR is
 * set. Escapes newlines and other bytes that control a terminal or start a command in a CI log. */
void message_error(const char *format, ...) PPROFC_PRINTF(1, 2);

/* Prints a message of several lines. Treats each line like message_error. */
void message_error_lines(pprofc_str text);

/* Prints a message that is not an error, without colour. */
void message_note(const char *format, ...) PPROFC_PRINTF(1, 2);

/* ---- progress ------------------------------------- */

struct progress {
  bool running;
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t ended;
  bool over;
  bool shown;
  const char *step; /* name of the current step, such as "reading"; the caller owns the text */
  unsigned seconds; /* number of seconds since progress_start */
  /* expected end of the step, in seconds since progress_start; unknown unless above `seconds` */
  unsigned until;
};

void progress_start(struct progress *progress, const char *step);
void progress_step(struct progress *progress, const char *step);

/* Starts a step that takes `seconds`. Like progress_step, does nothing if `progress` is NULL. */
void progress_countdown(struct progress *progress, const char *step, int64_t seconds);

/* Removes the progress line. The caller must call this before it prints other text. */
void progress_end(struct progress *progress);

/* ---- signals -------------------------------------- */

/* Installs the signal handlers. `program` is the prefix of messages. `bad_input` is the exit status
 * if an input became shorter. */
void signals_watch(const char *program, int bad_input);

/* Makes the next ^C call `call` in the signal handler instead of ending the program. A second ^C
 * ends the program. NULL restores the default. */
void signals_catch(void (*call)(void));

/* Sets the file to remove when a signal ends the program, or NULL. Does not copy the path. */
void signals_remove(const char *path);

#endif
