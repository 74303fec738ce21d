/* Numbers of benchmark text: Go's rules for reading and printing them, fast where that is exact. */
#ifndef PPROFC_BENCH_NUMBER_H
#define PPROFC_BENCH_NUMBER_H

#include "core/buffer.h"

enum number_result { NUMBER_OK, NUMBER_SYNTAX, NUMBER_RANGE };

/* Go's strconv.ParseFloat(s, 64): decimal or hex, underscores between digits, inf, nan.
 * Always correctly rounded. *out is untouched unless the result is NUMBER_OK. */
enum number_result number_parse(pprofc_str s, double *out);

/* Go's strconv.Atoi. */
enum number_result number_parse_int(pprofc_str s, int64_t *out);

/* Appends value as Go's %v: the shortest digits that read back as the same double. */
void number_print(struct buffer *out, double value);

/* Appends value with `digits` decimals; infinities and NaN as Go writes them. `sign` asks for a
 * plus. */
void number_print_fixed(struct buffer *out, double value, int digits, bool sign);

/* Enough for any double with any number of decimals below 20. */
#define NUMBER_TEXT 400

#endif
