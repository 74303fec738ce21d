/* Measurements: unit families, conversion, value labels, percentages (12). */
#ifndef PPROFC_UNIT_UNIT_H
#define PPROFC_UNIT_UNIT_H

#include "core/buffer.h"
#include "core/str.h"

/* A converted number and the text of its unit, a static string or a view of the `to` argument. */
struct measure {
  double value;
  pprofc_str unit;
};

/* Converts value from a unit to another; `to` may be "minimum" or "auto": the largest unit not
 * above the value. */
struct measure unit_scale(int64_t value, pprofc_str from, pprofc_str to);
struct measure unit_scale_double(double value, pprofc_str from, pprofc_str to);

/* The same for many values: value * from / to is what unit_scale gives. False where the unit
 * depends on the value. */
struct unit_factors {
  double from, to;
};
bool unit_factors_of(pprofc_str from, pprofc_str to, struct unit_factors *factors);

/* Text of a value: "1.50kB", "0", "100ms". Written into out, at most UNIT_LABEL_MAX bytes plus the
 * unit when that is unknown and long; returns a view of out. */
#define UNIT_LABEL_MAX 400
pprofc_str unit_label(int64_t value, pprofc_str from, pprofc_str to, char out[UNIT_LABEL_MAX]);

/* Percentage of value in total, always 6 cells or more ("  100%", " 1.00%"); out as above, at least
 * 32 bytes. */
pprofc_str unit_percentage(int64_t value, int64_t total, char out[32]);
/* The same without leading blanks. */
pprofc_str unit_percentage_trimmed(int64_t value, int64_t total, char out[32]);

/* Whether two units are of one known family (or equal), and how many of `to` one `from` is. */
bool unit_compatible(pprofc_str from, pprofc_str to);
bool unit_is_time(pprofc_str unit);
/* Factor of a unit within its family (ns: 1, kB: 1024), or 0 when the unit is unknown. */
double unit_factor(pprofc_str unit);

/* Families in the order of the table, for reports that list units; NULL past the last. */
struct unit_family {
  const char *default_unit;
  size_t count;
  const struct unit_def {
    const char *canonical;
    double factor;
    const char *const *spellings; /* NULL-terminated, lower case */
  } * units;
};
const struct unit_family *unit_family_at(size_t index);

/* Go's text of a duration: "1h1m1s", "2.00162s", "1.5µs". */
pprofc_str unit_go_duration(int64_t nanoseconds, char out[64]);

#endif
