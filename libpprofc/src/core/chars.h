/* Classifies ASCII characters. The locale has no effect. */
#ifndef PPROFC_CORE_CHARS_H
#define PPROFC_CORE_CHARS_H

#include <stdbool.h>

static inline bool char_is_digit(char c) {
  return c >= '0' && c <= '9';
}

static inline bool char_is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* True for letters, digits and '_'. */
static inline bool char_is_word(char c) {
  return char_is_letter(c) || char_is_digit(c) || c == '_';
}

/* Returns a letter of A to Z in lower case, and any other character unchanged. */
static inline char char_lower(char c) {
  return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Returns the value of a hexadecimal digit, or -1 for any other character or code point. */
static inline int char_hex(int c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static inline bool char_is_hex(char c) {
  return char_hex(c) >= 0;
}

/* True for white space in the sense of Go's regular expressions: space, \t, \n, \f, \r. */
static inline bool char_is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r';
}

#endif
