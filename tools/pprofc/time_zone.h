/* The time zone that $TZ names, as pprof understands it. */
#ifndef PPROFC_TIME_ZONE_H
#define PPROFC_TIME_ZONE_H

#include <stdbool.h>

/* What $TZ was. */
struct time_zone {
  char *before; /* a copy, or NULL when nothing was changed */
};

/* While a report is made, $TZ is what pprof would take it for: the file of that name, or UTC when
 * there is none. A rule in the manner of POSIX ("EST5") names no file. False when out of memory. */
bool time_zone_enter(struct time_zone *zone);

/* Programs that are started later see the variable as it was. */
void time_zone_leave(struct time_zone *zone);

#endif
