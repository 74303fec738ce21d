/* Parses floats in Go's syntax. Prints the shortest decimal that parses to the same float. */
#ifndef PPROFC_CORE_FLOAT_H
#define PPROFC_CORE_FLOAT_H

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

#endif
