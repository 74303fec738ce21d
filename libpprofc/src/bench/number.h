/* Parses and prints numbers by Go's rules, with fast paths where they are exact. */
#ifndef PPROFC_BENCH_NUMBER_H
#define PPROFC_BENCH_NUMBER_H

#include "core/buffer.h"

enum number_result { NUMBER_OK, NUMBER_SYNTAX, NUMBER_RANGE };

/* Parses like Go's strconv.ParseFloat(s, 64): decimal or hex, underscores between digits, inf,
 * nan. Always correctly rounded. *out is unchanged unless the result is NUMBER_OK. */
enum number_result number_parse(pprofc_str s, double *out);

/* Parses like Go's strconv.Atoi. */
enum number_result number_parse_int(pprofc_str s, int64_t *out);

/* Appends value formatted as Go's %v: the shortest digits that read back as the same double. */
void number_print(struct buffer *out, double value);

/* Appends value with `digits` decimals, and infinities and NaN as Go does. `sign` adds a plus
 * sign. */
void number_print_fixed(struct buffer *out, double value, int digits, bool sign);

#endif
