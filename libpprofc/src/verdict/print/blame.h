/* Splits the change of the total into contributions, for the reports of -blame in text and JSON. */
#ifndef PPROFC_VERDICT_PRINT_BLAME_H
#define PPROFC_VERDICT_PRINT_BLAME_H

#include "verdict/print/print.h"

struct blame {
  const struct noise_report *report;
  double environment, rest; /* change of the time of the environment (verdict/rules.h), and change
                               that nothing explains */
  size_t environment_count, rest_count;
  bool has_shares; /* true if the total change is significant; lines then show their share of it */
};

/* Computes the contributions, which add up exactly to the change of the total. Their order is: rows
 * with a line, pairs of rows that cancel, the environment, the rest. */
struct blame blame_of(const struct noise_report *report);

/* Returns the group of related functions of a row, if cost only moved between these functions and
 * the report shows them as one line. Returns NULL for other rows. Two functions whose changes
 * cancel have their own line. */
const pprofc_verdict_domain *blame_domain(const struct noise_report *report,
                                          const pprofc_verdict_row *row);

/* True if a row has its own line because it changed. Two rows that cancel share a line at the
 * position of the first. */
bool blame_has_line(const struct noise_report *report, const pprofc_verdict_row *row);

/* Returns the contribution of a row's line. */
double blame_delta(const struct noise_report *report, const pprofc_verdict_row *row);

/* Returns the share of a line with the change `delta` in the total change. Returns NaN if the lines
 * have no shares. */
double blame_share(const struct blame *b, double delta);

/* Returns the share of the changed functions in the total change. Returns NaN if the lines have no
 * shares. */
double blame_part(const struct noise_report *report);

/* Begins the JSON member "total": base, head, the change and its interval. The caller ends the
 * member. */
void blame_json_begin_total(struct json_writer *json, const pprofc_verdict_summary *s);

#endif
