/* Base64 (RFC 4648, with padding), and the hashes that a page's security policy names. */
#ifndef PPROFC_CORE_BASE64_H
#define PPROFC_CORE_BASE64_H

#include "core/output.h"

void base64_put(struct output *out, const uint8_t *data, size_t size);

/* Writes "sha256-..." for a script whose SHA-256 is given in hex, as CMake makes it. */
void base64_put_script_hash(struct output *out, const char *sha256);

#endif
