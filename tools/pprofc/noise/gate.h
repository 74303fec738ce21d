/* Conditions of -fail_on: which functions must not grow, and by how much. */
#ifndef PPROFC_TOOLS_NOISE_GATE_H
#define PPROFC_TOOLS_NOISE_GATE_H

#include "noise.h"

/* Whether the text is a condition: "flat>5%", "cum>10ms,name=RE". */
pprofc_status noise_condition_check(const char *text, pprofc_error *error);

/* A function that a condition forbids to grow as it did. */
struct noise_finding {
  const pprofc_verdict_row *row;
  const pprofc_verdict_estimate *estimate; /* flat or cum, as the condition says */
  bool accepted;                           /* by a rule, for a reason and until a day */
  pprofc_str reason, until;
};
typedef void (*noise_found_fn)(void *context, const struct noise_finding *found);

enum noise_use {
  NOISE_USED,
  NOISE_OTHER_UNIT, /* the threshold is in a unit that the values do not have */
  NOISE_FAILED      /* the expression needs too much time or memory */
};

/* Calls `found` for each function. `alpha`: q has to be below it, too. The condition was checked.
 */
enum noise_use noise_condition_find(const struct noise_report *report, const char *text,
                                    double alpha, noise_found_fn found, void *context);

#endif
