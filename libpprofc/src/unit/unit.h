/* Converts values between units, and formats values and percentages (docs/spec/pprof.md, 12). */
#ifndef PPROFC_UNIT_UNIT_H
#define PPROFC_UNIT_UNIT_H

#include "core/base.h"

/* A number and its unit. The text of the unit is static or the `to` argument of the conversion. */
struct measure {
  double value;
  pprofc_str unit;
};

/* Converts a value from unit `from` to unit `to`. If `to` is "auto" or "minimum", chooses the
 * largest unit in which the value is at least 1. */
struct measure unit_scale(int64_t value, pprofc_str from, pprofc_str to);
struct measure unit_scale_double(double value, pprofc_str from, pprofc_str to);

/* Formats a value: "1.50kB", "0", "100ms". Returns the text, which is in `out`. Cuts off a unit
 * that does not fit. */
#define UNIT_LABEL_MAX 400
pprofc_str unit_label(int64_t value, pprofc_str from, pprofc_str to, char out[UNIT_LABEL_MAX]);

/* Formats `value` as a percentage of `total`, padded to at least 6 characters ("  100%", " 1.00%").
 * Returns the text, which is in `out`. */
pprofc_str unit_percentage(int64_t value, int64_t total, char out[32]);
/* Works like unit_percentage, but without leading blanks. */
pprofc_str unit_percentage_trimmed(int64_t value, int64_t total, char out[32]);

/* unit_compatible is true if both units are equal or belong to the same family, such as times or
 * bytes. unit_is_time is true for a unit of time. */
bool unit_compatible(pprofc_str from, pprofc_str to);
bool unit_is_time(pprofc_str unit);
/* Returns how many base units (ns, bytes, GCU) a unit has, such as 1024 for kB; 0 for an unknown
 * unit. */
double unit_factor(pprofc_str unit);

/* Formats a duration like Go: "1h1m1s", "2.00162s", "1.5µs". */
pprofc_str unit_go_duration(int64_t nanoseconds, char out[64]);

#endif
