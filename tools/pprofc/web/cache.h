/* A cache of answers by question: least recently used answers go first, within a limit of
 * bytes. */
#ifndef PPROFC_WEB_CACHE_H
#define PPROFC_WEB_CACHE_H

#include "web/reply.h"

struct web_cache;

/* Returns NULL when out of memory. A cache serves one thread at a time. */
struct web_cache *cache_new(size_t bytes);
void cache_free(struct web_cache *cache);

/* Returns the cached answer, which the caller releases, or NULL. */
struct web_reply *cache_get(struct web_cache *cache, pprofc_str key);

/* Adds an answer and drops old ones to make room. Drops an answer larger than the cache. */
void cache_put(struct web_cache *cache, pprofc_str key, struct web_reply *reply);

/* Drops all answers. */
void cache_clear(struct web_cache *cache);

/* Returns the bytes of all answers. */
size_t cache_bytes(const struct web_cache *cache);

#endif
