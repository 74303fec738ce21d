/* Prints the tables with measured figures and reference figures, and the missed targets. */
#ifndef PERF_VERDICT_TABLES_H
#define PERF_VERDICT_TABLES_H

#include <stdbool.h>
#include <stddef.h>

/* Prints a Markdown table of false alarms with `count` comparisons per row, and missed targets
 * below it. Returns false if a target was missed. */
bool table_of_alarms(size_t count);
/* Simulates comparisons without a change, in which the base has fewer runs than the head. */
bool table_of_uneven_sides(size_t count);

bool table_of_changes(size_t count);
bool table_of_power(size_t count);

/* Judges only functions in which the test could see a doubling. */
bool table_of_doubling(size_t count);
bool table_of_advice(size_t count);

/* Prints how reliable the rows are in which a change was found. */
void table_of_found_rows(size_t count);

/* Prints how often the interval of the explained share contains the true share, for several
 * methods. */
void table_of_parts(size_t count);

/* Judges the same comparisons as profiles, through the public interface. All numbers must be the
 * same. */
bool table_of_profiles(size_t count);

#endif
