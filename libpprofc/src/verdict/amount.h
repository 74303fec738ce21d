/* Formats recorded values in one unit that suits all numbers of a table. */
#ifndef PPROFC_VERDICT_AMOUNT_H
#define PPROFC_VERDICT_AMOUNT_H

#include "core/base.h"

struct amount_unit {
  pprofc_str from, to;
  double ratio; /* factor that converts a recorded value to a shown value */
};

/* Returns the unit `wanted`. If `wanted` is "", "auto" or "minimum", returns the largest unit in
 * which `value` is at least 1. Returns `unit` for a smaller value and for "%". */
struct amount_unit amount_unit_for(pprofc_str unit, pprofc_str wanted, double ratio, double value);

/* True if amounts are counts that are shown without conversion. */
bool amount_is_count(const struct amount_unit *unit);

#define AMOUNT_TEXT 64
/* Formats a value. With `plus`, positive values have a plus sign. Writes control bytes of the unit
 * as \xNN, and truncates a long unit. */
pprofc_str amount_text(const struct amount_unit *unit, double value, bool plus,
                       char out[AMOUNT_TEXT]);

/* Format for all numbers of a table. The numbers have the same unit and number of decimals, so the
 * printed numbers add up. */
struct amount_grid {
  struct amount_unit unit;
  int decimals;
  double ticks; /* number of ticks (steps of the last digit) per shown unit: 10 to the power of
                   `decimals` */
};

/* Returns a grid (a unit and a number of decimals) with four digits for the largest number. If the
 * smallest number would become 0, uses up to eight digits. With `whole`, numbers have no decimals.
 */
struct amount_grid amount_grid_for(const struct amount_unit *unit, double largest, double smallest,
                                   bool whole);
/* amount_ticks converts a value to ticks, and amount_of_ticks formats a number of ticks. A tick is
 * a step of the last digit of the grid. */
double amount_ticks(const struct amount_grid *grid, double value);
pprofc_str amount_of_ticks(const struct amount_grid *grid, double ticks, bool plus,
                           char out[AMOUNT_TEXT]);

/* Formats the change `delta` as a percentage of `base`: "-93%" or "+0.4%"; "" if `base` is 0. */
pprofc_str amount_percent(double base, double delta, char out[AMOUNT_TEXT]);

#endif
