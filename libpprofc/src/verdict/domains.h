/* Declares sets of rows between which cost may have moved, and the sums of these sets. */
#ifndef PPROFC_VERDICT_DOMAINS_H
#define PPROFC_VERDICT_DOMAINS_H

#include "verdict/relations.h"

#define DOMAIN_NO_SUBTREE SIZE_MAX

struct domain_set {
  pprofc_verdict_domain_kind kind;
  pprofc_str name, renamed;
  size_t *sum; /* indices of the rows whose flat values are added up to get the sum of the set */
  size_t sum_count;
  size_t subtree; /* row whose cum value is the sum of the set; DOMAIN_NO_SUBTREE: the sum comes
                     from `sum` */
  bool cancels; /* true for a set of two rows that belong together only because their changes cancel
                 */
  uint32_t *members; /* indices of the candidates whose changes the set explains */
  size_t member_count;
};

/* Sum over a set, judged like a row. */
struct domain_sum {
  struct estimate own;           /* estimate after the common factor (model.h) is removed */
  pprofc_verdict_estimate shown; /* estimate in recorded amounts */
};

/* Judges the sums of several sets, and adjusts their p-values together. Returns false when out of
 * memory. */
bool domain_sums(struct comparison *c, const struct domain_set *sets, size_t count,
                 struct domain_sum *sums);

/* Names a set after a caller, type, package or file that all its members share. */
void domain_set_name(const struct relations *r, struct domain_set *set);

#endif
