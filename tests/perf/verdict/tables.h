/* Prints the tables: the measured figures, the reference, and missed targets. */
#ifndef PERF_VERDICT_TABLES_H
#define PERF_VERDICT_TABLES_H

#include <stdbool.h>
#include <stddef.h>

/* Prints a table in Markdown with `count` comparisons per row, and complaints below it. False if a
 * target was missed. */
bool table_of_alarms(size_t count);
/* Nothing changed, and the base has fewer runs than the head. */
bool table_of_uneven_sides(size_t count);

bool table_of_changes(size_t count);
bool table_of_power(size_t count);

/* Judges only functions in which a doubling would be visible. */
bool table_of_doubling(size_t count);
bool table_of_advice(size_t count);

/* Prints how reliable the rows that were found are. */
void table_of_found_rows(size_t count);

/* Prints how often the interval of the explained part contains the true part, for several ways to
 * compute it. */
void table_of_parts(size_t count);

/* Judges the same comparisons as profiles through the public interface. All numbers must be the
 * same. */
bool table_of_profiles(size_t count);

#endif
