/* Tests hash tables: their results, and the number of steps for any set of keys. */
#include "codec/pprof_decode.h"
#include "core/map.h"
#include "unit.h"

#include <stdio.h>

static const uint64_t seeds[] = {0, 1, 42, 0x123456789ABCDEF, UINT64_MAX};

#define SEEDS   (sizeof seeds / sizeof *seeds)
#define ENTRIES 20000u

/* Maximum number of steps. A table that is at most three quarters full needs about three steps per
 * entry, including its growth. */
#define MAX_STEPS (4 * (uint64_t)ENTRIES)

/* Replaces the secret seed of hashes. No hash table may exist at that time. */
static void seed_secret(uint64_t seed) {
  uint64_t words[sizeof hash_secret / sizeof(uint64_t)];
  hash_init();
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    seed = seed * 0x5851F42D4C957F2Du + 0x14057B7EF767814Fu;
    words[i] = seed ^ seed >> 29;
  }
  memcpy(&hash_secret, words, sizeof words);
}

/* ---- keys that collided when hashes had no seed ------ */

/* The old hash function of ids, and a word that it maps to `target`. */
#define OLD_WORD   0xD6E8FEB86659FD93u
#define OLD_FACTOR 0x9E3779B97F4A7C15u

static uint64_t inverse(uint64_t odd) {
  uint64_t x = odd;
  for (int i = 0; i < 6; i++) x *= 2 - odd * x;
  return x;
}

static uint64_t old_mix(uint64_t hash, uint64_t word) {
  hash = (hash ^ word * OLD_WORD) * OLD_FACTOR;
  return hash ^ hash >> 29;
}

static uint64_t colliding_word(uint64_t hash, uint64_t target) {
  uint64_t x = target;
  for (int i = 0; i < 3; i++) x = target ^ x >> 29;
  return (x * inverse(OLD_FACTOR) ^ hash) * inverse(OLD_WORD);
}

static uint64_t pair_first(uint32_t i) {
  return (uint64_t)i * 16;
}

static uint64_t pair_second(uint32_t i) {
  return colliding_word(old_mix(0, pair_first(i)), 0x123456789ABCDEF);
}

/* ---- steps ------------------------------------------- */

typedef uint64_t (*hash_fn)(uint32_t i);

static uint64_t hash_small(uint32_t i) {
  return hash_mix(0, i);
}
static uint64_t hash_page(uint32_t i) {
  return hash_mix(0, (uint64_t)i << 44);
}
static uint64_t hash_grid(uint32_t i) {
  return hash_mix(i % 150, i / 150);
}
static uint64_t hash_halves(uint32_t i) {
  return hash_mix((uint64_t)i << 32, (uint64_t)i << 32 | i);
}
static uint64_t hash_colliding_pair(uint32_t i) {
  return hash_mix(hash_mix(0, pair_first(i)), pair_second(i));
}
static uint64_t hash_text(uint32_t i) {
  char text[300] = {0};
  int size = snprintf(text, sizeof text, "%u", i);
  return hash_bytes(text, i % 2 ? (size_t)size : sizeof text);
}
/* Returns the hash of zero bytes, with a length that depends on i. */
static uint64_t hash_length(uint32_t i) {
  static const char zeros[ENTRIES];
  return hash_bytes(zeros, i);
}

/* Mixes numbers into the hash of an empty stack. */
static uint64_t hash_after_nothing(uint32_t i) {
  return hash_mix(hash_bytes("", 0), (uint64_t)i << 32);
}

static uint64_t steps_of(hash_fn hash) {
  struct map map;
  map_init(&map, &mem_default);
  for (uint32_t i = 0; i < ENTRIES; i++) CU_ASSERT_TRUE_FATAL(map_insert(&map, hash(i), i));
  uint64_t steps = map.steps;
  map_free(&map);
  return steps;
}

TEST(test_no_keys_make_long_probes) {
  static const hash_fn hashes[] = {hash_small,          hash_page, hash_grid,   hash_halves,
                                   hash_colliding_pair, hash_text, hash_length, hash_after_nothing};
  CU_ASSERT_EQUAL(old_mix(old_mix(0, pair_first(7)), pair_second(7)), 0x123456789ABCDEF);
  for (size_t s = 0; s < SEEDS; s++) {
    seed_secret(seeds[s]);
    for (size_t i = 0; i < sizeof hashes / sizeof *hashes; i++)
      CU_ASSERT_TRUE(steps_of(hashes[i]) < MAX_STEPS);
  }
}

TEST(test_ids_that_collided_take_few_steps) {
  static uint64_t ids[ENTRIES];
  struct arena arena;
  struct id_map map;
  arena_init(&arena, &mem_default);
  /* The first round of the old hash function makes these words equal, except for the upper bits. */
  for (uint32_t i = 0; i < ENTRIES; i++)
    ids[i] = colliding_word(0x5851F42D4C957F2Du, (uint64_t)i << 40 | 0x42);
  CU_ASSERT_TRUE_FATAL(id_map_build(&map, ids, ENTRIES, &arena));
  CU_ASSERT_EQUAL(map.duplicate, MAP_NONE);
  CU_ASSERT_TRUE(map.hash.steps < MAX_STEPS);
  for (uint32_t i = 0; i < ENTRIES; i += 100) CU_ASSERT_EQUAL(id_map_find(&map, ids[i]), i);
  id_map_free(&map);
  arena_free(&arena);
}

/* ---- hashes ------------------------------------------ */

TEST(test_the_secret_decides_hashes) {
  uint64_t word[SEEDS], bytes[SEEDS];
  for (size_t s = 0; s < SEEDS; s++) {
    seed_secret(seeds[s]);
    word[s] = hash_mix(1, 2);
    bytes[s] = hash_str(STR("main"));
    CU_ASSERT_EQUAL(word[s], hash_mix(1, 2));
    CU_ASSERT_EQUAL(bytes[s], hash_str(STR("main")));
    for (size_t o = 0; o < s; o++) CU_ASSERT_TRUE(word[s] != word[o] && bytes[s] != bytes[o]);
  }
}

/* The table stores a tag of each hash that depends on all 64 bits. Keys whose hashes agree only in
 * one half are not compared. */
TEST(test_both_halves_of_a_hash_are_compared) {
  const uint64_t hash = 0x1111111122222222u;
  struct map map;
  map_init(&map, &mem_default);
  CU_ASSERT_TRUE(map_insert(&map, hash ^ 1u << 31, 0));
  CU_ASSERT_TRUE(map_insert(&map, hash ^ (uint64_t)1 << 63, 1));
  CU_ASSERT_TRUE(map_insert(&map, hash, 2));
  struct map_probe probe = map_start(&map, hash);
  CU_ASSERT_EQUAL(map_next(&map, &probe), 2);
  CU_ASSERT_EQUAL(map_next(&map, &probe), MAP_NONE);
  map_free(&map);
}

/* ---- strings ----------------------------------------- */

TEST(test_an_arena_takes_the_strings_of_an_interner_in_their_order) {
  static const uint32_t counts[] = {1, 10, 30000}; /* number of strings: the first two are copied,
                                                      the last is used without a copy */
  for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
    struct arena arena;
    struct interner names;
    char text[16];
    arena_init(&arena, &mem_default);
    interner_init(&names, &mem_default);
    for (uint32_t i = 0; i < counts[c]; i++) {
      snprintf(text, sizeof text, "f%u", i);
      CU_ASSERT_EQUAL(interner_copy(&names, &arena, str_of(text)), i);
    }
    pprofc_str *items = interner_take(&names, &arena);
    CU_ASSERT_PTR_NOT_NULL_FATAL(items);
    CU_ASSERT_TRUE(names.count == 0 && names.items == NULL);
    interner_free(&names);
    snprintf(text, sizeof text, "f%u", counts[c] - 1);
    CU_ASSERT_TRUE(str_equal(items[0], STR("f0")) && str_equal(items[counts[c] - 1], str_of(text)));
    arena_free(&arena);
  }
}
