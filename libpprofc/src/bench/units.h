/* Converts units of measurement to base units, finds their properties, and scales values for
 * printing. */
#ifndef PPROFC_BENCH_UNITS_H
#define PPROFC_BENCH_UNITS_H

#include "core/base.h"

/* Appends the base unit for a unit, and returns the factor for its values. In numerators, "ns"
 * becomes "sec" and "MB" becomes "B". */
double unit_tidy(pprofc_str unit, struct buffer *out);

/* True for units of bytes, which scale by powers of 1024. */
bool unit_is_binary(pprofc_str unit);

/* Format for the values of a row: divided by `factor`, with `digits` decimals and the prefix. */
struct unit_scale {
  int digits;
  double factor;
  const char *prefix; /* unit prefix in UTF-8: "µ" */
};

/* unit_scale_of returns the scale in which the value has four significant digits. unit_print
 * appends a value in that scale. */
struct unit_scale unit_scale_of(double value, bool binary);
void unit_print(struct buffer *out, struct unit_scale scale, double value);

/* Returns 1 if higher values of a unit are better, -1 if lower ones are, 0 if unknown. */
int unit_direction_of(pprofc_str unit);

#endif
