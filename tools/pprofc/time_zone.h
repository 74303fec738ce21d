/* Sets $TZ to the time zone that pprof would use. */
#ifndef PPROFC_TIME_ZONE_H
#define PPROFC_TIME_ZONE_H

#include <stdbool.h>

struct time_zone {
  char *before; /* old value of $TZ; NULL: $TZ did not change */
};

/* Sets $TZ to the time zone that pprof would use for a report. This is the file named by $TZ, or
 * UTC if there is no such file. A POSIX rule such as "EST5" names no file. Returns false when out
 * of memory. */
bool time_zone_enter(struct time_zone *zone);

/* Restores the old $TZ, for programs that start later. */
void time_zone_leave(struct time_zone *zone);

#endif
