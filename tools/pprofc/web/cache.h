/* Answers that were given, by question: those used last, within a number of bytes. */
#ifndef PPROFC_WEB_CACHE_H
#define PPROFC_WEB_CACHE_H

#include "web/reply.h"

struct web_cache;

/* NULL when out of memory. A cache is used by one thread at a time. */
struct web_cache *cache_new(size_t bytes);
void cache_free(struct web_cache *cache);

/* The answer to a question, for the caller to release; NULL when there is none. */
struct web_reply *cache_get(struct web_cache *cache, pprofc_str key);

/* Keeps an answer; others go when it is full. What does not fit is not kept. */
void cache_put(struct web_cache *cache, pprofc_str key, struct web_reply *reply);

/* Forgets everything. */
void cache_clear(struct web_cache *cache);

/* What it holds now, in bytes. */
size_t cache_bytes(const struct web_cache *cache);

#endif
