/* Implements Go's rules for text: Unicode character classes, quoted strings and numbers. */
#ifndef PPROFC_CORE_GO_TEXT_H
#define PPROFC_CORE_GO_TEXT_H

#include "core/buffer.h"
#include "core/str.h"

#include <stddef.h>

enum number_result { NUMBER_OK, NUMBER_SYNTAX, NUMBER_RANGE };

/* Parses like Go's strconv.ParseFloat(s, 64): decimal or hexadecimal, underscores between digits,
 * inf, nan. Rounds correctly. *out changes only if the function returns NUMBER_OK. */
enum number_result float_read(pprofc_str s, double *out);

/* Writes the value with 15, 16 or 17 digits, the fewest that parse to the same value. `value` must
 * be finite. */
#define FLOAT_SHORTEST 32
void float_shortest(char out[FLOAT_SHORTEST], double value);

/* ---- fixed decimals --------------------------------- */

#define FIXED_MAX 32 /* size of the output buffer in bytes, including the NUL */

/* Writes the number and a NUL. Returns the length without the NUL. Returns 0 if the caller must use
 * printf: the number is not finite, is too large, or needs more than nine decimals. */
size_t fixed_print(char out[FIXED_MAX], double value, int decimals);

/* These functions return the same values as Go's unicode.IsSpace, IsLower, IsUpper and
 * IsGraphic. */
bool rune_is_space(int32_t rune);
bool rune_is_lower(int32_t rune);
bool rune_is_upper(int32_t rune);
bool rune_is_graphic(int32_t rune);

/* Returns the size in bytes of the white space character at the start of s. Returns 0 if s does not
 * begin with white space. */
size_t space_at(pprofc_str s);

/* Appends s in the format of Go's %q. */
void go_quote(struct buffer *out, pprofc_str s);

/* Appends the value of a double-quoted Go string. `s` includes the quotes. Returns false if an
 * escape is invalid. */
bool go_unquote(struct buffer *out, pprofc_str s);

/* ---- numbers ---------------------------------------- */

/* Parses an integer like Go's strconv.Atoi. */
enum number_result number_parse_int(pprofc_str s, int64_t *out);

/* Appends a value like Go's %v, with the fewest digits that parse to the same double. */
void number_print(struct buffer *out, double value);

/* Appends a value with `digits` decimals. Infinities and NaN are printed as in Go. If `sign` is
 * true, positive numbers get a plus sign. */
void number_print_fixed(struct buffer *out, double value, int digits, bool sign);

#endif
