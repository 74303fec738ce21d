/* Hashes for tables, keyed with a secret that every process draws for itself.
 *
 * An attacker may write the whole input, but does not know the secret, and so cannot choose keys
 * that share a slot. Hashes differ from run to run: they choose slots, and output never depends on
 * them. */
#ifndef PPROFC_CORE_HASH_H
#define PPROFC_CORE_HASH_H

#include "core/str.h"

/* Drawn once per process and never changed: the one global variable of the library. */
struct hash_secret {
  uint64_t state, word;     /* of hash_mix */
  uint64_t slot;            /* of hash_spread */
  unsigned char bytes[192]; /* of hash_bytes */
};

extern struct hash_secret hash_secret __attribute__((visibility("hidden")));

/* Draws the secret unless that was done. map_init calls it, because every hash is for a table.
 * Threads may call it at the same time. */
void hash_init(void);

/* Replaces the secret by one that is made of `seed`. For tests, while there are no tables. */
void hash_seed_for_test(uint64_t seed);

uint64_t hash_bytes(const void *data, size_t size);

static inline uint64_t hash_str(pprofc_str s) {
  return hash_bytes(s.data, s.size);
}

/* The two halves of a product, combined by exclusive or. */
static inline uint64_t hash_fold(uint64_t a, uint64_t b) {
#ifdef __SIZEOF_INT128__
  __extension__ typedef unsigned __int128 product;
  product p = (product)a * b;
  return (uint64_t)p ^ (uint64_t)(p >> 64);
#else
  uint64_t low = (a & UINT32_MAX) * (b & UINT32_MAX), high = (a >> 32) * (b >> 32);
  uint64_t middle = (a >> 32) * (b & UINT32_MAX) + (low >> 32);
  uint64_t other = (a & UINT32_MAX) * (b >> 32) + (middle & UINT32_MAX);
  return (other << 32 | (low & UINT32_MAX)) ^ (high + (middle >> 32) + (other >> 32));
#endif
}

/* Mixes one more word into a hash. Both factors of the product are masked: there is no word, and no
 * pair of words, that is known to make a factor 0 or two products equal. */
static inline uint64_t hash_mix(uint64_t hash, uint64_t word) {
  return hash_fold(hash ^ hash_secret.state, word ^ hash_secret.word);
}

/* Spreads a hash over the slots of a table. After one product only, numbers in arithmetic
 * progression share neighbouring slots for some secrets. */
static inline uint64_t hash_spread(uint64_t hash) {
  return hash_fold(hash, hash_secret.slot);
}

#endif
