/* One line on standard error that says what takes so long: only on a terminal, only after a second.
 */
#ifndef TOOLS_COMMON_PROGRESS_H
#define TOOLS_COMMON_PROGRESS_H

#include <pthread.h>
#include <stdbool.h>

struct progress {
  bool running;
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t ended;
  bool over;
  bool shown;
  const char *step; /* a string that lives on: "reading" */
};

void progress_start(struct progress *progress, const char *step);
void progress_step(struct progress *progress, const char *step);

/* Takes the line away. Called before anything else is printed. */
void progress_end(struct progress *progress);

#endif
