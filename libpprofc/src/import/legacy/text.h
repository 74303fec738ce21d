/* Splits old text formats into lines, as Go's bufio.Scanner does, and parses short texts within a
 * line. */
#ifndef PPROFC_IMPORT_LEGACY_TEXT_H
#define PPROFC_IMPORT_LEGACY_TEXT_H

#include "core/chars.h"
#include "core/error.h"
#include "core/str.h"

/* Maximum length of a line in bytes, without its line end. Reading ends at a longer line. */
#define LINE_MAX_BYTES 65535

struct lines {
  pprofc_str data; /* whole input, from which error messages compute offsets */
  pprofc_str rest;
  pprofc_str line; /* current line; "" before the first line and after the last line */
  bool too_long;
};

struct lines lines_of(pprofc_str data);

/* Reads the next line. Returns false at the end and at a line that is too long. */
bool lines_next(struct lines *lines);

/* Returns PPROFC_E_FORMAT if the input ended at a line that is too long. */
pprofc_status lines_status(const struct lines *lines, pprofc_error *error);

/* Sets an error of type PPROFC_E_FORMAT, with the message `what` and the start of the current
 * line. */
pprofc_status lines_malformed(const struct lines *lines, const char *what, pprofc_error *error);

/* True for a blank line and for a line that begins with '#'. */
bool text_is_comment(pprofc_str line);

bool text_contains(pprofc_str s, pprofc_str needle);

/* True for lower-case hexadecimal digits, which make up addresses in old profiles. text_is_address
 * is also true for the other characters in a list of such addresses with the prefix 0x. */
static inline bool text_is_lower_xdigit(char c) {
  return char_is_digit(c) || (c >= 'a' && c <= 'f');
}
static inline bool text_is_address(char c) {
  return c == ' ' || c == 'x' || text_is_lower_xdigit(c);
}

/* The functions below remove the text that they parse from the start of *s. If the text does not
 * match, they return false and leave *s unchanged. */

bool text_take(pprofc_str *s, pprofc_str literal);

/* Removes the spaces at the start of *s, if there are any. */
void text_skip_blanks(pprofc_str *s);

/* These functions set *run to the longest run of characters at the start of *s, and remove it.
 * text_take_run takes characters for which `is` returns true, text_take_digits takes digits. Both
 * return false if the run is empty. `run` must not be `s`. */
bool text_take_run(pprofc_str *s, bool (*is)(char), pprofc_str *run);
bool text_take_digits(pprofc_str *s, pprofc_str *digits);

/* Removes white space and the run of characters after it, and sets *run to the run. Returns false
 * if one of them is missing. */
bool text_take_spaced_run(pprofc_str *s, bool (*is)(char), pprofc_str *run);

/* Finds the next "0x..." in lower case in *rest, and sets *digits to its digits without "0x".
 * Leaves *rest after the digits. */
bool text_next_hex(pprofc_str *rest, pprofc_str *digits);

#endif
