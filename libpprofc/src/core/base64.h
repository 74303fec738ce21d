/* Encodes base64 (RFC 4648, with padding). Pages send the hashes of their scripts in base64, in the
 * header Content-Security-Policy. */
#ifndef PPROFC_CORE_BASE64_H
#define PPROFC_CORE_BASE64_H

#include "core/buffer.h"

void base64_put(struct buffer *out, const uint8_t *data, size_t size);

/* Appends "sha256-" and a script's hash in base64. `sha256` is the same hash in hexadecimal, which
 * CMake computed. */
void base64_put_hash(struct buffer *out, const char *sha256);

#endif
