/* Reading old text formats: lines as Go's bufio.Scanner gives them, and small steps over one line.
 */
#ifndef PPROFC_IMPORT_LEGACY_TEXT_H
#define PPROFC_IMPORT_LEGACY_TEXT_H

#include "core/error.h"
#include "core/str.h"

/* A line is at most this long, its line end not counted; a longer one ends the input. */
#define LINE_MAX_BYTES 65535

struct lines {
  pprofc_str data; /* all of the input, for the offsets of errors */
  pprofc_str rest;
  pprofc_str line; /* the current one; "" before the first and after the last */
  bool too_long;
};

struct lines lines_of(pprofc_str data);

/* Goes to the next line; false at the end and at a line that is too long. */
bool lines_next(struct lines *lines);

/* PPROFC_E_FORMAT when the input ended at a line that is too long. */
pprofc_status lines_status(const struct lines *lines, pprofc_error *error);

/* PPROFC_E_FORMAT at the current line: the message, then the start of the line. */
pprofc_status lines_malformed(const struct lines *lines, const char *what, pprofc_error *error);

/* True for a blank line and for one whose first character is '#'. */
bool text_is_comment(pprofc_str line);

bool text_contains(pprofc_str s, pprofc_str needle);

/* White space of Go's regular expressions: blank, \t, \n, \f, \r. */
static inline bool text_is_white(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r';
}
static inline bool text_is_digit(char c) {
  return c >= '0' && c <= '9';
}
static inline bool text_is_xdigit(char c) {
  return text_is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
/* Digits of the addresses of old profiles, and what a list of such addresses is made of. */
static inline bool text_is_lower_xdigit(char c) {
  return text_is_digit(c) || (c >= 'a' && c <= 'f');
}
static inline bool text_is_address(char c) {
  return c == ' ' || c == 'x' || text_is_lower_xdigit(c);
}

/* ---- steps: each takes what it is named for off the front of *s, or leaves *s as it is  */

bool text_take(pprofc_str *s, pprofc_str literal);

/* Blanks only; none is fine. */
void text_skip_blanks(pprofc_str *s);

/* The longest run, at least one character long, of what `is` is true for. `run` is not *s. */
bool text_take_run(pprofc_str *s, bool (*is)(char), pprofc_str *run);
bool text_take_digits(pprofc_str *s, pprofc_str *digits);

/* The same with white space in front, at least one. */
bool text_take_spaced_run(pprofc_str *s, bool (*is)(char), pprofc_str *run);

/* The next "0x..." (lower case) anywhere in *rest; its digits come without the prefix. */
bool text_next_hex(pprofc_str *rest, pprofc_str *digits);

#endif
