/* Computes SHA-256 (FIPS 180-4) and HMAC-SHA256 (RFC 2104), for content hashes and signatures. */
#ifndef TOOLS_COMMON_SHA256_H
#define TOOLS_COMMON_SHA256_H

#include "core/str.h"

#define SHA256_SIZE 32
#define SHA256_HEX  (2 * SHA256_SIZE)

struct sha256 {
  uint32_t state[8];
  uint64_t size;
  uint8_t block[64];
};

void sha256_begin(struct sha256 *sha);
void sha256_add(struct sha256 *sha, const void *data, size_t size);
void sha256_end(struct sha256 *sha, uint8_t hash[SHA256_SIZE]);

void hmac_sha256(pprofc_str key, pprofc_str data, uint8_t hash[SHA256_SIZE]);

/* sha256_hex writes a hash in lower-case hex, with a NUL at the end. sha256_hex_of does the same
 * with the hash of `data`. */
void sha256_hex(const uint8_t hash[SHA256_SIZE], char out[SHA256_HEX + 1]);
void sha256_hex_of(pprofc_str data, char out[SHA256_HEX + 1]);

#endif
