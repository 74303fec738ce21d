/* Implements the progress line with a thread that wakes once a second. */
#include "common/base.h"

static void *show(void *context) {
  struct progress *p = context;
  struct timespec wake;
  pthread_mutex_lock(&p->lock);
  while (!p->over) {
    clock_gettime(CLOCK_REALTIME, &wake);
    wake.tv_sec++;
    int woken = 0;
    while (!p->over && woken != ETIMEDOUT)
      woken = pthread_cond_timedwait(&p->ended, &p->lock, &wake);
    if (p->over) break;
    p->shown = true;
    p->seconds++;
    bool counts = p->until > p->seconds;
    if (counts)
      fprintf(stderr, "\r%s, %u s left \033[K", p->step, p->until - p->seconds);
    else
      fprintf(stderr, "\r%s, %u s \033[K", p->step, p->seconds);
    fflush(stderr);
  }
  pthread_mutex_unlock(&p->lock);
  return NULL;
}

void progress_start(struct progress *p, const char *step) {
  *p = (struct progress){.step = step};
  if (!isatty(STDERR_FILENO)) return;
  pthread_mutex_init(&p->lock, NULL);
  pthread_cond_init(&p->ended, NULL);
  p->running = pthread_create(&p->thread, NULL, show, p) == 0;
}

void progress_step(struct progress *p, const char *step) {
  progress_countdown(p, step, 0);
}

void progress_countdown(struct progress *p, const char *step, int64_t seconds) {
  if (!p || !p->running) return;
  pthread_mutex_lock(&p->lock);
  p->step = step;
  p->until = seconds > 0 && seconds < INT32_MAX ? p->seconds + (unsigned)seconds : 0;
  pthread_mutex_unlock(&p->lock);
}

void progress_end(struct progress *p) {
  if (!p->running) return;
  pthread_mutex_lock(&p->lock);
  p->over = true;
  pthread_cond_signal(&p->ended);
  pthread_mutex_unlock(&p->lock);
  pthread_join(p->thread, NULL);
  if (p->shown) fprintf(stderr, "\r\033[K");
  p->running = false;
}
