/* Implements the threads that compute answers. */
#include "web/jobs.h"

#include <pthread.h>

struct cache_entry {
  struct cache_entry *next;
  uint64_t hash;
  char *key;
  struct web_reply *reply;
  size_t bytes;
};

/* Maximum number of cached answers. The limit is low, because a search compares all entries. */
#define CACHE_ENTRIES 4096

struct web_cache {
  struct cache_entry *first; /* most recently used answer; the least recently used comes last */
  size_t most;
};

struct web_cache *cache_new(size_t bytes) {
  struct web_cache *cache = mem_zero_array(&mem_default, 1, sizeof *cache);
  if (cache) cache->most = bytes;
  return cache;
}

/* Removes the entry to which *link points from the list of cached answers. */
static void cache_drop(struct cache_entry **link) {
  struct cache_entry *entry = *link;
  *link = entry->next;
  reply_release(entry->reply);
  text_free(entry->key);
  mem_free(&mem_default, entry, 1, sizeof *entry);
}

void cache_clear(struct web_cache *cache) {
  while (cache->first) cache_drop(&cache->first);
}

void cache_free(struct web_cache *cache) {
  if (!cache) return;
  cache_clear(cache);
  mem_free(&mem_default, cache, 1, sizeof *cache);
}

/* Returns the pointer in the list of cached answers that points to the entry with a key. If no
 * entry has the key, returns the pointer at the end of the list. */
static struct cache_entry **cache_find(struct web_cache *cache, pprofc_str key) {
  uint64_t hash = hash_bytes(key.data, key.size);
  struct cache_entry **link = &cache->first;
  while (*link && ((*link)->hash != hash || !str_equal(str_of((*link)->key), key)))
    link = &(*link)->next;
  return link;
}

struct web_reply *cache_get(struct web_cache *cache, pprofc_str key) {
  struct cache_entry **link = cache_find(cache, key), *entry = *link;
  if (!entry) return NULL;
  *link = entry->next;
  entry->next = cache->first;
  cache->first = entry;
  return reply_retain(entry->reply);
}

void cache_put(struct web_cache *cache, pprofc_str key, struct web_reply *reply) {
  size_t bytes = reply_size(reply) + key.size + sizeof(struct cache_entry), used = 0, count = 0;
  struct cache_entry **link = cache_find(cache, key);
  if (*link) cache_drop(link);
  if (bytes > cache->most / 2) return;
  struct cache_entry *entry = mem_zero_array(&mem_default, 1, sizeof *entry);
  char *copy = text_copy(key);
  if (!entry || !copy) {
    mem_free(&mem_default, entry, 1, sizeof *entry);
    text_free(copy);
    return;
  }
  *entry = (struct cache_entry){cache->first, hash_bytes(key.data, key.size), copy,
                                reply_retain(reply), bytes};
  cache->first = entry;
  for (link = &cache->first; *link;) {
    used += (*link)->bytes;
    if (used > cache->most || ++count > CACHE_ENTRIES)
      cache_drop(link);
    else
      link = &(*link)->next;
  }
}

struct job_asker {
  void *asker;
  bool gone;
};

struct web_job {
  struct web_job *next;
  char *key;
  void *question;
  struct job_asker *askers;
  size_t asker_count, asker_capacity;
  struct budget *budget; /* memory and time budget while the job runs, else NULL */
  bool cancelled;
};

struct web_jobs {
  struct jobs_settings settings;
  pthread_mutex_t lock;
  pthread_cond_t work;
  struct web_job *queue, **queue_end; /* jobs that wait for a thread, oldest first */
  struct web_job *running;
  size_t waiting; /* number of queued jobs that have a waiting client */
  pthread_t *threads;
  unsigned thread_count;
  bool stopping;
};

static void job_free(struct web_jobs *jobs, struct web_job *job) {
  if (job->question) jobs->settings.forget(job->question);
  text_free(job->key);
  mem_free(&mem_default, job->askers, job->asker_capacity, sizeof *job->askers);
  mem_free(&mem_default, job, 1, sizeof *job);
}

static bool job_add_asker(struct web_job *job, void *asker) {
  return ARRAY_PUSH(&mem_default, job->askers, job->asker_count, job->asker_capacity,
                    (struct job_asker){asker, false});
}

/* Creates a job. If `asker` is NULL, no client waits, and the job only fills the cache. */
static struct web_job *job_new(pprofc_str key, void *asker) {
  struct web_job *job = mem_zero_array(&mem_default, 1, sizeof *job);
  if (!job) return NULL;
  job->key = text_copy(key);
  if (job->key && (!asker || job_add_asker(job, asker))) return job;
  text_free(job->key);
  mem_free(&mem_default, job, 1, sizeof *job);
  return NULL;
}

static struct web_job *job_find(struct web_job *list, pprofc_str key) {
  while (list && (list->cancelled || !str_equal(str_of(list->key), key))) list = list->next;
  return list;
}

/* Sends the answer of a finished job to all its clients. Needs no lock, because no list contains
 * the job. */
static void job_answer(struct web_jobs *jobs, struct web_job *job, struct web_reply *reply) {
  if (!reply) reply = reply_text(503, "out of memory");
  for (size_t i = 0; i < job->asker_count; i++)
    jobs->settings.answer(job->askers[i].asker, reply_retain(reply));
  reply_release(reply);
  job_free(jobs, job);
}

static struct web_reply *job_run(struct web_jobs *jobs, struct web_job *job) {
  const struct jobs_settings *settings = &jobs->settings;
  struct budget *budget = budget_new(budget_allocator(settings->parent), settings->bytes);
  if (!budget) return NULL;
  pthread_mutex_lock(&jobs->lock);
  job->budget = budget;
  if (job->asker_count) budget_set_time(budget, settings->milliseconds);
  if (job->cancelled || jobs->stopping) budget_cancel(budget);
  pthread_mutex_unlock(&jobs->lock);
  struct web_reply *reply = settings->run(job->question, budget);
  pthread_mutex_lock(&jobs->lock);
  job->budget = NULL;
  pthread_mutex_unlock(&jobs->lock);
  budget_release(budget);
  return reply;
}

/* Waits for a job, and takes the oldest job from the queue. Returns NULL when the threads must end.
 */
static struct web_job *jobs_take(struct web_jobs *jobs) {
  while (!jobs->queue && !jobs->stopping) pthread_cond_wait(&jobs->work, &jobs->lock);
  struct web_job *job = jobs->queue;
  if (!job || jobs->stopping) return NULL;
  jobs->queue = job->next;
  if (!jobs->queue) jobs->queue_end = &jobs->queue;
  jobs->waiting -= !job->cancelled;
  job->next = jobs->running;
  jobs->running = job;
  return job;
}

static void jobs_end(struct web_jobs *jobs, struct web_job *job, struct web_reply *reply) {
  struct web_job **link = &jobs->running;
  while (*link != job) link = &(*link)->next;
  *link = job->next;
  if (reply && reply->keep && *job->key && !job->cancelled)
    cache_put(jobs->settings.cache, str_of(job->key), reply);
}

static void *jobs_work(void *context) {
  struct web_jobs *jobs = context;
  struct web_job *job;
  pthread_mutex_lock(&jobs->lock);
  while ((job = jobs_take(jobs))) {
    pthread_mutex_unlock(&jobs->lock);
    struct web_reply *reply = job->cancelled ? NULL : job_run(jobs, job);
    pthread_mutex_lock(&jobs->lock);
    jobs_end(jobs, job, reply);
    pthread_mutex_unlock(&jobs->lock);
    job_answer(jobs, job, reply);
    pthread_mutex_lock(&jobs->lock);
  }
  pthread_mutex_unlock(&jobs->lock);
  return NULL;
}

struct web_jobs *jobs_start(const struct jobs_settings *settings) {
  struct web_jobs *jobs = mem_zero_array(&mem_default, 1, sizeof *jobs);
  if (!jobs) return NULL;
  jobs->settings = *settings;
  jobs->queue_end = &jobs->queue;
  pthread_mutex_init(&jobs->lock, NULL);
  pthread_cond_init(&jobs->work, NULL);
  jobs->threads = mem_array(&mem_default, settings->workers, sizeof *jobs->threads);
  while (jobs->threads && jobs->thread_count < settings->workers) {
    if (pthread_create(&jobs->threads[jobs->thread_count], NULL, jobs_work, jobs) != 0) break;
    jobs->thread_count++;
  }
  if (jobs->thread_count) return jobs;
  jobs_free(jobs);
  return NULL;
}

/* Takes the oldest job from the queue after the threads have ended. Returns NULL if it is empty. */
static struct web_job *jobs_drop(struct web_jobs *jobs) {
  pthread_mutex_lock(&jobs->lock);
  struct web_job *job = jobs->queue;
  if (job) jobs->queue = job->next;
  pthread_mutex_unlock(&jobs->lock);
  return job;
}

void jobs_stop(struct web_jobs *jobs) {
  if (!jobs) return;
  pthread_mutex_lock(&jobs->lock);
  jobs->stopping = true;
  for (struct web_job *job = jobs->running; job; job = job->next)
    if (job->budget) budget_cancel(job->budget);
  pthread_cond_broadcast(&jobs->work);
  pthread_mutex_unlock(&jobs->lock);
  for (unsigned i = 0; i < jobs->thread_count; i++) pthread_join(jobs->threads[i], NULL);
  jobs->thread_count = 0;
  struct web_job *job;
  while ((job = jobs_drop(jobs))) job_answer(jobs, job, reply_text(503, "the server ends"));
}

void jobs_free(struct web_jobs *jobs) {
  if (!jobs) return;
  jobs_stop(jobs);
  mem_free(&mem_default, jobs->threads, jobs->settings.workers, sizeof *jobs->threads);
  pthread_cond_destroy(&jobs->work);
  pthread_mutex_destroy(&jobs->lock);
  mem_free(&mem_default, jobs, 1, sizeof *jobs);
}

/* Adds a client to the job whose request has the same key. Returns false if there is no such job. A
 * job's time limit begins when its first client arrives. */
static bool jobs_join(struct web_jobs *jobs, pprofc_str key, void *asker) {
  if (!key.size || jobs->stopping) return false;
  struct web_job *same = job_find(jobs->queue, key);
  if (!same) same = job_find(jobs->running, key);
  if (!same || !job_add_asker(same, asker)) return false;
  if (same->asker_count == 1 && same->budget)
    budget_set_time(same->budget, jobs->settings.milliseconds);
  return true;
}

static struct web_reply *jobs_queue(struct web_jobs *jobs, pprofc_str key, void **question,
                                    void *asker) {
  if (jobs->stopping) return reply_text(503, "the server ends");
  if (jobs->waiting >= jobs->settings.waiting_most)
    return reply_text(503, "too many requests at once; try again in a moment");
  struct web_job *job = job_new(key, asker);
  if (!job) return reply_text(503, "out of memory");
  job->question = *question;
  *question = NULL;
  *jobs->queue_end = job;
  jobs->queue_end = &job->next;
  jobs->waiting++;
  pthread_cond_signal(&jobs->work);
  return NULL;
}

/* True if at least two threads are idle. One of them can then work in advance. */
static bool jobs_are_idle(const struct web_jobs *jobs) {
  size_t running = 0;
  for (const struct web_job *job = jobs->running; job; job = job->next) running++;
  return jobs->waiting + running + 1 < jobs->thread_count;
}

static bool jobs_know(struct web_jobs *jobs, pprofc_str key) {
  struct web_reply *reply = cache_get(jobs->settings.cache, key);
  reply_release(reply);
  return reply || job_find(jobs->queue, key) || job_find(jobs->running, key);
}

void jobs_prepare(struct web_jobs *jobs, pprofc_str key, void *question) {
  pthread_mutex_lock(&jobs->lock);
  if (key.size && jobs_are_idle(jobs) && !jobs_know(jobs, key))
    reply_release(jobs_queue(jobs, key, &question, NULL));
  pthread_mutex_unlock(&jobs->lock);
  if (question) jobs->settings.forget(question);
}

struct web_reply *jobs_ask(struct web_jobs *jobs, pprofc_str key, void *question, void *asker) {
  pthread_mutex_lock(&jobs->lock);
  struct web_reply *reply = key.size ? cache_get(jobs->settings.cache, key) : NULL;
  if (!reply && !jobs_join(jobs, key, asker)) reply = jobs_queue(jobs, key, &question, asker);
  pthread_mutex_unlock(&jobs->lock);
  if (question) jobs->settings.forget(question);
  return reply;
}

/* Removes a client from its job in a list of jobs. If the job has no other client, cancels the job
 * and increments *cancelled. Returns false if no job has the client. */
static bool jobs_leave_list(struct web_job *job, const void *asker, size_t *cancelled) {
  for (; job; job = job->next) {
    bool found = false, left = false;
    for (size_t i = 0; i < job->asker_count; i++) {
      found = found || job->askers[i].asker == asker;
      if (job->askers[i].asker == asker) job->askers[i].gone = true;
      left = left || !job->askers[i].gone;
    }
    if (!found) continue;
    *cancelled += !left && !job->cancelled;
    job->cancelled = job->cancelled || !left;
    if (job->cancelled && job->budget) budget_cancel(job->budget);
    return true;
  }
  return false;
}

void jobs_leave(struct web_jobs *jobs, void *asker) {
  size_t dropped = 0, stopped = 0;
  pthread_mutex_lock(&jobs->lock);
  if (!jobs_leave_list(jobs->queue, asker, &dropped))
    jobs_leave_list(jobs->running, asker, &stopped);
  jobs->waiting -= dropped; /* a cancelled job does not count as waiting */
  pthread_mutex_unlock(&jobs->lock);
}

void jobs_forget_answers(struct web_jobs *jobs) {
  pthread_mutex_lock(&jobs->lock);
  cache_clear(jobs->settings.cache);
  pthread_mutex_unlock(&jobs->lock);
}
