/* Computes SHA-256 hashes, and signatures of requests to S3 (AWS Signature Version 4). */
#include "common/sha256.h"

static const uint32_t sha256_k[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t sha256_turn(uint32_t x, unsigned by) {
  return (x >> by) | (x << (32 - by));
}

static uint32_t sha256_word(const uint8_t *bytes) {
  return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static void sha256_mix(uint32_t state[8], const uint8_t block[64]) {
  uint32_t w[64], s[8];
  for (size_t i = 0; i < 16; i++) w[i] = sha256_word(block + 4 * i);
  for (size_t i = 16; i < 64; i++) {
    uint32_t a = w[i - 15], b = w[i - 2];
    w[i] = w[i - 16] + w[i - 7] + (sha256_turn(a, 7) ^ sha256_turn(a, 18) ^ (a >> 3)) +
           (sha256_turn(b, 17) ^ sha256_turn(b, 19) ^ (b >> 10));
  }
  memcpy(s, state, sizeof s);
  for (size_t i = 0; i < 64; i++) {
    uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
    uint32_t majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
    uint32_t one = s[7] + (sha256_turn(s[4], 6) ^ sha256_turn(s[4], 11) ^ sha256_turn(s[4], 25)) +
                   choice + sha256_k[i] + w[i];
    uint32_t two =
        (sha256_turn(s[0], 2) ^ sha256_turn(s[0], 13) ^ sha256_turn(s[0], 22)) + majority;
    memmove(s + 1, s, 7 * sizeof *s);
    s[4] += one;
    s[0] = one + two;
  }
  for (size_t i = 0; i < 8; i++) state[i] += s[i];
}

void sha256_begin(struct sha256 *sha) {
  static const uint32_t first[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  memcpy(sha->state, first, sizeof first);
  sha->size = 0;
}

void sha256_add(struct sha256 *sha, const void *data, size_t size) {
  const uint8_t *bytes = data;
  size_t filled = (size_t)(sha->size % sizeof sha->block);
  sha->size += size;
  while (size) {
    size_t part = sizeof sha->block - filled;
    if (!filled && size >= sizeof sha->block) {
      sha256_mix(sha->state, bytes);
    } else {
      part = part < size ? part : size;
      memcpy(sha->block + filled, bytes, part);
      filled = (filled + part) % sizeof sha->block;
      if (!filled) sha256_mix(sha->state, sha->block);
    }
    bytes += part;
    size -= part;
  }
}

void sha256_end(struct sha256 *sha, uint8_t hash[SHA256_SIZE]) {
  static const uint8_t padding[64] = {0x80};
  uint64_t bits = sha->size * 8;
  uint8_t length[8];
  for (size_t i = 0; i < 8; i++) length[i] = (uint8_t)(bits >> (56 - 8 * i));
  size_t filled = (size_t)(sha->size % 64);
  sha256_add(sha, padding, filled < 56 ? 56 - filled : 120 - filled);
  sha256_add(sha, length, sizeof length);
  for (size_t i = 0; i < SHA256_SIZE; i++)
    hash[i] = (uint8_t)(sha->state[i / 4] >> (24 - 8 * (i % 4)));
}

static void sha256_of(pprofc_str data, uint8_t hash[SHA256_SIZE]) {
  struct sha256 sha;
  sha256_begin(&sha);
  sha256_add(&sha, data.data, data.size);
  sha256_end(&sha, hash);
}

void hmac_sha256(pprofc_str key, pprofc_str data, uint8_t hash[SHA256_SIZE]) {
  uint8_t block[64] = {0}, pad[64], inner[SHA256_SIZE];
  struct sha256 sha;
  if (key.size > sizeof block)
    sha256_of(key, block);
  else if (key.size)
    memcpy(block, key.data, key.size);
  for (size_t i = 0; i < sizeof pad; i++) pad[i] = block[i] ^ 0x36;
  sha256_begin(&sha);
  sha256_add(&sha, pad, sizeof pad);
  sha256_add(&sha, data.data, data.size);
  sha256_end(&sha, inner);
  for (size_t i = 0; i < sizeof pad; i++) pad[i] = block[i] ^ 0x5c;
  sha256_begin(&sha);
  sha256_add(&sha, pad, sizeof pad);
  sha256_add(&sha, inner, sizeof inner);
  sha256_end(&sha, hash);
}

void sha256_hex(const uint8_t hash[SHA256_SIZE], char out[SHA256_HEX + 1]) {
  static const char digits[] = "0123456789abcdef";
  for (size_t i = 0; i < SHA256_SIZE; i++) {
    out[2 * i] = digits[hash[i] >> 4];
    out[2 * i + 1] = digits[hash[i] & 15];
  }
  out[SHA256_HEX] = '\0';
}

void sha256_hex_of(pprofc_str data, char out[SHA256_HEX + 1]) {
  uint8_t hash[SHA256_SIZE];
  sha256_of(data, hash);
  sha256_hex(hash, out);
}

void sigv4_set_time(struct sigv4_scope *scope, int64_t seconds) {
  struct tm parts;
  time_t time = (time_t)seconds;
  if (!gmtime_r(&time, &parts) ||
      !strftime(scope->time, sizeof scope->time, "%Y%m%dT%H%M%SZ", &parts))
    scope->time[0] = '\0';
}

static void sigv4_put_names(struct buffer *out, const struct sigv4_request *request) {
  for (size_t i = 0; i < request->header_count; i++) {
    if (i) buffer_add_char(out, ';');
    buffer_add_text(out, request->headers[i].name);
  }
}

static void sigv4_put_canonical(struct buffer *out, const struct sigv4_request *request) {
  buffer_printf(out, "%s\n%s\n%s\n", request->method, request->path, request->query);
  for (size_t i = 0; i < request->header_count; i++)
    buffer_printf(out, "%s:%s\n", request->headers[i].name, request->headers[i].value);
  buffer_add_char(out, '\n');
  sigv4_put_names(out, request);
  buffer_printf(out, "\n%s", request->payload);
}

/* Appends a scope, such as "20130524/us-east-1/s3/aws4_request". */
static void sigv4_put_scope(struct buffer *out, const struct sigv4_scope *scope) {
  buffer_printf(out, "%.8s/%s/%s/aws4_request", scope->time, scope->region, scope->service);
}

static pprofc_str sigv4_bytes(const uint8_t hash[SHA256_SIZE]) {
  return (pprofc_str){(const char *)hash, SHA256_SIZE};
}

/* Derives the signing key for a day, a region and a service. */
static void sigv4_derive(const struct sigv4_scope *scope, struct buffer *scratch,
                         uint8_t key[SHA256_SIZE]) {
  const char *const steps[] = {scope->region, scope->service, "aws4_request"};
  buffer_clear(scratch);
  buffer_printf(scratch, "AWS4%s", scope->secret);
  hmac_sha256(buffer_str(scratch), str_slice(str_of(scope->time), 0, 8), key);
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
    hmac_sha256(sigv4_bytes(key), str_of(steps[i]), key);
}

void sigv4_sign(struct buffer *out, const struct sigv4_scope *scope,
                const struct sigv4_request *request) {
  uint8_t key[SHA256_SIZE], hash[SHA256_SIZE];
  char hex[SHA256_HEX + 1];
  struct buffer text = buffer_make(out->mem, SIZE_MAX / 2);
  sigv4_put_canonical(&text, request);
  sha256_hex_of(buffer_str(&text), hex);
  if (text.failed) out->failed = true;
  buffer_clear(&text);
  buffer_printf(&text, "AWS4-HMAC-SHA256\n%s\n", scope->time);
  sigv4_put_scope(&text, scope);
  buffer_printf(&text, "\n%s", hex);
  pprofc_str kept = buffer_str(&text);
  struct buffer scratch = buffer_make(out->mem, SIZE_MAX / 2);
  sigv4_derive(scope, &scratch, key);
  hmac_sha256(sigv4_bytes(key), kept, hash);
  sha256_hex(hash, hex);
  buffer_printf(out, "AWS4-HMAC-SHA256 Credential=%s/", scope->id);
  sigv4_put_scope(out, scope);
  buffer_add_text(out, ",SignedHeaders=");
  sigv4_put_names(out, request);
  buffer_printf(out, ",Signature=%s", hex);
  if (text.failed || scratch.failed) out->failed = true;
  buffer_free(&scratch);
  buffer_free(&text);
}
