/* Parses old text formats: lines, split as by Go's bufio.Scanner, and short texts within a line. */
#ifndef PPROFC_IMPORT_LEGACY_TEXT_H
#define PPROFC_IMPORT_LEGACY_TEXT_H

#include "core/chars.h"
#include "core/error.h"
#include "core/str.h"

/* Maximum length of a line in bytes, without its line end. A longer line ends the input. */
#define LINE_MAX_BYTES 65535

struct lines {
  pprofc_str data; /* whole input, for the offsets of errors */
  pprofc_str rest;
  pprofc_str line; /* current line; "" before the first line and after the last line */
  bool too_long;
};

struct lines lines_of(pprofc_str data);

/* Reads the next line. Returns false at the end and at a line that is too long. */
bool lines_next(struct lines *lines);

/* Returns PPROFC_E_FORMAT if the input ended at a line that is too long. */
pprofc_status lines_status(const struct lines *lines, pprofc_error *error);

/* Sets the error PPROFC_E_FORMAT: the message, then the start of the current line. */
pprofc_status lines_malformed(const struct lines *lines, const char *what, pprofc_error *error);

/* True for a blank line and for a line that begins with '#'. */
bool text_is_comment(pprofc_str line);

bool text_contains(pprofc_str s, pprofc_str needle);

/* True for characters of addresses in old profiles, which are in lower case. text_is_address also
 * allows lists of addresses with the prefix 0x. */
static inline bool text_is_lower_xdigit(char c) {
  return char_is_digit(c) || (c >= 'a' && c <= 'f');
}
static inline bool text_is_address(char c) {
  return c == ' ' || c == 'x' || text_is_lower_xdigit(c);
}

/* The functions below remove the text that they parse from the front of *s. If the text does not
 * match, they return false and leave *s unchanged. */

bool text_take(pprofc_str *s, pprofc_str literal);

/* Skips spaces, if there are any. */
void text_skip_blanks(pprofc_str *s);

/* Both functions remove characters from the start of *s: text_take_run the longest run for which
 * `is` returns true, text_take_digits the longest run of digits. Both functions return false if
 * this run is empty. `run` must not be `s`. */
bool text_take_run(pprofc_str *s, bool (*is)(char), pprofc_str *run);
bool text_take_digits(pprofc_str *s, pprofc_str *digits);

/* Removes white space, which is required, and the run of characters after it. Stores the run in
 * *run. */
bool text_take_spaced_run(pprofc_str *s, bool (*is)(char), pprofc_str *run);

/* Finds the next "0x..." (lower case) in *rest, and returns its digits without the prefix. */
bool text_next_hex(pprofc_str *rest, pprofc_str *digits);

#endif
