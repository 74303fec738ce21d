/* Computes answers in threads with a limited queue. Clients ("askers") may share a job. */
#ifndef PPROFC_WEB_JOBS_H
#define PPROFC_WEB_JOBS_H

#include "core/budget.h"
#include "web/reply.h"

struct web_cache;

/* Returns a cache for `bytes` bytes and one thread at a time. NULL: out of memory. */
struct web_cache *cache_new(size_t bytes);
void cache_free(struct web_cache *cache);

struct web_reply *cache_get(struct web_cache *cache, pprofc_str key);

/* Adds an answer, and drops old ones if full; drops one larger than the cache. */
void cache_put(struct web_cache *cache, pprofc_str key, struct web_reply *reply);

void cache_clear(struct web_cache *cache);

struct web_jobs;

struct jobs_settings {
  unsigned workers;
  size_t waiting_most;     /* maximum number of jobs in the queue */
  struct budget *parent;   /* memory budget shared by all reports */
  uint64_t bytes;          /* memory limit of an answer, in bytes */
  uint32_t milliseconds;   /* milliseconds from the first request for an answer */
  struct web_cache *cache; /* cache of answers */
  struct web_reply *(*run)(void *question, struct budget *budget);
  void (*forget)(void *question);
  /* Sends the answer to a waiting client, and releases the answer. */
  void (*answer)(void *asker, struct web_reply *reply);
};

struct web_jobs *jobs_start(const struct jobs_settings *settings);

/* Cancels all jobs, answers all clients, ends the threads and rejects new requests. */
void jobs_stop(struct web_jobs *jobs);

/* Stops the threads and frees the pool. No thread may use the pool any more. */
void jobs_free(struct web_jobs *jobs);

/* Queues a request, which it owns. Equal keys share an answer, except "". Returns a cached answer
 * or a rejection at once, or NULL: the client gets it later. */
struct web_reply *jobs_ask(struct web_jobs *jobs, pprofc_str key, void *question, void *asker);

/* Computes and caches a probable next answer if a thread is idle. Owns the request. */
void jobs_prepare(struct web_jobs *jobs, pprofc_str key, void *question);

/* Removes a client, which still gets an answer, and cancels a job without clients. */
void jobs_leave(struct web_jobs *jobs, void *asker);

void jobs_forget_answers(struct web_jobs *jobs);

#endif
