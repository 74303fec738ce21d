/* Formats recorded values in one unit that suits all numbers of a table. */
#ifndef PPROFC_VERDICT_AMOUNT_H
#define PPROFC_VERDICT_AMOUNT_H

#include "core/str.h"

struct amount_unit {
  pprofc_str from, to;
  double ratio; /* factor from a recorded value to a shown value, before the unit */
};

/* Returns a unit in which the largest number of a table is at least 1. `wanted` is the unit
 * that the user chose, or empty. */
struct amount_unit amount_unit_for(pprofc_str unit, pprofc_str wanted, double ratio,
                                   double largest);

/* True if amounts are counts without a divisor. The unit of such a count may be written as "". */
bool amount_is_count(const struct amount_unit *unit);

#define AMOUNT_TEXT 64
/* Formats a value; `plus` adds a plus sign to positive values. Control bytes of the unit appear as
 * \xNN, and a long unit is cut. */
pprofc_str amount_text(const struct amount_unit *unit, double value, bool plus,
                       char out[AMOUNT_TEXT]);

/* Format of the numbers of a table. All have one unit and the same decimals, so that the
 * printed numbers add up. */
struct amount_grid {
  struct amount_unit unit;
  int decimals;
  double ticks; /* number of units of the last digit in 1 of the shown unit */
};

/* Returns a grid with four digits for the largest number, or up to eight if the smallest would
 * otherwise be 0. `whole` numbers have no decimals. */
struct amount_grid amount_grid_for(const struct amount_unit *unit, double largest, double smallest,
                                   bool whole);
/* Converts a value to ticks (units of the last digit of the grid), and formats a number of
 * ticks. */
double amount_ticks(const struct amount_grid *grid, double value);
pprofc_str amount_of_ticks(const struct amount_grid *grid, double ticks, bool plus,
                           char out[AMOUNT_TEXT]);

/* Formats the change `delta` as a percentage of `base`: "-93%" or "+0.4%"; "" if `base` is 0. */
pprofc_str amount_percent(double base, double delta, char out[AMOUNT_TEXT]);

#endif
