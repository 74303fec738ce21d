/* Work on answers: a few threads, a bounded queue, and one job for equal questions. */
#ifndef PPROFC_WEB_JOBS_H
#define PPROFC_WEB_JOBS_H

#include "core/budget.h"
#include "web/cache.h"

struct web_jobs;

struct jobs_settings {
  unsigned workers;
  size_t waiting_most;   /* most questions that wait for a thread */
  struct budget *parent; /* budget of all reports together */
  uint64_t bytes;        /* memory of one answer, in bytes */
  uint32_t milliseconds; /* time limit of an answer in milliseconds; it begins when the first client
                            waits */
  struct web_cache *cache; /* cache of answers */
  /* Answers a question; NULL means out of memory. */
  struct web_reply *(*run)(void *question, struct budget *budget);
  void (*forget)(void *question);
  /* Gives the answer to a waiting client and takes ownership of the reply. */
  void (*answer)(void *asker, struct web_reply *reply);
};

struct web_jobs *jobs_start(const struct jobs_settings *settings);

/* Cancels everything, waits for the threads and answers all askers. Later questions are
 * refused. */
void jobs_stop(struct web_jobs *jobs);

/* Stops and frees the pool. No thread may ask any more. */
void jobs_free(struct web_jobs *jobs);

/* Asks a question and takes ownership of it. Equal non-empty keys mean equal questions.
 * Returns a known answer or a refusal; NULL if the answer comes later. */
struct web_reply *jobs_ask(struct web_jobs *jobs, pprofc_str key, void *question, void *asker);

/* Starts work on a question that will probably come soon, if a thread is idle, and takes
 * ownership of it. The cache keeps the answer. */
void jobs_prepare(struct web_jobs *jobs, pprofc_str key, void *question);

/* The asker lost interest. Work without askers is cancelled. The asker still gets an answer. */
void jobs_leave(struct web_jobs *jobs, void *asker);

/* Drops the cached answers. */
void jobs_forget_answers(struct web_jobs *jobs);

#endif
