/* The rows that changed and how they are connected: what relations, renames and domains share. */
#ifndef PPROFC_VERDICT_RELATIONS_H
#define PPROFC_VERDICT_RELATIONS_H

#include "verdict/compare.h"
#include "verdict/name_parts.h"

/* Number of the largest changes that are connected. */
#define CANDIDATES_MOST 512
/* Words of a sketch of a set: equal sets have equal sketches. */
#define SKETCH_WORDS 4

struct sketch {
  uint64_t bits[SKETCH_WORDS];
};

/* A row and a number that is equal for the rows of a type or file. */
struct keyed_row {
  uint64_t key; /* 0 if not known */
  uint32_t row;
};

/* Rows sorted by key. */
struct row_groups {
  struct keyed_row *items; /* [count] */
  size_t count;
};

/* A row whose flat changed, or may have changed. */
struct candidate {
  uint32_t row, name;
  struct name_parts parts;
  uint64_t type;                  /* name_type_key of the parts */
  pprofc_str file;                /* end of the path of its file; "" if not known */
  struct sketch callers, callees; /* sets of the last parts of their names */
  uint32_t partner;               /* candidate with the other name of a rename, or MAP_NONE */
  bool wide;                      /* its type has more than half of all cost */
  bool changed;                   /* the verdict is a change; else only the raw p is small */
};

struct balance;

struct relations {
  struct comparison *c;
  struct candidate *candidates; /* [CANDIDATES_MOST], by the size of their change */
  uint32_t count;
  struct balance *pairs;
  size_t pair_count, pair_capacity;
  uint32_t *candidate_of; /* [names] candidate of each name, or MAP_NONE */
  bool *both;             /* [names] base and head have samples of it or of what it calls */
  uint64_t *sketch_of;    /* [names] hash of the last part of each name */
  uint64_t *callers; /* [count * words] callers of each candidate: one bit per name, one for the
                        root. For a caller on one side only, the nearest caller on both sides
                        is set also */
  size_t words;
  struct row_groups types, files;
  double *explained; /* [names] sum of the changes of changed callees */
  size_t *seen;      /* [names] last sample that added to `explained` */
  size_t names;
};

/* Share of all cost above which a type, file or caller explains nothing: nearly
 * everything is in it. */
#define DOMAIN_SHARE_MOST 0.5

/* Sorts the rows by type and file, and fills these of the candidates. False when out of memory. */
bool groups_fill(struct relations *r);
void groups_free(struct relations *r);

/* Returns the rows with this key. */
struct row_groups groups_find(const struct row_groups *groups, uint64_t key);

const pprofc_verdict_row *relations_row(const struct relations *r, uint32_t candidate);

/* Returns the estimate after removing the common factor, because moved costs cancel there. */
const struct estimate *relations_own(const struct relations *r, uint32_t candidate);

/* True if one side has no sample of the function itself. */
bool relations_one_sided(const struct relations *r, uint32_t candidate);

bool relations_calls(const struct relations *r, uint32_t caller, uint32_t callee);
/* True if the function with this name calls the candidate. */
static inline bool relations_has_caller(const struct relations *r, uint32_t candidate,
                                        uint32_t name) {
  return r->callers[candidate * r->words + name / 64] >> name % 64 & 1;
}
bool relations_share_caller(const struct relations *r, uint32_t a, uint32_t b);

/* Returns the number of common elements over the number of all, about. */
double sketch_overlap(const struct sketch *a, const struct sketch *b);

/* True if cost may have moved between two functions: they are plausibly the same code. */
bool relations_linked(const struct relations *r, uint32_t a, uint32_t b);

/* Finds the two names of renamed functions: first by name, callers and callees, then by cost. */
bool renames_match(struct relations *r);

/* Finds the domains that explain changes and judges their sums; false when out of memory. */
bool domains_find(struct relations *r);

#endif
