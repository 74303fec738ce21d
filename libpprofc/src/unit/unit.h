/* Formats measurements: knows families of units, converts values, and prints value labels and
 * percentages (docs/spec/pprof.md, 12). */
#ifndef PPROFC_UNIT_UNIT_H
#define PPROFC_UNIT_UNIT_H

#include "core/buffer.h"
#include "core/str.h"

/* A converted number and the text of its unit, a static string or a view of the `to` argument. */
struct measure {
  double value;
  pprofc_str unit;
};

/* Converts a value from unit `from` to unit `to`. `to` may also be "minimum", or "auto" for the
 * largest unit in which the value is at least 1. */
struct measure unit_scale(int64_t value, pprofc_str from, pprofc_str to);
struct measure unit_scale_double(double value, pprofc_str from, pprofc_str to);

/* Formats a value: "1.50kB", "0", "100ms". Writes at most UNIT_LABEL_MAX bytes plus an unknown
 * unit, and returns a view of out. */
#define UNIT_LABEL_MAX 400
pprofc_str unit_label(int64_t value, pprofc_str from, pprofc_str to, char out[UNIT_LABEL_MAX]);

/* Formats `value` as a percentage of `total`, padded to at least 6 characters ("  100%", " 1.00%").
 * Returns a view of `out`. */
pprofc_str unit_percentage(int64_t value, int64_t total, char out[32]);
/* Works like unit_percentage, but without leading blanks. */
pprofc_str unit_percentage_trimmed(int64_t value, int64_t total, char out[32]);

/* The first function is true if both units are equal or belong to one known family, such as times
 * or bytes. The second is true for a unit of time. */
bool unit_compatible(pprofc_str from, pprofc_str to);
bool unit_is_time(pprofc_str unit);
/* Returns the factor of a unit within its family (ns: 1, kB: 1024), or 0 for an unknown unit. */
double unit_factor(pprofc_str unit);

/* Formats a duration as Go does: "1h1m1s", "2.00162s", "1.5µs". */
pprofc_str unit_go_duration(int64_t nanoseconds, char out[64]);

#endif
