/* A list of answers in the order of use. It is short, so searches start at the front. */
#include "web/cache.h"

#include "core/hash.h"

struct cache_entry {
  struct cache_entry *next, *previous;
  uint64_t hash;
  char *key;
  size_t key_size;
  struct web_reply *reply;
  size_t bytes;
};

/* Most answers in the list, because searches are linear. */
#define CACHE_ENTRIES 4096

struct web_cache {
  struct cache_entry *first, *last; /* most and least recently used */
  size_t count, bytes, most;
};

struct web_cache *cache_new(size_t bytes) {
  struct web_cache *cache = mem_zero_array(&mem_default, 1, sizeof *cache);
  if (cache) cache->most = bytes;
  return cache;
}

static void cache_unlink(struct web_cache *cache, struct cache_entry *entry) {
  *(entry->previous ? &entry->previous->next : &cache->first) = entry->next;
  *(entry->next ? &entry->next->previous : &cache->last) = entry->previous;
}

static void cache_link(struct web_cache *cache, struct cache_entry *entry) {
  entry->previous = NULL;
  entry->next = cache->first;
  *(cache->first ? &cache->first->previous : &cache->last) = entry;
  cache->first = entry;
}

static void cache_drop(struct web_cache *cache, struct cache_entry *entry) {
  cache_unlink(cache, entry);
  cache->bytes -= entry->bytes;
  cache->count--;
  reply_release(entry->reply);
  mem_free(&mem_default, entry->key, entry->key_size + 1, 1);
  mem_free(&mem_default, entry, 1, sizeof *entry);
}

void cache_clear(struct web_cache *cache) {
  while (cache->first) cache_drop(cache, cache->first);
}

void cache_free(struct web_cache *cache) {
  if (!cache) return;
  cache_clear(cache);
  mem_free(&mem_default, cache, 1, sizeof *cache);
}

static struct cache_entry *cache_find(const struct web_cache *cache, pprofc_str key) {
  uint64_t hash = hash_bytes(key.data, key.size);
  struct cache_entry *entry = cache->first;
  while (entry &&
         (entry->hash != hash || !str_equal((pprofc_str){entry->key, entry->key_size}, key)))
    entry = entry->next;
  return entry;
}

struct web_reply *cache_get(struct web_cache *cache, pprofc_str key) {
  struct cache_entry *entry = cache_find(cache, key);
  if (!entry) return NULL;
  cache_unlink(cache, entry);
  cache_link(cache, entry);
  return reply_retain(entry->reply);
}

void cache_put(struct web_cache *cache, pprofc_str key, struct web_reply *reply) {
  size_t bytes = reply_size(reply) + key.size + sizeof(struct cache_entry);
  struct cache_entry *old = cache_find(cache, key);
  if (old) cache_drop(cache, old);
  if (bytes > cache->most / 2) return;
  struct cache_entry *entry = mem_zero_array(&mem_default, 1, sizeof *entry);
  char *copy = mem_array(&mem_default, key.size + 1, 1);
  if (!entry || !copy) {
    mem_free(&mem_default, entry, 1, sizeof *entry);
    mem_free(&mem_default, copy, key.size + 1, 1);
    return;
  }
  if (key.size) memcpy(copy, key.data, key.size);
  copy[key.size] = '\0';
  *entry = (struct cache_entry){.hash = hash_bytes(key.data, key.size),
                                .key = copy,
                                .key_size = key.size,
                                .reply = reply_retain(reply),
                                .bytes = bytes};
  cache_link(cache, entry);
  cache->bytes += bytes;
  cache->count++;
  while (cache->bytes > cache->most || cache->count > CACHE_ENTRIES) cache_drop(cache, cache->last);
}

size_t cache_bytes(const struct web_cache *cache) {
  return cache->bytes;
}
