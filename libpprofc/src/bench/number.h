/* Parses integers and prints numbers by Go's rules. benchstatc then prints the same bytes as
 * benchstat. */
#ifndef PPROFC_BENCH_NUMBER_H
#define PPROFC_BENCH_NUMBER_H

#include "core/buffer.h"
#include "core/float.h"

/* Parses an integer like Go's strconv.Atoi. */
enum number_result number_parse_int(pprofc_str s, int64_t *out);

/* Appends a value like %v of Go: the shortest digits from which the same double can be read. */
void number_print(struct buffer *out, double value);

/* Appends a value with `digits` decimals. Infinities and NaN are printed as in Go. With `sign`,
 * positive numbers get a plus sign. */
void number_print_fixed(struct buffer *out, double value, int digits, bool sign);

#endif
