/* One line on standard error that says what takes so long: only on a terminal, only after a second.
 */
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
  const char *step; /* a string that lives on: "reading" */
  unsigned seconds; /* since the start */
  unsigned until;   /* the second at which something is over; in the past: nothing is known */
};

void progress_start(struct progress *progress, const char *step);
void progress_step(struct progress *progress, const char *step);

/* The same for a step that takes that many seconds: the line counts them down. Any of the functions
 * takes NULL for no line. */
void progress_countdown(struct progress *progress, const char *step, int64_t seconds);

/* Takes the line away. Called before anything else is printed. */
void progress_end(struct progress *progress);

#endif
