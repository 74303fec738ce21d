/* Shows the current step on one line of standard error. The line appears only on a terminal, and
 * only after one second. */
#ifndef TOOLS_COMMON_PROGRESS_H
#define TOOLS_COMMON_PROGRESS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct progress {
  bool running;
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t ended;
  bool over;
  bool shown;
  const char *step; /* name of the current step, such as "reading"; the caller owns the text */
  unsigned seconds; /* number of seconds since the start */
  /* expected end of the step, in seconds since the start; unknown unless it is above `seconds` */
  unsigned until;
};

void progress_start(struct progress *progress, const char *step);
void progress_step(struct progress *progress, const char *step);

/* Starts a step that takes `seconds`. All functions here do nothing if `progress` is NULL. */
void progress_countdown(struct progress *progress, const char *step, int64_t seconds);

/* Removes the line. The caller must call this before it prints other text. */
void progress_end(struct progress *progress);

#endif
