/* Adds up the costs of source lines in the base and head of a difference. A sample counts once for
 * each function in its stack, at the innermost line. The sum over the lines of a function is
 * therefore the total of the function. */
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

/* True for functions whose lines are added up. */
typedef bool (*line_costs_want)(void *context, pprofc_str name);

/* Adds up the samples of a difference. Samples of the base are negative. `want` may be NULL, which
 * means all functions. Returns false when out of memory. The caller frees the result, even after an
 * error. */
bool line_costs_add_up(struct line_costs *costs, const pprofc_profile *profile, size_t type,
                       line_costs_want want, void *context, const pprofc_allocator *mem);
void line_costs_free(struct line_costs *costs);

#endif
