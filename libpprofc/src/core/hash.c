/* Hashes bytes. Draws the secret key of all hashes. */
#include "core/hash.h"

#include "core/system.h"

#include <pthread.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/auxv.h>
#endif

#ifdef HAVE_XXHASH
#define XXH_INLINE_ALL
#include <xxhash.h>

/* Calls XXH3 with a random secret, which masks every word of the input. With only a random seed,
 * the masks would be known constants plus or minus the seed, and some keys would collide for every
 * seed. */
uint64_t hash_bytes(const void *data, size_t size) {
  if (!size)
    return hash_secret.slot; /* Return `slot` instead of `state`, because hash_mix of `state` and
                                any word is 0. */
  return XXH3_64bits_withSecret(data, size, hash_secret.bytes, sizeof hash_secret.bytes);
}
#else
/* Hashes eight bytes at a time with hash_mix, for builds without xxHash. This is slower than XXH3,
 * but as safe against chosen keys. */
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
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
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
