/* Parses integers and prints numbers by Go's rules, so that benchstatc prints the same bytes as
 * benchstat. */
#ifndef PPROFC_BENCH_NUMBER_H
#define PPROFC_BENCH_NUMBER_H

#include "core/buffer.h"
#include "core/float.h"

/* Parses an integer like Go's strconv.Atoi. */
enum number_result number_parse_int(pprofc_str s, int64_t *out);

/* Appends value as Go's %v prints it: the shortest digits that read back as the same double. */
void number_print(struct buffer *out, double value);

/* Appends value with `digits` decimals, and infinities and NaN as Go does. If `sign` is true, adds
 * a plus sign to positive numbers. */
void number_print_fixed(struct buffer *out, double value, int digits, bool sign);

#endif
