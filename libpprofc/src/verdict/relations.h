/* Finds the rows that changed, and explains the changes. Explanations are renamed functions, pairs
 * of functions whose changes cancel, and domains (groups of functions between which cost may have
 * moved). */
#ifndef PPROFC_VERDICT_RELATIONS_H
#define PPROFC_VERDICT_RELATIONS_H

#include "verdict/compare.h"

/* bits_add adds a number to a bit set. bits_have is true if the set contains the number. */
static inline void bits_add(uint64_t *bits, size_t at) {
  bits[at / 64] |= (uint64_t)1 << at % 64;
}
static inline bool bits_have(const uint64_t *bits, size_t at) {
  return bits[at / 64] >> at % 64 & 1;
}

/* ---- parts of names --------------------------------- */

/* The functions below split the name of a function into package, type and last part. They also
 * compare names that one function may have before and after a rename. */

/* Parts of a name. They point into the name, and exclude arguments and the suffixes that compilers
 * add to closures and copies. */
struct name_parts {
  pprofc_str package; /* name of the package: "old/enc" in "old/enc.(*Writer).flush.func1"; ""
                         without a package */
  pprofc_str type;    /* package and type, "old/enc.(*Writer)"; "" for a function without a type */
  pprofc_str last;    /* last part of the name: "flush" */
  bool generated;     /* true if the name had a part that a compiler generated */
};

struct name_parts name_split(pprofc_str name);

/* Returns a hash of the type. In Go, "(*T)" and "T" have the same hash. Returns 0 for a name
 * without a type. */
uint64_t name_type_key(const struct name_parts *parts);

/* Returns the package, module or namespace at the start of a name: "encoding/json" for
 * "encoding/json.Marshal", "std" for "std::sort". Returns "" if the name has no package. */
pprofc_str name_package(pprofc_str name);

/* True if one function may replace the other. A function of Go's runtime never replaces a function
 * outside the runtime. */
bool names_replaceable(pprofc_str a, pprofc_str b);

/* True if two names are in one package, or share a start and an end that together are at least half
 * of the longer name. Names that are not replaceable are never similar. */
bool names_similar(pprofc_str a, pprofc_str b);

/* Maximum number of changes that are examined. If there are more, only the largest are examined. */
#define CANDIDATES_MOST 512
/* Number of 64-bit words in a sketch. A sketch is a short summary of a set: a bit set with one bit
 * for the hash of each member. */
#define SKETCH_WORDS 4

struct sketch {
  uint64_t bits[SKETCH_WORDS];
};

/* A row, and the key of its type (name_type_key). */
struct keyed_row {
  uint64_t key; /* 0 if the type is unknown */
  uint32_t row;
};

/* Rows sorted by key, so that rows of the same type are adjacent. */
struct row_groups {
  struct keyed_row *items;
  size_t count;
};

/* A row whose flat value changed, or may have changed. */
struct candidate {
  uint32_t row, name;
  struct name_parts parts;
  uint64_t type;   /* key of the function's type (name_type_key) */
  pprofc_str file; /* last two elements of the path of the function's file; "" if unknown */
  /* sketches of the callers and of the callees, made from the last part of each name */
  struct sketch callers, callees;
  uint32_t partner; /* if the function was renamed: index of the candidate that has the other name;
                       else MAP_NONE */
  bool wide;        /* true if the functions of its class (`type`) have over half of all cost */
  bool changed; /* true if the verdict is a change; false if only the unadjusted p-value is small */
};

struct balance;

struct relations {
  struct comparison *c;
  struct arena arena;           /* memory of the arrays below, except `pairs` */
  struct candidate *candidates; /* candidates, sorted by the size of their change */
  uint32_t count;
  struct balance *pairs;
  size_t pair_count, pair_capacity;
  uint32_t *candidate_of; /* for each name, the index of its candidate, or MAP_NONE */
  bool *both; /* for each name, true if both base and head have samples of the function or of its
                 callees */
  uint64_t *sketch_of; /* for each name, the hash of its last part (name_parts.last) */
  /* for each candidate, a bit set of its callers: one bit per name, and one bit for the root. The
   * set also contains the nearest caller up the stack that is in both base and head. */
  uint64_t *callers;
  size_t words;
  /* bit sets of names, one bit per name as in `callers`; known: functions that both base and head
   * have; grown: functions whose cum value grew; narrow: functions with at most DOMAIN_SHARE_MOST
   * of all cost */
  uint64_t *known, *grown, *narrow;
  struct row_groups types;
  double *explained; /* for each function, the sum of the changes of its callees that changed */
  /* for each name, the last sample (counted from 1) that was added to its `explained`, or 0 */
  size_t *seen;
  size_t names;
};

/* A group (the functions of a type, or a caller with its callees) explains a move of cost only if
 * it has at most this share of all cost. A larger group would explain almost any move. */
#define DOMAIN_SHARE_MOST 0.5

/* True if a value has at most DOMAIN_SHARE_MOST of all cost. */
static inline bool relations_is_narrow(const struct comparison *c,
                                       const pprofc_verdict_estimate *e) {
  return e->base + e->head <= DOMAIN_SHARE_MOST * (c->summary.total_base + c->summary.total_head);
}

/* Returns the rows with the key `key`. */
struct row_groups groups_find(const struct row_groups *groups, uint64_t key);

const pprofc_verdict_row *relations_row(const struct relations *r, uint32_t candidate);

/* Returns the estimate of a candidate without the common factor (the factor that all functions of a
 * run share). With the common factor, changes that cancel would not add up to 0. */
const struct estimate *relations_own(const struct relations *r, uint32_t candidate);

/* True if base or head has no sample that ends in the function. */
bool relations_one_sided(const struct relations *r, uint32_t candidate);

bool relations_calls(const struct relations *r, uint32_t caller, uint32_t callee);
/* True if the function with the given name calls the candidate. */
static inline bool relations_has_caller(const struct relations *r, uint32_t candidate,
                                        uint32_t name) {
  return bits_have(&r->callers[candidate * r->words], name);
}
bool relations_share_caller(const struct relations *r, uint32_t a, uint32_t b);

/* Returns an estimate of the similarity of two sets: size of the intersection divided by size of
 * the union. */
double sketch_overlap(const struct sketch *a, const struct sketch *b);

/* True if cost may have moved between two functions, for example functions of one type. */
bool relations_linked(const struct relations *r, uint32_t a, uint32_t b);

/* Finds the old and new names of renamed functions. Compares names, callers and callees first, and
 * costs last. */
bool renames_match(struct relations *r);

/* Finds the domains (groups of functions between which cost may have moved) that explain changes,
 * and judges their sums. Returns false when out of memory. */
bool domains_find(struct relations *r);

/* ---- domains ---------------------------------------- */

#define DOMAIN_NO_SUBTREE SIZE_MAX

struct domain_set {
  pprofc_verdict_domain_kind kind;
  pprofc_str name, renamed;
  size_t *sum; /* indices of the rows whose flat values add up to the cost of the set */
  size_t sum_count;
  size_t subtree; /* row whose cum value is the sum of the set; DOMAIN_NO_SUBTREE if the rows in
                     `sum` are added up instead */
  bool cancels; /* true for a set of two rows that belong together only because their changes cancel
                 */
  uint32_t *members; /* indices of the candidates whose changes the set explains */
  size_t member_count;
};

/* Sum of the functions of a set, judged like the value of one function. */
struct domain_sum {
  struct estimate own;           /* estimate without the factor that all functions of a run share */
  pprofc_verdict_estimate shown; /* estimate in recorded amounts, which include the common factor */
};

/* Judges the summed cost of each set of functions, and adjusts the p-values of all sets together.
 * Returns false when out of memory. */
bool domain_sums(struct comparison *c, const struct domain_set *sets, size_t count,
                 struct domain_sum *sums);

/* Names a set after a caller, type, package or file that all its members share. */
void domain_set_name(const struct relations *r, struct domain_set *set);

#endif
