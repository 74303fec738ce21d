/* Shows one line on standard error with the current step: only on a terminal, and only after a
 * second. */
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
  const char *step; /* name of the current step, "reading"; the string must stay valid */
  unsigned seconds; /* number of seconds since the start */
  unsigned until;   /* second at which the step should end; in the past if unknown */
};

void progress_start(struct progress *progress, const char *step);
void progress_step(struct progress *progress, const char *step);

/* Starts a step of known length in seconds; the line counts them down. In all functions
 * `progress` may be NULL for no line. */
void progress_countdown(struct progress *progress, const char *step, int64_t seconds);

/* Removes the line. The caller does this before it prints anything else. */
void progress_end(struct progress *progress);

#endif
