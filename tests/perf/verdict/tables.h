/* The tables: what was measured, the reference, and whether a target was missed. */
#ifndef PERF_VERDICT_TABLES_H
#define PERF_VERDICT_TABLES_H

#include <stdbool.h>
#include <stddef.h>

/* Each prints a table in Markdown from `count` comparisons a row, and complaints below it. False: a
 * target was missed. */
bool table_of_alarms(size_t count);
/* Nothing changed, and the base has fewer runs than the head. */
bool table_of_uneven_sides(size_t count);

bool table_of_changes(size_t count);
bool table_of_power(size_t count);

/* Functions in which a doubling would show, in place of all. */
bool table_of_doubling(size_t count);
bool table_of_advice(size_t count);

/* What rows that were found are worth. */
void table_of_found_rows(size_t count);

/* How often the interval of the part explained holds the true part, by several ways to make it. */
void table_of_parts(size_t count);

/* The same comparisons as profiles through the public interface: every number must be the same. */
bool table_of_profiles(size_t count);

#endif
