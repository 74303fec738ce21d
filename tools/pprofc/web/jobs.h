/* Work on answers: a few threads, a queue with an end, and one piece of work for equal
 * questions. */
#ifndef PPROFC_WEB_JOBS_H
#define PPROFC_WEB_JOBS_H

#include "core/budget.h"
#include "web/cache.h"

struct web_jobs;

struct jobs_settings {
  unsigned workers;
  size_t waiting_most;     /* questions that wait for a thread */
  struct budget *parent;   /* what all reports together may use */
  uint64_t bytes;          /* of one answer */
  uint32_t milliseconds;   /* of one answer, from when a client waits for it */
  struct web_cache *cache; /* of answers that may be kept */
  /* Works on a question; NULL is "out of memory". */
  struct web_reply *(*run)(void *question, struct budget *budget);
  void (*forget)(void *question);
  /* Gives the answer to one that waits for it, and takes the reply over. */
  void (*answer)(void *asker, struct web_reply *reply);
};

struct web_jobs *jobs_start(const struct jobs_settings *settings);

/* Cancels everything, waits for the threads and answers all that wait. Questions that still come
 * are refused. */
void jobs_stop(struct web_jobs *jobs);

/* Stops, too. No thread may ask any more. */
void jobs_free(struct web_jobs *jobs);

/* Asks a question and takes it over. Equal keys that are not empty mean equal questions. Returns
 * the answer when it is known, or a refusal; NULL when the asker is answered later. */
struct web_reply *jobs_ask(struct web_jobs *jobs, pprofc_str key, void *question, void *asker);

/* Begins to work on a question that is likely to be asked soon, when a thread would be idle
 * otherwise, and takes it over. The answer is kept. */
void jobs_prepare(struct web_jobs *jobs, pprofc_str key, void *question);

/* The asker is not interested any more. Work without an asker left is cancelled. The asker is
 * answered all the same. */
void jobs_leave(struct web_jobs *jobs, void *asker);

/* Forgets the answers that are kept. */
void jobs_forget_answers(struct web_jobs *jobs);

#endif
