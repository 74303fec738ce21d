/* Measures how often verdicts on functions are wrong, and how many changes they find. Simulates
 * comparisons with five types of noise. Compares the figures with figures of the method's first
 * implementation. The seeds are fixed, so the numbers are the same in each run.
 *
 *   verdict_power          the tables of docs/method/verdicts_figures.md, about three minutes
 *   verdict_power -quick   fewer comparisons; still fails if a target is missed */
#include "tables.h"

#include <stdio.h>
#include <string.h>

/* Number of comparisons for each row of the tables. */
struct edition {
  size_t alarms, changes, power, parts, profiles;
};

static const struct edition full = {2000, 2000, 1000, 200, 20};
static const struct edition quick = {150, 60, 40, 1, 1};

int main(int argc, char **argv) {
  const struct edition *e = argc > 1 && strcmp(argv[1], "-quick") == 0 ? &quick : &full;
  bool good = table_of_profiles(e->profiles);
  good = table_of_alarms(e->alarms) && good;
  good = table_of_uneven_sides(e->changes) && good;
  good = table_of_changes(e->changes) && good;
  good = table_of_power(e->power) && good;
  good = table_of_doubling(e->changes) && good;
  good = table_of_advice(e->power) && good;
  table_of_found_rows(e->parts * 4);
  table_of_parts(e->parts);
  printf("%s\n", good ? "every target is met" : "a target was missed");
  return good ? 0 : 1;
}
