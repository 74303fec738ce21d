/* Running one pass over samples on several threads. */
#include "core/parallel.h"

#include <pthread.h>
#include <unistd.h>

#define MAX_WORKERS 16u

unsigned parallel_workers(unsigned wanted, size_t items, size_t grain) {
  size_t useful = grain ? items / grain : items;
  if (useful <= 1) return 1; /* the system reads a file to count its processors */
  if (wanted == 0) {
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    wanted = processors > 0 ? (unsigned)processors : 1;
  }
  if (wanted > MAX_WORKERS) wanted = MAX_WORKERS;
  return useful < wanted ? (unsigned)useful : wanted;
}

struct parallel_job {
  void (*fn)(void *context, unsigned worker);
  void *context;
  unsigned worker;
};

static void *run_job(void *argument) {
  struct parallel_job *job = argument;
  job->fn(job->context, job->worker);
  return NULL;
}

void parallel_run(unsigned workers, void (*fn)(void *context, unsigned worker), void *context) {
  pthread_t threads[MAX_WORKERS];
  struct parallel_job jobs[MAX_WORKERS];
  unsigned started = 1;
  if (workers > MAX_WORKERS) workers = MAX_WORKERS;
  while (started < workers) {
    jobs[started] = (struct parallel_job){fn, context, started};
    if (pthread_create(&threads[started], NULL, run_job, &jobs[started]) != 0) break;
    started++;
  }
  fn(context, 0);
  for (unsigned w = started; w < workers; w++) fn(context, w);
  for (unsigned w = 1; w < started; w++) pthread_join(threads[w], NULL);
}
