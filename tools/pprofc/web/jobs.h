/* Computes answers in a few threads with a queue of limited length. Equal requests share a job. An
 * "asker" is a client that waits for an answer. A "question" is a request. */
#ifndef PPROFC_WEB_JOBS_H
#define PPROFC_WEB_JOBS_H

#include "common/base.h"

/* ---- replies (reply.c) ---------------------------- */

#define REPLY_HEADERS_MAX 6

struct web_header {
  const char *name;
  char *value;
};

struct web_reply {
  int references;
  unsigned status;
  const char *type;   /* Content-Type as a string literal: "text/html; charset=utf-8" */
  struct buffer body; /* body, allocated with malloc */
  struct web_header headers[REPLY_HEADERS_MAX];
  size_t header_count;
  bool keep; /* true if the cache may keep the reply */
};

#define REPLY_HTML   "text/html; charset=utf-8"
#define REPLY_TEXT   "text/plain; charset=utf-8"
#define REPLY_JSON   "application/json"
#define REPLY_BINARY "application/octet-stream"

/* Returns a reply with one reference, or NULL when out of memory. */
struct web_reply *reply_new(unsigned status, const char *type);
struct web_reply *reply_retain(struct web_reply *reply);
void reply_release(struct web_reply *reply);

/* Returns a reply with a line of text, with control bytes escaped. Returns NULL when out of
 * memory. */
struct web_reply *reply_text(unsigned status, const char *text);

/* Returns a redirect to "PATH?QUERY", or to "PATH" if the query is empty. */
struct web_reply *reply_redirect(unsigned status, const char *path, pprofc_str query);

/* Adds a copy of a header, and replaces its control bytes. Returns false if there are too many
 * headers or memory runs out. */
bool reply_add_header(struct web_reply *reply, const char *name, pprofc_str value);

size_t reply_size(const struct web_reply *reply);

/* Appends bytes to the body of `reply`. The function is a pprofc_write_fn callback. */
int reply_write(void *reply, const void *data, size_t size);

/* Returns the HTTP status for an error: 400 for an invalid request, 503 for an exceeded limit, and
 * 500 for any other error. */
unsigned reply_status_of(pprofc_status status);

/* ---- jobs and cache (jobs.c) ---------------------- */

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

/* Stops the threads and frees `jobs`. No other thread may use `jobs` during the call or later. */
void jobs_free(struct web_jobs *jobs);

/* Queues a request, and takes ownership of `question`. Requests with equal keys share an answer,
 * except for the key "". Returns a cached answer or a rejection at once. Returns NULL if the client
 * gets its answer later. */
struct web_reply *jobs_ask(struct web_jobs *jobs, pprofc_str key, void *question, void *asker);

/* Computes an answer that a client will probably need next, and caches it, if a thread is idle.
 * Takes ownership of `question`. */
void jobs_prepare(struct web_jobs *jobs, pprofc_str key, void *question);

/* Handles a client that has left. Cancels its job if no other client waits for the job.
 * jobs_settings.answer is still called for this client. */
void jobs_leave(struct web_jobs *jobs, void *asker);

void jobs_forget_answers(struct web_jobs *jobs);

#endif
