/* Encodes base64 (RFC 4648, with padding). Writes hashes of scripts for a page's
 * Content-Security-Policy. */
#include "core/base64.h"

static const char base64_digits[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* Encodes up to three bytes as four digits. '=' pads a group of one or two bytes. */
static void base64_put_group(struct buffer *out, const uint8_t *in, size_t size) {
  uint8_t bytes[3] = {0};
  memcpy(bytes, in, size);
  uint32_t bits = (uint32_t)bytes[0] << 16 | (uint32_t)bytes[1] << 8 | bytes[2];
  char text[4] = {base64_digits[bits >> 18], base64_digits[bits >> 12 & 63],
                  base64_digits[bits >> 6 & 63], base64_digits[bits & 63]};
  memset(text + 1 + size, '=', 3 - size);
  buffer_add(out, text, 4);
}

void base64_put(struct buffer *out, const uint8_t *data, size_t size) {
  for (size_t i = 0; i < size; i += 3) base64_put_group(out, data + i, size - i < 3 ? size - i : 3);
}

void base64_put_hash(struct buffer *out, const char *sha256) {
  uint8_t hash[32];
  for (size_t i = 0; i < sizeof hash; i++) {
    uint64_t byte = 0;
    str_parse_uint((pprofc_str){sha256 + 2 * i, 2}, 16, &byte);
    hash[i] = (uint8_t)byte;
  }
  buffer_add_text(out, "sha256-");
  base64_put(out, hash, sizeof hash);
}
