/* Computes SHA-256 hashes, and signatures of requests to S3 (AWS Signature Version 4). */
#ifndef TOOLS_COMMON_SHA256_H
#define TOOLS_COMMON_SHA256_H

#include "common/base.h"

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

struct sigv4_scope {
  const char *id, *secret;      /* id and secret of the access key */
  const char *region, *service; /* region and service: "us-east-1", "s3" */
  char time[17];                /* time of the signature: "20130524T000000Z" */
};

struct sigv4_header {
  const char *name, *value; /* lower-case name, and value without blanks around it */
};

struct sigv4_request {
  const char *method;
  const char *path, *query; /* path and query as sent; the query's parameters are sorted */
  const struct sigv4_header *headers;
  size_t header_count; /* number of headers; the caller sorts the headers by name */
  const char *payload; /* SHA-256 of the body, in hex */
};

/* Sets the time of the signature; `seconds` is a Unix time. */
void sigv4_set_time(struct sigv4_scope *scope, int64_t seconds);

/* Appends the value of the Authorization header. */
void sigv4_sign(struct buffer *out, const struct sigv4_scope *scope,
                const struct sigv4_request *request);

#endif
