/* Implements hash tables that map keys to indices 0, 1, 2 ..., and the interner of strings. */
#include "core/base.h"
#include "core/system.h"

#include <pthread.h>

/* ---- hashes ----------------------------------------- */

#ifdef __linux__
#include <sys/auxv.h>
#endif

#ifdef HAVE_XXHASH
#define XXH_INLINE_ALL
#include <xxhash.h>

/* Calls XXH3 with a random secret, which masks every word of the input. A random seed would not
 * suffice, because some keys collide for every seed. */
uint64_t hash_bytes(const void *data, size_t size) {
  if (!size)
    return hash_secret.slot; /* Return `slot`, not `state`: if a hash is equal to `state`, hash_mix
                                returns 0 for every word. */
  return XXH3_64bits_withSecret(data, size, hash_secret.bytes, sizeof hash_secret.bytes);
}
#else
/* Hashes eight bytes at a time with hash_mix, for builds without xxHash. This is slower than XXH3,
 * but as safe against keys that an attacker chooses. */
uint64_t hash_bytes(const void *data, size_t size) {
  const char *p = data;
  uint64_t hash = size, word;
  for (; size >= sizeof word; p += sizeof word, size -= sizeof word) {
    memcpy(&word, p, sizeof word);
    hash = hash_mix(hash, word);
  }
  word = 0;
  if (size) memcpy(&word, p, size);
  return hash_mix(hash, word);
}
#endif

/* ---- the secret -------------------------------------- */

struct hash_secret hash_secret;

/* Returns the next number of SplitMix64 (Steele, Lea, Flood 2014). */
static uint64_t secret_word(uint64_t *state) {
  uint64_t z = *state += 0x9E3779B97F4A7C15u;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  return z ^ z >> 31;
}

static void secret_expand(uint64_t a, uint64_t b) {
  uint64_t words[sizeof hash_secret / sizeof(uint64_t)];
  for (size_t i = 0; i < COUNT(words); i++)
    words[i] = secret_word(&a) ^ hash_fold(secret_word(&b), a | 1);
  memcpy(&hash_secret, words, sizeof words);
}

/* Derives the secret from the 16 random bytes of the auxiliary vector, the time and the address of
 * the stack. This is only used if the kernel returns no random bytes. */
static void secret_from_process(void) {
  struct timespec now = {0};
  uint64_t words[2] = {0};
  clock_gettime(CLOCK_REALTIME, &now);
#if defined(__linux__) && defined(AT_RANDOM)
  const void *given = (const void *)(uintptr_t)getauxval(AT_RANDOM);
  if (given) memcpy(words, given, sizeof words);
#endif
  words[0] ^= (uint64_t)now.tv_nsec << 32 ^ (uint64_t)now.tv_sec;
  words[1] ^= (uint64_t)(uintptr_t)&now ^ (uint64_t)getpid() << 48;
  secret_expand(words[0], words[1]);
}

static void secret_draw(void) {
  if (!system_random(&hash_secret, sizeof hash_secret)) secret_from_process();
}

void hash_init(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, secret_draw);
}

void map_init(struct map *map, const pprofc_allocator *mem) {
  hash_init();
  *map = (struct map){.mem = mem};
}

void map_free(struct map *map) {
  mem_free(map->mem, map->slots, map->capacity, sizeof *map->slots);
  *map = (struct map){.mem = map->mem};
}

static void map_place(struct map *map, struct map_slot slot) {
  size_t mask = map->capacity - 1, first = slot.tag & mask, position = first;
  while (map->slots[position].index != MAP_NONE) position = (position + 1) & mask;
  map->slots[position] = slot;
  map->steps += (position - first) & mask;
}

static bool map_grow(struct map *map, size_t capacity) {
  struct map old = *map;
  map->slots = mem_array(map->mem, capacity, sizeof *map->slots);
  if (!map->slots) {
    map->slots = old.slots;
    return false;
  }
  mem_will_fill(map->slots, capacity * sizeof *map->slots);
  memset(map->slots, 0xFF, capacity * sizeof *map->slots);
  map->capacity = capacity;
  for (size_t i = 0; i < old.capacity; i++)
    if (old.slots[i].index != MAP_NONE) map_place(map, old.slots[i]);
  mem_free(map->mem, old.slots, old.capacity, sizeof *old.slots);
  return true;
}

bool map_reserve(struct map *map, size_t count) {
  size_t capacity = map->capacity ? map->capacity : 16;
  while (capacity - capacity / 4 < count) {
    if (capacity > SIZE_MAX / 2 / sizeof *map->slots) return false;
    capacity *= 2;
  }
  return capacity == map->capacity || map_grow(map, capacity);
}

bool map_insert(struct map *map, uint64_t hash, uint32_t index) {
  if (!map_reserve(map, map->count + 1)) return false;
  map_place(map, (struct map_slot){map_start(map, hash).tag, index});
  map->count++;
  return true;
}

void interner_init(struct interner *interner, const pprofc_allocator *mem) {
  *interner = (struct interner){0};
  map_init(&interner->map, mem);
}

void interner_free(struct interner *interner) {
  loose_free(interner->map.mem, interner->items, interner->capacity, sizeof *interner->items);
  interner->items = NULL;
  interner->count = interner->capacity = 0;
  map_free(&interner->map);
}

static uint32_t interner_lookup(const struct interner *interner, uint64_t hash, pprofc_str s) {
  MAP_FIND(index, &interner->map, hash, str_equal(interner->items[index], s));
  return index;
}

uint32_t interner_find(const struct interner *interner, pprofc_str s) {
  return interner_lookup(interner, hash_str(s), s);
}

pprofc_str *interner_take(struct interner *interner, struct arena *arena) {
  pprofc_str *items = arena_take(arena, interner->items, interner->capacity, interner->count,
                                 sizeof *interner->items);
  if (!items) return NULL;
  interner->items = NULL;
  interner_free(interner);
  return items;
}

static uint32_t interner_insert(struct interner *interner, struct arena *arena, pprofc_str s) {
  uint64_t hash = hash_str(s);
  uint32_t index = interner_lookup(interner, hash, s);
  if (index != MAP_NONE) return index;
  if (interner->count >= MAP_NONE) return MAP_NONE;
  if (interner->count == interner->capacity &&
      !array_grow_loose(interner->map.mem, &interner->items, &interner->capacity,
                        interner->count + 1, sizeof *interner->items))
    return MAP_NONE;
  if (arena) {
    s = arena_str(arena, s);
    if (!s.data) return MAP_NONE;
  }
  if (!map_insert(&interner->map, hash, (uint32_t)interner->count)) return MAP_NONE;
  interner->items[interner->count] = s;
  return (uint32_t)interner->count++;
}

uint32_t interner_add(struct interner *interner, pprofc_str s) {
  return interner_insert(interner, NULL, s);
}

uint32_t interner_copy(struct interner *interner, struct arena *arena, pprofc_str s) {
  return interner_insert(interner, arena, s);
}
