/* How often verdicts on functions are wrong, and what they find: simulated comparisons under five
 * kinds of noise, beside the figures that the method was published with. The seeds are fixed: the
 * same numbers come out every time.
 *
 *   verdict_power          the tables of docs/VERDICTS.md
 *   verdict_power -quick   fewer comparisons; still fails when a target is missed */
#include "tables.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
  bool quick = argc > 1 && strcmp(argv[1], "-quick") == 0;
  bool good = table_of_alarms(quick ? 40 : 1000);
  good = table_of_changes(quick ? 40 : 1000) && good;
  good = table_of_power(quick ? 20 : 500) && good;
  printf("%s\n", good ? "every target is met" : "a target was missed");
  return good ? 0 : 1;
}
