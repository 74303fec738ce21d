/* The texts of callgrind's format. */
#include "report/graphs/callgrind_text.h"

#include "report/report.h"

/* ---- names ------------------------------------------- */

bool callgrind_texts_init(struct callgrind_texts *names, size_t texts, struct arena *arena) {
  *names = (struct callgrind_texts){.arena = arena};
  interner_init(&names->printed, arena->mem);
  names->number = arena_zero_array(arena, texts, sizeof *names->number);
  return names->number != NULL;
}

void callgrind_texts_free(struct callgrind_texts *names) {
  if (names->arena) interner_free(&names->printed);
}

uint32_t callgrind_put_name(struct callgrind_texts *names, struct output *out, const char *tag,
                            pprofc_str name) {
  if (!name.size) {
    callgrind_put_number(out, tag, 0);
    return 0;
  }
  size_t before = names->printed.count;
  uint32_t id = interner_copy(&names->printed, names->arena, name);
  if (id == MAP_NONE) {
    names->failed = true;
    return 0;
  }
  if (names->printed.count == before) {
    callgrind_put_number(out, tag, id + 1);
    return id + 1;
  }
  output_printf(out, "%s(%u) ", tag, id + 1);
  report_text(out, names->arena->mem, name);
  output_add_char(out, '\n');
  return id + 1;
}

uint32_t callgrind_put_text(struct callgrind_texts *names, struct output *out, const char *tag,
                            uint32_t text, pprofc_str name) {
  if (names->number[text])
    callgrind_put_number(out, tag, names->number[text]);
  else
    names->number[text] = callgrind_put_name(names, out, tag, name);
  return names->number[text];
}

/* ---- numbers ----------------------------------------- */

/* Functions that write at `to` and return the end of the written text. */

static inline char *callgrind_text(char *to, const char *text) {
  size_t size = strlen(text);
  memcpy(to, text, size);
  return to + size;
}

static unsigned callgrind_digits(uint64_t value) {
  unsigned digits = 1;
  for (; value >= 10000; value /= 10000) digits += 4;
  return digits + (value >= 10) + (value >= 100) + (value >= 1000);
}

static const char digit_pairs[] = "00010203040506070809101112131415161718192021222324"
                                  "25262728293031323334353637383940414243444546474849"
                                  "50515253545556575859606162636465666768697071727374"
                                  "75767778798081828384858687888990919293949596979899";

static char *callgrind_decimal(char *to, uint64_t value) {
  char *end = to + callgrind_digits(value), *at = end;
  for (; value >= 100; value /= 100) memcpy(at -= 2, &digit_pairs[value % 100 * 2], 2);
  if (value >= 10)
    memcpy(at - 2, &digit_pairs[value * 2], 2);
  else
    at[-1] = (char)('0' + value);
  return end;
}

static char *callgrind_signed(char *to, int64_t value) {
  if (value < 0) *to++ = '-';
  return callgrind_decimal(to, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

static unsigned callgrind_hex_digits(uint64_t value) {
  return value ? 16 - (unsigned)__builtin_clzll(value) / 4 : 1;
}

static char *callgrind_hex(char *to, uint64_t value) {
  to = callgrind_text(to, "0x");
  for (unsigned left = callgrind_hex_digits(value); left--;)
    *to++ = "0123456789abcdef"[value >> 4 * left & 15];
  return to;
}

static inline char *callgrind_number(char *to, const char *tag, uint32_t number) {
  to = callgrind_text(to, tag);
  if (number) {
    *to++ = '(';
    to = callgrind_decimal(to, number);
    *to++ = ')';
  }
  *to++ = '\n';
  return to;
}

static char *callgrind_address(char *to, const struct callgrind_spot *at) {
  if (!at->has_before) return callgrind_hex(to, at->address);
  if (at->before == at->address) {
    *to++ = '*';
    return to;
  }
  int64_t distance = (int64_t)(at->address - at->before);
  uint64_t size = distance < 0 ? 0 - (uint64_t)distance : (uint64_t)distance;
  bool shorter = 1 + callgrind_digits(size) < 2 + callgrind_hex_digits(at->address);
  if (!shorter) return callgrind_hex(to, at->address);
  *to++ = distance < 0 ? '-' : '+';
  return callgrind_decimal(to, size);
}

/* ---- lines ------------------------------------------- */

#define LINE_MAX 256 /* maximum bytes of a line without a name */

void callgrind_put_number(struct output *out, const char *tag, uint32_t number) {
  char line[LINE_MAX];
  output_add(out, line, (size_t)(callgrind_number(line, tag, number) - line));
}

void callgrind_put_cost(struct output *out, const struct callgrind_spot *at, int64_t line,
                        int64_t value) {
  char text[LINE_MAX], *end = callgrind_address(text, at);
  *end++ = ' ';
  end = callgrind_signed(end, line);
  *end++ = ' ';
  end = callgrind_signed(end, value);
  *end++ = '\n';
  output_add(out, text, (size_t)(end - text));
}

static char *callgrind_line(char *to, int64_t line) {
  *to++ = ' ';
  return callgrind_text(callgrind_signed(to, line), "\n* * ");
}

void callgrind_put_call_cost(struct output *out, const struct callgrind_spot *at, int64_t line,
                             int64_t value) {
  char text[LINE_MAX], *end = callgrind_text(text, "calls=0 ");
  end = callgrind_signed(callgrind_line(callgrind_address(end, at), line), value);
  *end++ = '\n';
  output_add(out, text, (size_t)(end - text));
}

void callgrind_put_call(struct output *out, const struct callgrind_callee *callee,
                        const struct callgrind_spot *at, int64_t value) {
  char text[LINE_MAX], *end = callgrind_number(text, "cfl=", callee->file);
  end = callgrind_text(callgrind_number(end, "cfn=", callee->name), "calls=0 ");
  end = callgrind_signed(callgrind_line(callgrind_address(end, at), callee->line), value);
  *end++ = '\n';
  output_add(out, text, (size_t)(end - text));
}
