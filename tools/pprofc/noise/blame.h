/* What makes up the change of the total, as numbers: for the text and for JSON. */
#ifndef PPROFC_TOOLS_BLAME_H
#define PPROFC_TOOLS_BLAME_H

#include "noise.h"

struct blame {
  const struct noise_report *report;
  double environment, rest; /* deltas */
  size_t environment_count, rest_count;
  bool has_shares; /* what a line makes of the total change is told */
};

/* common, the rows with a line, the pairs, environment and rest, added one after the other, are the
 * change of the total. */
struct blame blame_of(const struct noise_report *report);

/* Whether a row has a line: it changed. Of a pair that cancels the half that is first in the table
 * has the line of both. */
bool blame_has_line(const struct noise_report *report, const pprofc_verdict_row *row);

/* What the line of a row adds. */
double blame_delta(const struct noise_report *report, const pprofc_verdict_row *row);

/* The share of a line in the total change; NaN when it is not told. */
double blame_share(const struct blame *b, double delta);

/* The sum of the changed functions. */
double blame_explained(const struct noise_report *report);

/* The share of the specific change that the changed functions explain; NaN when it is not told. */
double blame_part(const struct noise_report *report);

/* How much of a change its places hold; NaN without places. */
double blame_coverage(const pprofc_verdict_place *places, size_t count, double delta);

#endif
