/* Hashes for tables, with a random secret of the process as key.
 *
 * An attacker may write the whole input. Without the secret, the attacker cannot choose keys that
 * share a slot of a table. Hashes differ between runs of a program. Output never depends on hashes,
 * because they only select slots. */
#ifndef PPROFC_CORE_HASH_H
#define PPROFC_CORE_HASH_H

#include "core/str.h"

/* Secret random numbers, set once per process. This is the only global variable of the library. */
struct hash_secret {
  uint64_t state, word;     /* secret numbers for hash_mix */
  uint64_t slot;            /* secret number for hash_spread */
  unsigned char bytes[192]; /* secret for XXH3 in hash_bytes */
};

extern struct hash_secret hash_secret __attribute__((visibility("hidden")));

/* Draws the secret random numbers at the first call. Any thread may call this function. map_init
 * calls it, because only tables need hashes. */
void hash_init(void);

uint64_t hash_bytes(const void *data, size_t size);

static inline uint64_t hash_str(pprofc_str s) {
  return hash_bytes(s.data, s.size);
}

/* Returns the exclusive or of the two halves of the 128-bit product a * b. */
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

/* Mixes another word into a hash. Masks the hash and the word with the secret, and multiplies the
 * results. Without the secret, an attacker cannot choose words that make a factor 0 or make two
 * products equal. */
static inline uint64_t hash_mix(uint64_t hash, uint64_t word) {
  return hash_fold(hash ^ hash_secret.state, word ^ hash_secret.word);
}

/* Multiplies a hash once more to spread hashes over the slots of a table. Without this step, some
 * secrets put keys in arithmetic progression into neighbouring slots. */
static inline uint64_t hash_spread(uint64_t hash) {
  return hash_fold(hash, hash_secret.slot);
}

#endif
