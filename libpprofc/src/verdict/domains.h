/* Sets of rows between which cost may have moved, and their sums. */
#ifndef PPROFC_VERDICT_DOMAINS_H
#define PPROFC_VERDICT_DOMAINS_H

#include "verdict/relations.h"

#define DOMAIN_NO_SUBTREE SIZE_MAX

struct domain_set {
  pprofc_verdict_domain_kind kind;
  pprofc_str name, renamed;
  size_t *sum; /* rows whose flat is added up */
  size_t sum_count;
  size_t subtree;    /* row whose cum is used instead of the sum, or DOMAIN_NO_SUBTREE */
  bool cancels;      /* true for two rows that are only known to cancel each other */
  uint32_t *members; /* candidates that the set explains */
  size_t member_count;
};

/* Sum of a set, judged like a row. */
struct domain_sum {
  struct estimate own;           /* estimate after removing the common factor */
  pprofc_verdict_estimate shown; /* estimate in recorded amounts */
};

/* Judges the sums of some sets as one family; false when out of memory. */
bool domain_sums(struct comparison *c, const struct domain_set *sets, size_t count,
                 struct domain_sum *sums);

/* Names a set by what its members have in common: the smallest place that holds them. */
void domain_set_name(const struct relations *r, struct domain_set *set);

#endif
