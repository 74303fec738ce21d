/* Parses floats in Go's syntax. Prints the shortest decimal that gives back the same float. */
#ifndef PPROFC_CORE_FLOAT_H
#define PPROFC_CORE_FLOAT_H

#include "core/str.h"

enum number_result { NUMBER_OK, NUMBER_SYNTAX, NUMBER_RANGE };

/* Parses like Go's strconv.ParseFloat(s, 64): decimal or hexadecimal, underscores between digits,
 * inf, nan. The result is correctly rounded. *out changes only if the result is NUMBER_OK. */
enum number_result float_read(pprofc_str s, double *out);

/* Writes the shortest decimal number, with at least 15 digits, that gives back the same value.
 * `value` must be finite. */
#define FLOAT_SHORTEST 32
void float_shortest(char out[FLOAT_SHORTEST], double value);

#endif
