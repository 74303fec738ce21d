/* Computes answers in a few threads with a queue of limited length. Equal requests share a job. An
 * "asker" is a client that waits for an answer. A "question" is a request. */
#ifndef PPROFC_WEB_JOBS_H
#define PPROFC_WEB_JOBS_H

#include "core/budget.h"
#include "web/reply.h"

struct web_cache;

/* Returns a new cache with a size limit in bytes. Returns NULL when out of memory. Only one thread
 * at a time may use the cache. */
struct web_cache *cache_new(size_t bytes);
void cache_free(struct web_cache *cache);

struct web_reply *cache_get(struct web_cache *cache, pprofc_str key);

/* Adds an answer. If the cache is full, drops the least recently used answers. Does not add an
 * answer larger than half of the cache. */
void cache_put(struct web_cache *cache, pprofc_str key, struct web_reply *reply);

void cache_clear(struct web_cache *cache);

struct web_jobs;

struct jobs_settings {
  unsigned workers;
  size_t waiting_most;   /* maximum number of jobs in the queue */
  struct budget *parent; /* memory budget shared by all reports */
  uint64_t bytes;        /* memory limit of an answer, in bytes */
  uint32_t milliseconds; /* time limit of an answer, in milliseconds after its first request */
  struct web_cache *cache;
  struct web_reply *(*run)(void *question, struct budget *budget);
  void (*forget)(void *question);
  /* Sends the answer to a waiting client, and releases the answer. */
  void (*answer)(void *asker, struct web_reply *reply);
};

struct web_jobs *jobs_start(const struct jobs_settings *settings);

/* Cancels all jobs, answers all clients and waits for the threads to end. After this call, every
 * request is rejected. */
void jobs_stop(struct web_jobs *jobs);

/* Stops the threads and frees `jobs`. No other thread may use `jobs` any more. */
void jobs_free(struct web_jobs *jobs);

/* Queues a request, and takes ownership of `question`. Requests with equal keys share an answer,
 * except for the key "". Returns a cached answer or a rejection at once. Returns NULL if the client
 * gets its answer later. */
struct web_reply *jobs_ask(struct web_jobs *jobs, pprofc_str key, void *question, void *asker);

/* If a thread is idle, computes an answer that a client will probably need next, and caches it.
 * Takes ownership of `question`. */
void jobs_prepare(struct web_jobs *jobs, pprofc_str key, void *question);

/* Handles a client that has left. Cancels its job if no other client waits for the job.
 * jobs_settings.answer is still called for this client. */
void jobs_leave(struct web_jobs *jobs, void *asker);

void jobs_forget_answers(struct web_jobs *jobs);

#endif
