/* Runs the work on answers: a few threads, a bounded queue, and one job for equal questions. */
#ifndef PPROFC_WEB_JOBS_H
#define PPROFC_WEB_JOBS_H

#include "core/budget.h"
#include "web/reply.h"

struct web_cache;

/* Returns a new cache; NULL when out of memory. Only one thread may use it at a time. */
struct web_cache *cache_new(size_t bytes);
void cache_free(struct web_cache *cache);

/* Returns the cached answer, which the caller releases, or NULL. */
struct web_reply *cache_get(struct web_cache *cache, pprofc_str key);

/* Adds an answer and drops old ones to make room. Drops an answer larger than the cache. */
void cache_put(struct web_cache *cache, pprofc_str key, struct web_reply *reply);

/* Drops all answers. */
void cache_clear(struct web_cache *cache);

struct web_jobs;

struct jobs_settings {
  unsigned workers;
  size_t waiting_most;   /* maximum number of questions that wait for a thread */
  struct budget *parent; /* budget that all reports share */
  uint64_t bytes;        /* maximum memory of one answer, in bytes */
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

/* Stops and frees the pool. Other threads must not call the pool any more. */
void jobs_free(struct web_jobs *jobs);

/* Asks a question and takes ownership of it. Equal non-empty keys mean equal questions.
 * Returns a known answer or a refusal; NULL if the answer comes later. */
struct web_reply *jobs_ask(struct web_jobs *jobs, pprofc_str key, void *question, void *asker);

/* Starts work on a question that will probably come soon, if a thread is idle, and takes
 * ownership of it. The cache keeps the answer. */
void jobs_prepare(struct web_jobs *jobs, pprofc_str key, void *question);

/* Removes the asker from its job. A job without askers is cancelled. The asker still gets an
 * answer. */
void jobs_leave(struct web_jobs *jobs, void *asker);

/* Drops the cached answers. */
void jobs_forget_answers(struct web_jobs *jobs);

#endif
