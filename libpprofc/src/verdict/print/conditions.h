/* Checks conditions of the user: limits for the growth of functions and of the total. */
#ifndef PPROFC_VERDICT_PRINT_CONDITIONS_H
#define PPROFC_VERDICT_PRINT_CONDITIONS_H

#include "verdict/print/print.h"

/* Checks that the text is a condition, such as "total>5%" or "cum>10ms,name=RE". An error message
 * names `flag`, the name of the flag. */
pprofc_status noise_condition_check(const char *flag, const char *text, pprofc_error *error);

/* Growth that violates a condition. */
struct noise_finding {
  const pprofc_verdict_row
      *row; /* row of the function that grew; NULL for the total or all functions */
  /* group of related functions whose sum is the estimate, or NULL */
  const pprofc_verdict_domain *domain;
  pprofc_str name; /* name of the function, or "the total", "all functions" */
  pprofc_verdict_estimate
      estimate; /* estimate of the value in the condition: flat, cum or the total */
  double
      change; /* for a condition on all functions: the relative change that they share; else NaN */
  bool accepted; /* true if a rule with a reason and an end date accepts the growth */
  pprofc_str reason, until;
};
typedef void (*noise_found_fn)(void *context, const struct noise_finding *found);

/* Returns the verb for a verdict, such as "grew". Sets *rest to the text that follows the amount,
 * such as ", as everything did". */
const char *noise_verb(pprofc_verdict verdict, const char **rest);

/* Writes the current day in UTC, such as "2026-11-24". */
void noise_gate_today(char out[16]);

enum noise_use {
  NOISE_USED,
  NOISE_OTHER_UNIT, /* the values and the threshold have different units */
  NOISE_UNJUDGED, /* there is no verdict on the total, or on the change that all functions share */
  NOISE_FAILED    /* the regular expression exceeded its limit of time or memory */
};

/* Calls `found` for each finding whose adjusted p-value (q) is below `alpha`. The condition must be
 * valid. */
enum noise_use noise_condition_find(const struct noise_report *report, const char *text,
                                    double alpha, noise_found_fn found, void *context);

#endif
