/* Divides work among several threads. Runs deep recursion on a thread with a large stack. */
#include "core/parallel.h"

#include <pthread.h>
#include <unistd.h>

#define MAX_WORKERS 16u

unsigned parallel_workers(unsigned wanted, size_t items, size_t grain) {
  size_t useful = grain ? items / grain : items;
  if (useful <= 1) return 1; /* Return early, because counting the processors reads a file. */
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

struct parallel_deep_job {
  void (*fn)(void *context);
  void *context;
};

static void *run_deep_job(void *argument) {
  struct parallel_deep_job *job = argument;
  job->fn(job->context);
  return NULL;
}

bool parallel_run_deep(size_t stack, void (*fn)(void *context), void *context) {
  struct parallel_deep_job job = {fn, context};
  pthread_attr_t attributes;
  pthread_t thread;
  if (pthread_attr_init(&attributes) != 0) return false;
  bool started = pthread_attr_setstacksize(&attributes, stack) == 0 &&
                 pthread_create(&thread, &attributes, run_deep_job, &job) == 0;
  pthread_attr_destroy(&attributes);
  return started && pthread_join(thread, NULL) == 0;
}
