/* Reads the parts of a mangled Rust name: numbers, identifiers, lifetimes, back references. */
#include "symbolize/rust_reader.h"

#include "symbolize/rust_punycode.h"

#include <inttypes.h>
#include <stdio.h>

#define MAX_STEPS_AHEAD ((size_t)1 << 18)
#define LARGEST_DECIMAL (INT32_MAX / 10)

int reader_peek(const struct rust_reader *r) {
  return r->at < r->limit ? (unsigned char)r->text[r->at] : -1;
}

bool reader_take(struct rust_reader *r, char c) {
  if (reader_peek(r) != (unsigned char)c) return false;
  r->at++;
  return true;
}

void reader_write(struct rust_reader *r, const char *text, size_t size) {
  if (r->silent) return;
  if (r->out->size + size > r->most) r->failed = true;
  if (!r->failed) buffer_add(r->out, text, size);
}

void reader_print(struct rust_reader *r, const char *text) {
  reader_write(r, text, strlen(text));
}

void reader_next(struct rust_reader *r, struct rust_step step) {
  if (r->steps.size >= MAX_STEPS_AHEAD * sizeof step) r->failed = true;
  if (!r->failed) buffer_add(&r->steps, &step, sizeof step);
}

void reader_next_text(struct rust_reader *r, const char *text) {
  reader_next(r, (struct rust_step){.what = WRITE, .text = text});
}

int reader_digit(int c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'z') return c - 'a' + 10;
  if (c >= 'A' && c <= 'Z') return c - 'A' + 36;
  return -1;
}

uint64_t reader_base_62(struct rust_reader *r) {
  if (reader_take(r, '_')) return 0;
  uint64_t value = 0;
  while (!r->failed) {
    if (reader_take(r, '_')) return value + 1;
    int digit = reader_digit(reader_peek(r));
    r->failed = digit < 0;
    value = value * 62 + (uint64_t)digit;
    r->at++;
  }
  return 0;
}

uint64_t reader_disambiguator(struct rust_reader *r) {
  return reader_take(r, 's') ? reader_base_62(r) + 1 : 0;
}

static size_t reader_decimal(struct rust_reader *r) {
  size_t value = 0;
  if (reader_peek(r) < 0) r->failed = true;
  for (int c; !r->failed && (c = reader_peek(r)) >= '0' && c <= '9'; r->at++) {
    size_t digit = (size_t)(c - '0');
    if (value >= LARGEST_DECIMAL - digit) r->failed = true;
    value = value * 10 + digit;
  }
  return value;
}

pprofc_str reader_identifier(struct rust_reader *r, bool *punycode) {
  *punycode = reader_take(r, 'u');
  size_t size = reader_decimal(r);
  reader_take(r, '_');
  if (r->at > r->limit || size > r->limit - r->at) r->failed = true;
  if (r->failed) return (pprofc_str){NULL, 0};
  pprofc_str bytes = {r->text + r->at, size};
  for (size_t i = 0; i < size; i++)
    if (reader_digit(bytes.data[i]) < 0 && bytes.data[i] != '_') r->failed = true;
  r->at += size;
  return bytes;
}

void reader_print_identifier(struct rust_reader *r, pprofc_str bytes, bool punycode) {
  if (r->failed) return;
  if (!punycode) {
    reader_write(r, bytes.data, bytes.size);
    return;
  }
  struct buffer wide;
  buffer_init(&wide, r->out->mem, r->most);
  if (!rust_punycode(bytes, &wide)) r->failed = true;
  if (!r->failed) reader_write(r, wide.data, wide.size);
  buffer_free(&wide);
}

void reader_lifetime(struct rust_reader *r, uint64_t lifetime) {
  if (lifetime > r->lifetimes) {
    r->failed = true;
    return;
  }
  reader_print(r, "'");
  uint64_t depth = r->lifetimes - lifetime;
  char letter = (char)('a' + (depth < 26 ? depth : 25));
  if (lifetime == 0) letter = '_';
  reader_write(r, &letter, 1);
  char digits[24];
  if (lifetime && depth >= 26)
    reader_write(r, digits, (size_t)snprintf(digits, sizeof digits, "%" PRIu64, depth - 25));
}

/* Each lifetime takes at least a byte of the name, so their number is bounded. */
void reader_binder(struct rust_reader *r) {
  if (!reader_take(r, 'G')) return;
  uint64_t count = reader_base_62(r) + 1, left = r->limit - r->at;
  if (r->failed || !count || left < r->lifetimes || count >= left - r->lifetimes) {
    r->failed = true;
    return;
  }
  reader_print(r, "for<");
  for (uint64_t i = 0; i < count && !r->failed; i++) {
    if (i) reader_print(r, ", ");
    r->lifetimes++;
    reader_lifetime(r, 1);
  }
  reader_print(r, "> ");
}

void reader_go_back(struct rust_reader *r, struct rust_step step) {
  size_t here = r->at - 1; /* offset of the 'B' */
  uint64_t to = reader_base_62(r);
  if (r->silent || r->failed) return;
  if (to >= here) {
    r->failed = true;
    return;
  }
  reader_next(r, (struct rust_step){.what = COME_BACK, .number = r->at, .limit = r->limit});
  reader_next(r, step);
  r->at = (size_t)to;
  r->limit = here;
}
