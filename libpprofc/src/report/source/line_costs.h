/* Adds up the costs of source lines in the base and head of a difference. A sample counts once for
 * each function in its stack, at the innermost line. The sum over the lines of a function is
 * therefore the total of the function. */
#ifndef PPROFC_REPORT_SOURCE_LINE_COSTS_H
#define PPROFC_REPORT_SOURCE_LINE_COSTS_H

#include "profile/profile.h"
#include "report/source/hunks.h"

/* A line of a function in a file of the profile. */
struct line_cost {
  pprofc_str name, file;
  int64_t line, start_line;
  int64_t flat[DIFF_SIDES], cum[DIFF_SIDES];
  int64_t inner[DIFF_SIDES]; /* cum without the samples that a line nearer to the leaf owns
                                (line_costs_owns) */
  enum { OWNER_UNKNOWN, OWNER_NOT, OWNER_YES } owner[DIFF_SIDES];
};

struct line_costs {
  const pprofc_allocator *mem;
  struct line_cost *items; /* lines with their costs, sorted by name, file and line */
  size_t count, capacity;
};

/* True if the lines of the function `name` are added up. */
typedef bool (*line_costs_want)(void *context, pprofc_str name);

/* True if a line owns its samples in base or in head (`side`), for example because it changed.
 * The field `inner` of the lines that call it then excludes these samples. */
typedef bool (*line_costs_owns)(void *context, enum diff_side side, const struct line_cost *line);

/* Selects the lines to add up. If `want` is NULL, the lines of all functions are added up. If
 * `owns` is NULL, no line owns samples. */
struct line_costs_choice {
  line_costs_want want;
  line_costs_owns owns;
  void *context;
};

/* Adds up the samples of a difference by source line. In the profile, the values of base samples
 * are negative. Returns false when out of memory. The caller frees the result, even after an
 * error. */
bool line_costs_add_up(struct line_costs *costs, const pprofc_profile *profile, size_t type,
                       const struct line_costs_choice *choice, const pprofc_allocator *mem);
void line_costs_free(struct line_costs *costs);

#endif
