/* Computes the canonical request, the derived key of a day, and the signature. */
#include "common/sigv4.h"

#include "common/sha256.h"

#include <time.h>

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
  struct buffer text;
  uint8_t key[SHA256_SIZE], hash[SHA256_SIZE];
  char hex[SHA256_HEX + 1];
  buffer_init(&text, out->mem, SIZE_MAX / 2);
  sigv4_put_canonical(&text, request);
  sha256_hex_of(buffer_str(&text), hex);
  if (text.failed) out->failed = true;
  buffer_clear(&text);
  buffer_printf(&text, "AWS4-HMAC-SHA256\n%s\n", scope->time);
  sigv4_put_scope(&text, scope);
  buffer_printf(&text, "\n%s", hex);
  pprofc_str kept = buffer_str(&text);
  struct buffer scratch;
  buffer_init(&scratch, out->mem, SIZE_MAX / 2);
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
