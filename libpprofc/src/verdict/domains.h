/* Sets of rows between which cost may have moved, and their sums. */
#ifndef PPROFC_VERDICT_DOMAINS_H
#define PPROFC_VERDICT_DOMAINS_H

#include "verdict/relations.h"

#define DOMAIN_NO_SUBTREE SIZE_MAX

struct domain_set {
  pprofc_verdict_domain_kind kind;
  pprofc_str name, renamed;
  size_t *sum; /* [sum_count] rows whose flat is added */
  size_t sum_count;
  size_t subtree;    /* row whose cum is used instead of the sum, or DOMAIN_NO_SUBTREE */
  bool cancels;      /* a pair that is only known to cancel */
  uint32_t *members; /* [member_count] candidates that the set explains */
  size_t member_count;
};

/* The sum of a set. */
struct domain_sum {
  struct estimate own;           /* after removing the common factor */
  pprofc_verdict_estimate shown; /* recorded */
};

/* Judges the sums of some sets as one family; false when out of memory. */
bool domain_sums(struct comparison *c, const struct domain_set *sets, size_t count,
                 struct domain_sum *sums);

/* Names a set by what its members have in common: the smallest place that holds them. */
void domain_set_name(const struct relations *r, struct domain_set *set);

#endif
