/* Encodes base64 (RFC 4648, with padding). Writes hashes of scripts for a page's
 * Content-Security-Policy. */
#ifndef PPROFC_CORE_BASE64_H
#define PPROFC_CORE_BASE64_H

#include "core/buffer.h"

/* Appends the data in base64. */
void base64_put(struct buffer *out, const uint8_t *data, size_t size);

/* Appends "sha256-" and the hash of a script in base64. `sha256` is the hash in hexadecimal; CMake
 * computes it. */
void base64_put_hash(struct buffer *out, const char *sha256);

#endif
