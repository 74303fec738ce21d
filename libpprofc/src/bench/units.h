/* Units of measurement: conversion to base units, their class, and scales for printing. */
#ifndef PPROFC_BENCH_UNITS_H
#define PPROFC_BENCH_UNITS_H

#include "core/buffer.h"

/* Appends the tidied form of a unit (ns -> sec, MB -> B in numerators) to out and returns the
 * factor that a value is multiplied by. */
double unit_tidy(pprofc_str unit, struct buffer *out);

/* True for units that count bytes, which scale by powers of 1024. */
bool unit_is_binary(pprofc_str unit);

/* How the values of one row are printed: divided by factor, with `digits` decimals, before prefix.
 */
struct unit_scale {
  int digits;
  double factor;
  const char *prefix; /* UTF-8 */
};

/* The scale at which the smallest non-zero magnitude still shows four significant digits. */
struct unit_scale unit_scale_of(const double *values, size_t count, bool binary);
void unit_print(struct buffer *out, struct unit_scale scale, double value);

/* Which way is worse, for units that are known by themselves or by their form. */
enum unit_direction { UNIT_UNKNOWN = 0, UNIT_LOWER_IS_BETTER = -1, UNIT_HIGHER_IS_BETTER = 1 };
enum unit_direction unit_direction_of(pprofc_str unit);

#endif
