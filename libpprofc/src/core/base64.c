/* Base64 (RFC 4648, with padding), and the hashes that a page's security policy names. */
#include "core/base64.h"

static const char base64_digits[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* Three bytes become four digits; a short rest is padded. */
static void base64_put_group(struct output *out, const uint8_t *in, size_t size) {
  uint32_t bits =
      (uint32_t)in[0] << 16 | (size > 1 ? (uint32_t)in[1] << 8 : 0) | (size > 2 ? in[2] : 0);
  char text[4] = {base64_digits[bits >> 18], base64_digits[bits >> 12 & 63],
                  size > 1 ? base64_digits[bits >> 6 & 63] : '=',
                  size > 2 ? base64_digits[bits & 63] : '='};
  output_add(out, text, 4);
}

void base64_put(struct output *out, const uint8_t *data, size_t size) {
  for (size_t i = 0; i < size; i += 3) base64_put_group(out, data + i, size - i < 3 ? size - i : 3);
}

void base64_put_script_hash(struct output *out, const char *sha256) {
  uint8_t hash[32];
  for (size_t i = 0; i < sizeof hash; i++) {
    uint64_t byte = 0;
    str_parse_uint((pprofc_str){sha256 + 2 * i, 2}, 16, &byte);
    hash[i] = (uint8_t)byte;
  }
  output_add_text(out, "sha256-");
  base64_put(out, hash, sizeof hash);
}
