/* Sets the time zone as pprof interprets $TZ. */
#ifndef PPROFC_TIME_ZONE_H
#define PPROFC_TIME_ZONE_H

#include <stdbool.h>

/* Previous value of $TZ. */
struct time_zone {
  char *before; /* copy of the previous value, or NULL if $TZ was not changed */
};

/* Sets $TZ for a report to the zone that pprof would use: the file of that name, or UTC if it
 * is missing. A POSIX rule such as "EST5" is not a file name. False when out of memory. */
bool time_zone_enter(struct time_zone *zone);

/* Restores $TZ, for programs that are started later. */
void time_zone_leave(struct time_zone *zone);

#endif
