/* Adds up the costs of source lines of a difference, for base and head. A sample counts once for a
 * function, at its innermost line. So the lines of a function add up to the function. */
#ifndef PPROFC_REPORT_SOURCE_LINE_COSTS_H
#define PPROFC_REPORT_SOURCE_LINE_COSTS_H

#include "core/map.h"
#include "profile/profile.h"
#include "report/source/hunks.h"

/* A line of a function in a file of the profile. */
struct line_cost {
  pprofc_str name, file;
  int64_t line, start_line;
  int64_t flat[DIFF_SIDES], cum[DIFF_SIDES];
};

struct line_costs {
  const pprofc_allocator *mem;
  struct line_cost *items; /* lines with their costs, sorted by name, file and line */
  size_t count, capacity;
};

/* Returns true for the names of functions to add up. */
typedef bool (*line_costs_want)(void *context, pprofc_str name);

/* Adds up the samples of a difference, whose base samples are negative. `want` may be NULL. The
 * caller frees the result, also after a failure. False when out of memory. */
bool line_costs_add_up(struct line_costs *costs, const pprofc_profile *profile, size_t type,
                       line_costs_want want, void *context, const pprofc_allocator *mem);
void line_costs_free(struct line_costs *costs);

#endif
