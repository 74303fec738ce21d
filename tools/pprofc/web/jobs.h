/* Computes answers in a few threads with a bounded queue. Requests with the same question share a
 * job. A client that waits for the answer is an asker. */
#ifndef PPROFC_WEB_JOBS_H
#define PPROFC_WEB_JOBS_H

#include "core/budget.h"
#include "web/reply.h"

struct web_cache;

/* Returns a new cache with a limit in bytes. Returns NULL when out of memory. Only one thread at a
 * time may use it. */
struct web_cache *cache_new(size_t bytes);
void cache_free(struct web_cache *cache);

/* Returns the cached answer for a key, or NULL. The caller releases it. */
struct web_reply *cache_get(struct web_cache *cache, pprofc_str key);

/* Adds an answer. Drops old answers if there is no room, and the new answer if it is larger than
 * the cache. */
void cache_put(struct web_cache *cache, pprofc_str key, struct web_reply *reply);

/* Removes all answers from the cache. */
void cache_clear(struct web_cache *cache);

struct web_jobs;

struct jobs_settings {
  unsigned workers;
  size_t waiting_most;   /* maximum number of jobs that wait for a thread */
  struct budget *parent; /* memory budget of all reports together */
  uint64_t bytes;        /* memory limit of an answer, in bytes */
  uint32_t milliseconds; /* time limit of an answer in milliseconds; starts with the first client */
  struct web_cache *cache; /* cache of answers */
  /* Computes an answer; returns NULL when out of memory. */
  struct web_reply *(*run)(void *question, struct budget *budget);
  void (*forget)(void *question);
  /* Sends the answer to a waiting client and releases it. */
  void (*answer)(void *asker, struct web_reply *reply);
};

struct web_jobs *jobs_start(const struct jobs_settings *settings);

/* Cancels all jobs, answers all askers and waits for the threads. After this, refuses every
 * question. */
void jobs_stop(struct web_jobs *jobs);

/* Stops the threads and frees the pool. No other thread may use the pool after the call. */
void jobs_free(struct web_jobs *jobs);

/* Queues a question and takes ownership of it. Questions with equal keys share an answer, unless
 * the key is "". Returns a cached answer or a refusal at once; NULL if the asker gets the answer
 * later. */
struct web_reply *jobs_ask(struct web_jobs *jobs, pprofc_str key, void *question, void *asker);

/* Computes the answer to a likely next question, if a thread is idle, and puts it into the cache.
 * Takes ownership of the question. */
void jobs_prepare(struct web_jobs *jobs, pprofc_str key, void *question);

/* Removes the asker from its job, and cancels a job without askers. The asker still gets an
 * answer. */
void jobs_leave(struct web_jobs *jobs, void *asker);

/* Removes the cached answers. */
void jobs_forget_answers(struct web_jobs *jobs);

#endif
