/* Sets the time zone that pprof would use for $TZ. */
#ifndef PPROFC_TIME_ZONE_H
#define PPROFC_TIME_ZONE_H

#include <stdbool.h>

/* Data for restoring $TZ. */
struct time_zone {
  char *before; /* old value of $TZ; NULL if $TZ did not change */
};

/* Sets $TZ to the time zone that pprof would use for a report: the file of that name, or UTC if the
 * file is missing. A POSIX rule such as "EST5" is not a file name. Returns false when out of
 * memory. */
bool time_zone_enter(struct time_zone *zone);

/* Restores $TZ for programs that start later. */
void time_zone_leave(struct time_zone *zone);

#endif
